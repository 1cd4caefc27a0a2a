/*
 * Starts the subjects of a run one at a time, measures each, and leaves none of its descendants alive. Linux only.
 * One translation unit: the headers beside this file tell one thing each.
 *
 *   launcher LOCK_PATH LOCK_WAIT_MS CPU        ("" is no lock, -1 is no CPU)
 *
 * Requests come over stdin: a length (32 bits, little-endian), then that many bytes of NUL-terminated fields:
 *   launch ID SETTLE CPU FIXED_LAYOUT REAL_TIME COUNTERS TIMEOUT_MS GRACE_MS MAX_OUTPUT CWD STDIN STDOUT STDERR ARGC
 *     argv… env…     (COUNTERS: 0 none, 1 hardware, 2 software)
 *   cancel ID
 * Replies go to stdout, one line of key=value each: `ready` or `busy` or `failed` once, then one per launch.
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
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "account.h"
#include "clock.h"
#include "cpus.h"
#include "fatal.h"
#include "requests.h"
#include "trial.h"

static void answer(struct request *request) {
  char **field = request->fields;
  errno = EPROTO;
  if (strcmp(field[0], "cancel") == 0) return; /* of a launch that has ended */
  if (request->count < 15 || strcmp(field[0], "launch") != 0) die("request");
  int64_t argc = number(field[14]);
  errno = EPROTO;
  if (argc < 1 || argc > (int64_t)request->count - 15) die("arguments");
  struct trial trial = {.id = field[1], .settle = number(field[2]) != 0, .cpu = (int)number(field[3]),
                        .fixed_layout = number(field[4]) != 0, .real_time = number(field[5]) != 0,
                        .timeout_ns = number(field[7]) * MILLISECOND, .grace_ns = number(field[8]) * MILLISECOND,
                        .max_output = number(field[9]), .cwd = field[10], .input = field[11], .output = field[12],
                        .error = field[13], .argv = field + 15, .env = field + 15 + argc + 1};
  memmove(trial.env, trial.argv + argc, (request->count - 15 - (size_t)argc) * sizeof *field);
  trial.argv[argc] = NULL;
  struct account account = {.step = "-", .counters.kind = (enum counting)number(field[6])};
  run_trial(&trial, &account);
  printf("id=%s outcome=%s step=%s value=%d wall=%lld cpu=%lld rss=%lld leftovers=%lld boot0=%lld boot1=%lld "
         "unix=%lld settled=%lld",
         trial.id, account.outcome, account.step, account.value, (long long)account.wall_ns, (long long)account.cpu_ns,
         (long long)account.max_rss_bytes, (long long)account.leftovers, (long long)account.started_boot_ns,
         (long long)account.ended_boot_ns, (long long)(account.started_unix_ns / MILLISECOND),
         (long long)account.settled_ns);
  print_counters(&account.counters);
  putchar('\n');
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
