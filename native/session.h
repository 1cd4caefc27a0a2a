/*
 * Two subjects that work in turns. Each has a keeper, a fork of the launcher that supervises it as any trial is: what the
 * one starts can never be taken for the other's. The launcher watches the set-ups, the coordinator's turns (turns.h) and
 * the verifications, and ends both when one is at fault.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answers.h"
#include "clock.h"
#include "fatal.h"
#include "requests.h"
#include "trial.h"
#include "turns.h"

struct side {
  int requests, answers; /* our ends */
  int control;           /* the keeper's stdin */
  pid_t keeper;          /* 0 where there is none, or it is waited for */
};

struct session {
  const char *id, *path; /* of the file of slices */
  int64_t answer_ns;
  int coordinator_cpu;
  struct work work;
  struct trial trials[2];
  struct side sides[2];
  struct ready ready[2];
  struct shared *shared;
  int file;
  pid_t coordinator;
  bool cancelled;
};

static void shut(int *file) {
  if (*file >= 0) close(*file);
  *file = -1;
}

static void require_end(const char *who, pid_t pid, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  fprintf(stderr, "launcher: %s %d: status %d\n", who, (int)pid, status);
  errno = ECHILD;
  die(who);
}

/* Sleeps as `wait_for_file`, at most a moment; then knows who has ended and whether the session is to be cancelled. */
static bool look(struct session *session, int file, int64_t deadline) {
  int64_t rest = deadline - now_ns(CLOCK_MONOTONIC);
  bool readable = wait_for_file(file, rest < 0 ? 0 : rest < OUTPUT_WATCH_NS ? rest : OUTPUT_WATCH_NS);
  int status;
  for (int i = 0; i < 2; i++) {
    struct side *side = &session->sides[i];
    if (side->keeper == 0 || waitpid(side->keeper, &status, WNOHANG) != side->keeper) continue;
    require_end("keeper", side->keeper, status);
    side->keeper = 0;
    shut(&side->control);
  }
  if (session->coordinator != 0 && waitpid(session->coordinator, &status, WNOHANG) == session->coordinator) {
    require_end("coordinator", session->coordinator, status);
    session->coordinator = 0;
  }
  if (cancelled(session->id) || ending) session->cancelled = true;
  return readable;
}

static _Noreturn void keep(struct session *session, int index, int control) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || dup2(control, STDIN_FILENO) < 0) die("keeper");
  close(control);
  shut(&session->file);
  for (int i = 0; i < 2; i++) {
    shut(&session->sides[i].requests);
    shut(&session->sides[i].answers);
    shut(&session->sides[i].control);
  }
  input.used = 0; /* what was read is for the launcher */
  run_trial(&session->trials[index], &session->shared->accounts[index]);
  _exit(0);
}

static void start_keeper(struct session *session, int index) {
  struct side *side = &session->sides[index];
  struct trial *trial = &session->trials[index];
  int requests[2], answers[2], control[2];
  if (pipe2(requests, O_CLOEXEC) < 0 || pipe2(answers, O_CLOEXEC) < 0 || pipe2(control, O_CLOEXEC) < 0) die("pipe");
  *side = (struct side){requests[1], answers[0], control[1], 0};
  trial->requests = requests[0];
  trial->answers = answers[1];
  if (!lift(&trial->requests) || !lift(&trial->answers)) die("pipe");
  session->shared->accounts[index].step = "-";
  side->keeper = fork();
  if (side->keeper < 0) die("fork");
  if (side->keeper == 0) keep(session, index, control[0]);
  close(trial->requests);
  close(trial->answers);
  close(control[0]);
}

static bool has_fault(const struct session *session) {
  return session->shared->fault.kind != NO_FAULT;
}

/* When the subject was started, 0 before: its keeper may still be waiting for the disk. */
static int64_t start_of(const struct session *session, int index) {
  return *(volatile int64_t *)&session->shared->accounts[index].start_ns;
}

/* From the start of a subject until it is ready; a fault where it is not in time. */
static void set_up(struct session *session, int index) {
  struct shared *shared = session->shared;
  struct answer answer = {.used = 0};
  start_keeper(session, index);
  for (enum reading reading = PARTLY; reading != ANSWERED;) {
    int64_t start = start_of(session, index), deadline = start == 0 ? INT64_MAX : start + session->answer_ns;
    bool readable = look(session, session->sides[index].answers, deadline);
    if (session->cancelled) return;
    if (index == 1 && session->sides[0].keeper == 0) return (void)set_fault(shared, CLOSED, 0, "");
    if (readable) {
      reading = read_more(session->sides[index].answers, &answer);
      if (reading == PARTLY || reading == ANSWERED) continue;
      return (void)set_fault(shared, fault_of(reading), index, answer.text);
    }
    if (now_ns(CLOCK_MONOTONIC) >= deadline) return (void)set_fault(shared, STALLED, index, answer.text);
  }
  if (!parse_ready(answer.text, &session->ready[index])) return (void)set_fault(shared, NO_ANSWER, index, answer.text);
  dprintf(session->file, "ready\t%d\t%lld\t", index, (long long)session->ready[index].unit);
  if (session->ready[index].most < 0) dprintf(session->file, "-\n");
  else dprintf(session->file, "%lld\n", (long long)session->ready[index].most);
}

static void send_cancel(struct session *session, int index) {
  struct side *side = &session->sides[index];
  if (side->keeper == 0) return;
  if (ending) return shut(&side->control);
  char frame[64] = {0};
  size_t length = (size_t)snprintf(frame + 4, sizeof frame - 4, "cancel%c%s", '\0', session->id) + 1;
  frame[0] = (char)length;
  if (write(side->control, frame, 4 + length) < 0) shut(&side->control);
}

/* Until the coordinator has ended: by its plan, or by the end of a subject that did not answer in time. */
static void watch_turns(struct session *session) {
  struct shared *shared = session->shared;
  pid_t launcher = getpid();
  session->coordinator = fork();
  if (session->coordinator < 0) die("fork");
  if (session->coordinator == 0) {
    struct turns turns = {.shared = shared};
    for (int i = 0; i < 2; i++) {
      turns.requests[i] = session->sides[i].requests;
      turns.answers[i] = session->sides[i].answers;
      turns.ready[i] = session->ready[i];
      shut(&session->sides[i].control);
    }
    take_turns(&turns, &session->work, session->file, session->coordinator_cpu, session->trials[0].real_time, launcher);
  }
  uint64_t seen = 0;
  int64_t since = now_ns(CLOCK_MONOTONIC);
  int late = -1;
  enum fault_kind kind = NO_FAULT;
  bool told = false;
  while (session->coordinator != 0) {
    look(session, -1, INT64_MAX);
    if (session->cancelled) {
      if (!told) send_cancel(session, 0), send_cancel(session, 1);
      told = true;
      if (ending) shut(&session->sides[0].control), shut(&session->sides[1].control);
      continue;
    }
    uint64_t turn = atomic_load_explicit(&shared->turn, memory_order_relaxed);
    int64_t now = now_ns(CLOCK_MONOTONIC);
    if (turn != seen || (turn & 3) == 0) since = now;
    seen = turn;
    if (late >= 0 || now - since < session->answer_ns) continue;
    late = (int)(turn & 3) - 1;
    kind = (turn & 4) != 0 ? BUSY : STALLED;
    send_cancel(session, late);
  }
  /* What the coordinator saw of it was an end of file. */
  if (late >= 0 && !session->cancelled && (!has_fault(session) || shared->fault.subject == late)) {
    if (!has_fault(session)) set_fault(shared, kind, late, "");
    shared->fault.kind = kind;
  }
}

/* Asks a subject to verify what it did and to end; a fault where it does not in time, or says more, or is killed. */
static void finish(struct session *session, int index) {
  struct shared *shared = session->shared;
  struct side *side = &session->sides[index];
  struct answer answer = {.used = 0};
  enum reading reading = PARTLY;
  int64_t deadline = now_ns(CLOCK_MONOTONIC) + session->answer_ns;
  bool sent = write(side->requests, "finish\n", 7) == 7;
  while (side->keeper != 0 && (reading == PARTLY || reading == ENDED)) {
    if (look(session, reading == ENDED ? -1 : side->answers, deadline)) reading = read_more(side->answers, &answer);
    if (session->cancelled) return;
    if (side->keeper != 0 && now_ns(CLOCK_MONOTONIC) >= deadline) return (void)set_fault(shared, STALLED, index, "");
  }
  if (reading == PARTLY) reading = read_more(side->answers, &answer); /* it has ended: this does not block */
  if (reading != ENDED || answer.used > 0) set_fault(shared, TOO_MANY, index, answer.text);
  else if (!sent || strcmp(shared->accounts[index].outcome, "exited") != 0) set_fault(shared, CLOSED, index, "");
}

/* Lets both see the end of their requests, gives one that can see it the time to end by itself, and forces the rest. */
static void end_both(struct session *session) {
  const struct fault *fault = &session->shared->fault;
  bool in_time = fault->kind != NO_FAULT && fault->kind != STALLED && fault->kind != BUSY;
  int64_t deadline = now_ns(CLOCK_MONOTONIC) + (in_time ? session->trials[fault->subject].grace_ns : 0);
  for (int i = 0; i < 2; i++) shut(&session->sides[i].requests);
  while (!session->cancelled && (session->sides[0].keeper != 0 || session->sides[1].keeper != 0) &&
         now_ns(CLOCK_MONOTONIC) < deadline)
    look(session, -1, deadline);
  for (int i = 0; i < 2; i++) send_cancel(session, i);
  while (session->sides[0].keeper != 0 || session->sides[1].keeper != 0) {
    look(session, -1, INT64_MAX);
    if (ending) shut(&session->sides[0].control), shut(&session->sides[1].control);
  }
}

/* What became of the subjects, where the session did not go its way to the end. */
static void settle_outcomes(struct session *session) {
  const struct fault *fault = &session->shared->fault;
  for (int i = 0; i < 2; i++) {
    struct account *account = &session->shared->accounts[i];
    bool at_fault = fault->kind != NO_FAULT && fault->subject == i;
    if (account->step == NULL) account->step = "-";
    if (account->started_unix_ns == 0) { /* it was not even tried */
      account->started_boot_ns = account->ended_boot_ns = now_ns(CLOCK_BOOTTIME);
      account->started_unix_ns = now_ns(CLOCK_REALTIME);
      account->counters.kind = COUNT_NOTHING;
    }
    if (session->cancelled) account->outcome = "cancelled";
    else if (fault->kind != NO_FAULT && !at_fault) account->outcome = "abandoned";
    else if (at_fault && strcmp(account->outcome, "cancelled") == 0) account->outcome = "timeout";
  }
  if (session->cancelled) session->shared->fault.kind = NO_FAULT;
}

static void run_session(struct session *session) {
  struct shared *shared = session->shared;
  keep_off(session->trials[0].cpu);
  session->file = open(session->path, O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (session->file < 0 || dprintf(session->file, "assay-slices 1\n") < 0) {
    not_started(&shared->accounts[0], "slices", errno);
    set_fault(shared, CLOSED, 0, "");
    return settle_outcomes(session);
  }
  for (int i = 0; i < 2 && !has_fault(session) && !session->cancelled; i++) set_up(session, i);
  if (!has_fault(session) && !session->cancelled) watch_turns(session);
  if (!has_fault(session) && !session->cancelled) shared->slices++;
  for (int i = 0; i < 2 && !has_fault(session) && !session->cancelled; i++) finish(session, i);
  end_both(session);
  settle_outcomes(session);
}

static void print_fault(const struct session *session) {
  static const char *const kinds[] = {"-", "stalled", "ended", "garbage", "unasked", "miscounted", "busy", "timeless"};
  const struct fault *fault = &session->shared->fault;
  printf("id=%s fault=%s subject=%d slice=%lld write=%d turns=%lld answer=", session->id, kinds[fault->kind], fault->subject,
         (long long)fault->slice, session->shared->write_error, (long long)session->shared->turns_ns);
  for (const char *at = fault->answer; *at != '\0'; at++) printf("%02x", (unsigned char)*at);
  putchar('\n');
}
