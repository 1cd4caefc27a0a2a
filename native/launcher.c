/*
 * Starts the subjects of a run one at a time, measures each, and leaves none of its descendants alive. Linux only.
 * One translation unit: the headers beside this file tell one thing each.
 *
 *   launcher LOCK_PATH LOCK_WAIT_MS CPU        ("" is no lock, -1 is no CPU)
 *
 * Requests come over stdin: a length (32 bits, little-endian), then that many bytes of NUL-terminated fields:
 *   launch ID SETTLE CPU FIXED_LAYOUT REAL_TIME COUNTERS TIMEOUT_MS GRACE_MS MAX_OUTPUT CWD STDIN STDOUT STDERR GROUP
 *     ARGC argv… env…     (COUNTERS: 0 none, 1 hardware, 2 software; GROUP: file of a control group's processes, "" none)
 *   session ID SLICES ANSWER_TIMEOUT_MS CPU (of the coordinator)
 *     quads COUNT - (LEADER OPERATIONS PRELUDE GAP_NS)…   or   ramp TARGET_NS SETTLE_SLICES
 *     twice: COUNT, then that many fields as those of `launch` from SETTLE on
 *   cancel ID
 * Replies go to stdout, one line of key=value each: `ready` or `busy` or `failed` once, then one per launch and
 * three per session: both accounts, and what ended it before its plan did.
 *
 * The end of stdin (Assay has finished, or was killed) and SIGTERM, SIGINT, SIGHUP, SIGQUIT end the launcher: first
 * every descendant is killed, by a guard process where the launcher itself was killed. The lock is held until then.
 * Between requests nothing here runs or allocates, so that the launcher stays small: a subject's peak memory starts
 * from that of the process that forked it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "account.h"
#include "clock.h"
#include "cpus.h"
#include "fatal.h"
#include "requests.h"
#include "session.h"
#include "trial.h"

static char **vector(char **from, int64_t count) {
  char **made = must(calloc((size_t)count + 1, sizeof *made));
  memcpy(made, from, (size_t)count * sizeof *made);
  return made;
}

/* What is to be started, from the fields of a launch that come after its id. */
static struct trial read_trial(const char *id, char **field, int64_t count, enum counting *counting) {
  errno = EPROTO;
  if (count < 14) die("request");
  int64_t argc = number(field[13]);
  errno = EPROTO;
  if (argc < 1 || argc > count - 14) die("arguments");
  *counting = (enum counting)number(field[4]);
  return (struct trial){.id = id, .settle = number(field[0]) != 0, .cpu = (int)number(field[1]),
                        .fixed_layout = number(field[2]) != 0, .real_time = number(field[3]) != 0,
                        .timeout_ns = number(field[5]) * MILLISECOND, .grace_ns = number(field[6]) * MILLISECOND,
                        .max_output = number(field[7]), .cwd = field[8], .input = field[9], .output = field[10],
                        .error = field[11], .group = field[12][0] == '\0' ? NULL : field[12],
                        .argv = vector(field + 14, argc), .env = vector(field + 14 + argc, count - 14 - argc),
                        .requests = -1, .answers = -1};
}

static void free_trial(struct trial *trial) {
  free(trial->argv);
  free(trial->env);
}

static void print_account(const char *id, const struct account *account) {
  printf("id=%s outcome=%s step=%s value=%d wall=%lld cpu=%lld rss=%lld leftovers=%lld boot0=%lld boot1=%lld "
         "unix=%lld settled=%lld",
         id, account->outcome, account->step, account->value, (long long)account->wall_ns, (long long)account->cpu_ns,
         (long long)account->max_rss_bytes, (long long)account->leftovers, (long long)account->started_boot_ns,
         (long long)account->ended_boot_ns, (long long)(account->started_unix_ns / MILLISECOND),
         (long long)account->settled_ns);
  print_counters(&account->counters);
  putchar('\n');
}

static void do_launch(char **field, int64_t count) {
  struct account account = {.step = "-"};
  struct trial trial = read_trial(field[0], field + 1, count - 1, &account.counters.kind);
  run_trial(&trial, &account);
  print_account(trial.id, &account);
  free_trial(&trial);
}

/* The quads of a plan, four fields each. */
static struct quad *read_quads(char **field, int64_t count) {
  struct quad *quads = must(calloc((size_t)count + 1, sizeof *quads));
  for (int64_t i = 0; i < count; i++, field += 4)
    quads[i] = (struct quad){number(field[0]) != 0, number(field[1]), number(field[2]), number(field[3])};
  return quads;
}

static void do_session(char **field, int64_t count) {
  errno = EPROTO;
  if (count < 7) die("request");
  struct session session = {.id = field[0], .path = field[1], .answer_ns = number(field[2]) * MILLISECOND,
                            .coordinator_cpu = (int)number(field[3]), .file = -1};
  for (int i = 0; i < 2; i++) session.sides[i] = (struct side){-1, -1, -1, 0};
  int64_t first = number(field[5]), at = 7;
  if (strcmp(field[4], "ramp") == 0) {
    session.work = (struct work){.target_ns = first, .settle_slices = number(field[6])};
  } else {
    errno = EPROTO;
    if (first < 0 || first > (count - 7) / 4) die("quads");
    session.work = (struct work){.quads = read_quads(field + 7, first), .count = (size_t)first};
    at += first * 4;
  }
  session.shared = mmap(NULL, sizeof *session.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (session.shared == MAP_FAILED) die("memory");
  for (int i = 0; i < 2; i++) {
    errno = EPROTO;
    int64_t fields = at < count ? number(field[at++]) : -1;
    if (fields < 0 || fields > count - at) die("request");
    session.trials[i] = read_trial(session.id, field + at, fields, &session.shared->accounts[i].counters.kind);
    at += fields;
  }
  run_session(&session);
  for (int i = 0; i < 2; i++) {
    print_account(session.id, &session.shared->accounts[i]);
    free_trial(&session.trials[i]);
    shut(&session.sides[i].answers);
  }
  print_fault(&session);
  shut(&session.file);
  munmap(session.shared, sizeof *session.shared);
  free(session.work.quads);
}

static void answer(struct request *request) {
  char **field = request->fields;
  int64_t count = (int64_t)request->count;
  errno = EPROTO;
  if (strcmp(field[0], "cancel") == 0) return; /* of a launch that has ended */
  if (count > 1 && strcmp(field[0], "launch") == 0) do_launch(field + 1, count - 1);
  else if (count > 1 && strcmp(field[0], "session") == 0) do_session(field + 1, count - 1);
  else die("request");
  fflush(stdout);
}

static _Noreturn void refuse(const char *step) {
  printf("failed step=%s value=%d\n", step, errno);
  exit(1);
}

/* An earlier launcher may still be killing its descendants after its Assay was killed: this waits for it. */
static void take_lock(const char *path, int64_t wait_ns) {
  int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (file < 0) refuse("lock");
  int64_t deadline = now_ns(CLOCK_MONOTONIC) + wait_ns;
  while (flock(file, LOCK_EX | LOCK_NB) < 0) {
    if (errno != EWOULDBLOCK) refuse("lock");
    if (now_ns(CLOCK_MONOTONIC) >= deadline) {
      printf("busy\n");
      exit(1);
    }
    wait_for_event(20 * MILLISECOND);
    if (ending) exit(0);
  }
  if (ftruncate(file, 0) < 0 || dprintf(file, "%d %d\n", getppid(), getpid()) < 0) refuse("lock");
}

/*
 * Puts a guard above the launcher, which this process then is. A launcher that was killed leaves its descendants to the
 * guard, which kills them; both hold the lock, so that it is free only after that. Where the guard is killed, the
 * launcher gets a signal to end.
 */
static void fork_launcher(const sigset_t *watched) {
  pid_t guard = getpid(), launcher = fork();
  if (launcher < 0) refuse("fork");
  if (launcher == 0) {
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) < 0) refuse("subreaper");
    if (getppid() != guard) exit(1); /* it died before prctl */
    return;
  }
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  int status = 0, signal;
  while (waitpid(launcher, &status, WNOHANG) == 0)
    if (sigwait(watched, &signal) == 0 && signal != SIGCHLD) kill(launcher, SIGTERM);
  struct account nobody = {.step = "-"};
  kill_descendants(&nobody);
  if (WIFSIGNALED(status)) kill(guard, SIGKILL); /* Assay sees how the launcher ended */
  exit(WEXITSTATUS(status));
}

static void close_inherited(void) {
  DIR *open_files = opendir("/proc/self/fd");
  if (open_files == NULL) die("/proc/self/fd");
  for (struct dirent *entry; (entry = readdir(open_files)) != NULL;) {
    int file = atoi(entry->d_name);
    if (file > STDERR_FILENO && file != dirfd(open_files)) close(file);
  }
  closedir(open_files);
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  close_inherited();
  setsid(); /* fails where Assay has done so: fine */
  signal(SIGPIPE, SIG_IGN);
  sigset_t watched;
  sigemptyset(&watched);
  const int numbers[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(&watched, numbers[i]);
  sigprocmask(SIG_SETMASK, &watched, NULL);
  signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) die("signalfd");
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) refuse("subreaper");
  read_allowed_cpus();
  int own = (int)number(argv[3]);
  if (own >= 0) {
    cpu_set_t *scratch = must(malloc(cpus.bytes));
    if (set_cpu(scratch, own) < 0) refuse("affinity");
    free(scratch);
    cpus.own = own;
  }
  if (argv[1][0] != '\0') take_lock(argv[1], number(argv[2]) * MILLISECOND);
  fork_launcher(&watched);
  printf("ready page=%ld\n", sysconf(_SC_PAGESIZE));
  fflush(stdout);
  while (!ending) {
    struct request request;
    if (take_request(&request)) {
      answer(&request);
      free_request(&request);
    } else wait_for_event(-1);
  }
  return 0;
}
