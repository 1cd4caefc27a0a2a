/* What is known of a trial, from the reaping of its processes; and their end. */
#pragma once

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "descendants.h"

struct account {
  const char *outcome;
  const char *step; /* of `not_started`; the stream of `output_limit` */
  int value;        /* exit code, signal or errno */
  pid_t subject;
  bool alive;
  int64_t start_ns, wall_ns, cpu_ns, max_rss_bytes, leftovers;
  int64_t started_boot_ns, ended_boot_ns, started_unix_ns, settled_ns;
  struct counters counters;
};

static void not_started(struct account *account, const char *step, int error) {
  account->outcome = "not_started";
  account->step = step;
  account->value = error;
}

/* Accounts for one process that was waited for. */
static void account_for(struct account *account, pid_t pid, int status, const struct rusage *usage) {
  if (account->alive && pid == account->subject) {
    account->wall_ns = now_ns(CLOCK_MONOTONIC) - account->start_ns;
    account->ended_boot_ns = now_ns(CLOCK_BOOTTIME);
    account->alive = false;
    account->outcome = WIFSIGNALED(status) ? "signalled" : "exited";
    account->value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }
  account->cpu_ns += (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * SECOND +
                     (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
  int64_t rss = (int64_t)usage->ru_maxrss * 1024;
  if (rss > account->max_rss_bytes) account->max_rss_bytes = rss;
}

/* Reaps what has ended, the subject first so that its clock stops early; false when there is no child left. */
static bool reap(struct account *account) {
  struct rusage usage;
  int status;
  pid_t pid = account->alive ? wait4(account->subject, &status, WNOHANG, &usage) : 0;
  if (pid > 0) account_for(account, pid, status, &usage);
  /* Bounded, so that a storm of short-lived orphans does not keep the launcher from looking at the clock. */
  for (int i = 0; i < 1024; i++) {
    pid = wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (pid == 0) return true;
    if (pid < 0) return errno != ECHILD;
    account_for(account, pid, status, &usage);
  }
  return true;
}

/* Ahead of all ordinary processes, where that is allowed (to root, mostly): a fork bomb must not starve its killer. */
static void hurry(bool on) {
  static bool hurrying;
  if (hurrying == on || (on && sched_getscheduler(0) != SCHED_OTHER)) return;
  struct sched_param param = {.sched_priority = on ? 1 : 0};
  if (sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param) == 0) hurrying = on;
}

/* Repeats until there are no descendants: whoever forked before it died has left its child to the launcher. */
static void kill_descendants(struct account *account) {
  int64_t rest = 50000;
  while (reap(account)) {
    hurry(true);
    if (signal_descendants(SIGKILL)) continue;
    pause_ns(rest);
    if (rest < 10 * MILLISECOND) rest *= 2;
  }
  hurry(false);
}
