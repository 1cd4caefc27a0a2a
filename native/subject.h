/* One subject: its files, and what its process does until it becomes the command. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account.h"
#include "cpus.h"

struct trial {
  const char *id, *cwd, *input, *output, *error;
  const char *group; /* file of the control group's processes; NULL for none */
  char **argv, **env;
  int64_t timeout_ns, grace_ns, max_output;
  int cpu;
  bool settle;
  bool fixed_layout; /* addresses are not randomised */
  bool real_time;    /* SCHED_FIFO, priority 1 */
  int requests, answers; /* the subject's descriptors 3 and 4, above these; -1 for none */
};

static const char *const STEPS[] = {"memory group", "session", "affinity", "layout", "real-time class", "limits", "descriptors", "chdir", "exec"};
enum step { GROUP, SESSION, AFFINITY, LAYOUT, REAL_TIME, LIMITS, DESCRIPTORS, CHDIR, EXEC };
struct failure {
  enum step step;
  int error;
};

static _Noreturn void give_up(int report, enum step step) {
  struct failure failure = {step, errno};
  if (write(report, &failure, sizeof failure) < 0) _exit(126);
  _exit(127);
}

/*
 * Moves this process into its control group, tells the launcher, and waits until that starts the clock: a move takes
 * milliseconds, and the memory of a process counts where it was when it asked for it.
 */
static void join_group(const char *group, int ready, int start, int report) {
  char word = '0'; /* in cgroup.procs it stands for whoever writes it */
  int file = open(group, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, &word, 1) != 1) give_up(report, GROUP);
  close(file);
  if (write(ready, &word, 1) != 1 || read(start, &word, 1) != 1) _exit(126); /* the launcher has gone */
  close(ready);
  close(start);
}

/* What the forked child does. */
static _Noreturn void become_subject(const struct trial *trial, const int files[3], int report, pid_t launcher,
                                     cpu_set_t *scratch) {
  if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) give_up(report, SESSION);
  if (getppid() != launcher) _exit(126); /* it died before prctl */
  if ((trial->cpu >= 0 || cpus.own >= 0 || cpus.avoided >= 0) && set_cpu(scratch, trial->cpu) < 0)
    give_up(report, AFFINITY);
  if (trial->fixed_layout && personality(ADDR_NO_RANDOMIZE) < 0) give_up(report, LAYOUT);
  if (trial->real_time && sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}) < 0)
    give_up(report, REAL_TIME);
  if (setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}) < 0) give_up(report, LIMITS);
  for (int i = 0; i < 3; i++)
    if (dup2(files[i], i) < 0) give_up(report, DESCRIPTORS);
  if (trial->requests >= 0 && (dup2(trial->requests, 3) < 0 || dup2(trial->answers, 4) < 0))
    give_up(report, DESCRIPTORS);
  if (chdir(trial->cwd) < 0) give_up(report, CHDIR);
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int i = 1; i < NSIG; i++) sigaction(i, &standard, NULL); /* fails for those that cannot be changed */
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(trial->argv[0], trial->argv, trial->env);
  give_up(report, EXEC);
}

/* The three files of the subject; false (and the account says why) when one cannot be opened. */
static bool open_files(const struct trial *trial, int files[3], struct account *account) {
  /* O_APPEND: two writers never overwrite each other, nor leave a hole after a truncation. */
  const int create = O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
  struct stat info;
  files[0] = open(trial->input, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* a pipe must not block here */
  if (files[0] < 0 || fcntl(files[0], F_SETFL, 0) < 0 || fstat(files[0], &info) < 0)
    return not_started(account, "stdin", errno), false;
  if (S_ISFIFO(info.st_mode)) return not_started(account, "stdin", EINVAL), false;
  files[1] = open(trial->output, create, 0600);
  if (files[1] < 0) return not_started(account, "stdout", errno), false;
  files[2] = open(trial->error, create, 0600);
  if (files[2] < 0) return not_started(account, "stderr", errno), false;
  return true;
}

/* The name of the output that is longer than allowed, if one is. */
static const char *too_long(const int files[3], int64_t limit) {
  struct stat info;
  if (fstat(files[1], &info) == 0 && info.st_size > limit) return "stdout";
  if (fstat(files[2], &info) == 0 && info.st_size > limit) return "stderr";
  return NULL;
}
