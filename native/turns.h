/*
 * The coordinator of a session: a process of its own, on the subjects' CPU, that gives them their turns over blocking
 * pipes and knows nothing else. Whoever stalls is ended by the launcher, which watches from another CPU; the coordinator
 * then reads an end of file. It buffers what it is told, and writes the file of slices at its end.
 */
#pragma once

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "account.h"
#include "answers.h"
#include "clock.h"
#include "cpus.h"
#include "fatal.h"

#define CLOCKS_DIFFER_NS 1000 /* and by 1 %, where a driver has a clock of its own */
#define MOST_OPERATIONS (INT64_C(1) << 40) /* of a slice: docs/slices.md */

struct quad {
  int leader;
  int64_t operations, prelude, gap_ns;
};

struct work {
  struct quad *quads; /* NULL: a ramp */
  size_t count;
  int64_t target_ns, settle_slices; /* of a ramp */
};

enum fault_kind { NO_FAULT, STALLED, CLOSED, NO_ANSWER, TOO_MANY, MISCOUNTED, BUSY, TIMELESS };

struct fault {
  enum fault_kind kind;
  int subject;
  int64_t slice; /* that was asked for, from 1; 0: set-up */
  char answer[ANSWER_LIMIT + 1];
};

/* What the processes of a session share. */
struct shared {
  struct account accounts[2]; /* each written by its keeper */
  /* Whom the coordinator waits for: turns << 3 | 4 where it waits for rest | subject + 1, or 0 in the last two bits. */
  _Atomic uint64_t turn;
  int64_t slices; /* asked for */
  struct fault fault;
  int write_error;  /* of the file of slices */
  int64_t turns_ns; /* from the first request to the last answer */
};

struct slice {
  struct quad quad;
  size_t number; /* of its quad, from 1 */
  int place, subject;
  struct done done;
  char *counts; /* with the space before the first; NULL for none */
};

struct turns {
  struct shared *shared;
  int requests[2], answers[2];
  struct ready ready[2];
  struct slice *slices;
  size_t used, capacity;
  int64_t total[2]; /* operations of each subject, preludes too */
  uint64_t turn;
  int64_t now; /* as it was after the last answer, or gap */
};

static bool set_fault(struct shared *shared, enum fault_kind kind, int subject, const char *answer) {
  shared->fault.kind = kind;
  shared->fault.subject = subject;
  shared->fault.slice = shared->slices;
  strcpy(shared->fault.answer, answer);
  return false;
}

static enum fault_kind fault_of(enum reading reading) {
  return reading == ENDED ? CLOSED : reading == UNASKED ? TOO_MANY : NO_ANSWER;
}

static void set_turn(struct turns *turns, uint64_t what) {
  atomic_store_explicit(&turns->shared->turn, ++turns->turn << 3 | what, memory_order_relaxed);
}

/*
 * One request and its answer; the coordinator sleeps while the subject works. Returns how long it took, 0 where there is
 * no answer.
 */
static int64_t ask(struct turns *turns, int subject, const char *request, size_t length, struct answer *answer,
                   bool rest) {
  int64_t start = turns->now;
  set_turn(turns, (rest ? 4 : 0) | (uint64_t)(subject + 1));
  answer->text[0] = '\0';
  ssize_t written = write(turns->requests[subject], request, length);
  enum reading reading = written == (ssize_t)length ? read_answer(turns->answers[subject], answer) : ENDED;
  turns->now = now_ns(CLOCK_MONOTONIC);
  if (reading == ANSWERED) return turns->now - start + 1;
  return set_fault(turns->shared, fault_of(reading), subject, answer->text);
}

/* Digits of `value` at `at`; returns what comes after them. */
static char *put_number(char *at, int64_t value) {
  char digits[20];
  int count = 0;
  do digits[count++] = (char)('0' + value % 10);
  while ((value /= 10) != 0);
  while (count > 0) *at++ = digits[--count];
  return at;
}

static bool do_slice(struct turns *turns, int subject, const struct quad *quad, size_t number, int place) {
  struct shared *shared = turns->shared;
  shared->slices++;
  char request[64] = "slice ", *at = put_number(request + 6, quad->prelude);
  *at++ = ' ';
  at = put_number(at, quad->operations);
  *at++ = '\n';
  struct answer answer; /* not cleared: that takes a while */
  struct done done;
  int64_t took_ns = ask(turns, subject, request, (size_t)(at - request), &answer, false);
  if (took_ns == 0) return false;
  /* Nor can a slice be longer than its turn: that is an answer that was made up, or was there before the request. */
  if (!parse_done(answer.text, &done) || done.wall_ns - took_ns > done.wall_ns / 100 + CLOCKS_DIFFER_NS)
    return set_fault(shared, NO_ANSWER, subject, answer.text);
  if (done.operations != quad->operations) return set_fault(shared, MISCOUNTED, subject, answer.text);
  if (turns->used == turns->capacity) {
    turns->capacity = turns->capacity * 2 + 1024;
    turns->slices = must(realloc(turns->slices, turns->capacity * sizeof *turns->slices));
  }
  char *counts = *done.counts == '\0' ? NULL : must(strdup(done.counts));
  turns->slices[turns->used++] = (struct slice){*quad, number, place, subject, done, counts};
  turns->total[subject] += quad->prelude + quad->operations;
  if (!done.busy) return true;
  if (!ask(turns, subject, "rest\n", 5, &answer, true)) return false;
  return strcmp(answer.text, "rested") == 0 || set_fault(shared, NO_ANSWER, subject, answer.text);
}

/* A rest before a quad, in which nobody should say a word; there should be none left over from the last one, either. */
static bool do_gap(struct turns *turns, int64_t gap_ns) {
  struct pollfd answers[2] = {{.fd = turns->answers[0], .events = POLLIN}, {.fd = turns->answers[1], .events = POLLIN}};
  const struct timespec gap = {.tv_sec = gap_ns / SECOND, .tv_nsec = gap_ns % SECOND};
  set_turn(turns, 0);
  bool is_quiet = ppoll(answers, 2, &gap, NULL) <= 0;
  turns->now = now_ns(CLOCK_MONOTONIC);
  if (is_quiet) return true;
  int subject = answers[0].revents != 0 ? 0 : 1;
  struct answer answer = {.used = 0};
  enum reading reading = read_more(turns->answers[subject], &answer);
  return set_fault(turns->shared, reading == ENDED ? CLOSED : TOO_MANY, subject, answer.text);
}

static bool do_quad(struct turns *turns, const struct quad *quad, size_t number) {
  const int other = 1 - quad->leader, order[4] = {quad->leader, other, other, quad->leader};
  if (!do_gap(turns, quad->gap_ns)) return false;
  for (int place = 0; place < 4; place++)
    if (!do_slice(turns, order[place], quad, number, place + 1)) return false;
  return true;
}

/* Whether both may do another quad of so many operations. */
static bool has_room(const struct turns *turns, int64_t operations) {
  if (operations > MOST_OPERATIONS) return false;
  for (int i = 0; i < 2; i++) {
    int64_t most = turns->ready[i].most;
    if (most >= 0 && turns->total[i] > most - 2 * operations) return false;
  }
  return true;
}

/* The least number that both count in, or one that nobody has room for. */
static int64_t common_unit(const struct ready ready[2]) {
  int64_t a = ready[0].unit, b = ready[1].unit;
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  int64_t factor = ready[0].unit / a;
  return factor > MOST_OPERATIONS / ready[1].unit ? INT64_MAX : factor * ready[1].unit;
}

/* Whether either arm took so long for both of its slices in the last quad; one alone may have been disturbed. */
static bool has_taken(const struct slice *last, int64_t target_ns) {
  const struct slice *quad = last - 3;
  int64_t leader = quad[0].done.wall_ns < quad[3].done.wall_ns ? quad[0].done.wall_ns : quad[3].done.wall_ns;
  int64_t other = quad[1].done.wall_ns < quad[2].done.wall_ns ? quad[1].done.wall_ns : quad[2].done.wall_ns;
  return leader >= target_ns || other >= target_ns;
}

/*
 * Doubles the number of operations until a slice takes long enough, and stays at a number that does for a while. What is
 * cold takes long at first: where slices have become shorter meanwhile, it goes on. No work is so short that the most
 * operations of a slice take too little time: who says so of both arms has a clock that stands, or works on nothing.
 */
static void do_ramp(struct turns *turns, const struct work *work) {
  const double stay_ns = (double)work->target_ns * (double)work->settle_slices;
  double stayed_ns = 0;
  int64_t stayed = 0;
  struct quad quad = {.operations = common_unit(turns->ready)};
  for (size_t number = 1; has_room(turns, quad.operations) && do_quad(turns, &quad, number); number++) {
    const struct slice *last = &turns->slices[turns->used - 1];
    bool is_long = has_taken(last, work->target_ns);
    if (!is_long && has_room(turns, 2 * quad.operations)) {
      quad.operations *= 2;
      stayed = 0, stayed_ns = 0;
      continue;
    }
    if (!is_long && 2 * quad.operations > MOST_OPERATIONS)
      return (void)set_fault(turns->shared, TIMELESS, quad.leader, "");
    for (int i = 0; i < 4; i++) stayed_ns += (double)last[-i].done.wall_ns;
    /* The first bound is for a driver that says that it takes no time. */
    if (++stayed > work->settle_slices || stayed_ns >= stay_ns) return;
  }
}

#define LONGEST_ROW (10 * 20 + ANSWER_LIMIT)

/* A slice as a line of the file; returns what comes after it. By hand: it costs a session less than printf does. */
static char *put_row(char *at, const struct slice *slice) {
  const struct done *done = &slice->done;
  const int64_t columns[] = {(int64_t)slice->number, slice->place, slice->subject, slice->quad.gap_ns,
                             slice->quad.prelude, done->operations, done->wall_ns, done->cpu_ns, done->voluntary,
                             done->involuntary};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    if (i > 0) *at++ = '\t';
    at = put_number(at, columns[i]);
  }
  for (const char *from = slice->counts == NULL ? "" : slice->counts; *from != '\0'; from++)
    *at++ = *from == ' ' ? '\t' : *from;
  *at++ = '\n';
  return at;
}

static bool write_all(int file, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, bytes, length);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes += written, length -= (size_t)written;
  }
  return true;
}

static bool write_slices(const struct turns *turns, int file) {
  static char bytes[1 << 16];
  char *at = bytes;
  for (size_t i = 0; i < turns->used; i++) {
    at = put_row(at, &turns->slices[i]);
    if (bytes + sizeof bytes - at > LONGEST_ROW) continue;
    if (!write_all(file, bytes, (size_t)(at - bytes))) return false;
    at = bytes;
  }
  return write_all(file, bytes, (size_t)(at - bytes));
}

/* What the forked coordinator does. */
static _Noreturn void take_turns(struct turns *turns, const struct work *work, int file, int cpu, bool real_time,
                                 pid_t launcher) {
  cpu_set_t *scratch = must(malloc(cpus.bytes));
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != launcher) _exit(70);
  if (cpu >= 0 && set_cpu(scratch, cpu) < 0) die("the coordinator's CPU");
  if (real_time) sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
  int64_t start = now_ns(CLOCK_MONOTONIC);
  if (work->quads == NULL) do_ramp(turns, work);
  for (size_t i = 0; i < work->count && do_quad(turns, &work->quads[i], i + 1);) i++;
  turns->shared->turns_ns = now_ns(CLOCK_MONOTONIC) - start;
  if (!write_slices(turns, file)) turns->shared->write_error = errno;
  _exit(0);
}
