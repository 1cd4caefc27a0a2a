/* One trial, from settling until no descendant of its subject is left. */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account.h"
#include "clock.h"
#include "cpus.h"
#include "requests.h"
#include "settle.h"
#include "subject.h"

#define OUTPUT_WATCH_NS (20 * MILLISECOND)

/* From the subject's start until no descendant is left. */
static void supervise(const struct trial *trial, const int files[3], struct account *account) {
  const char *forced = NULL, *stream = NULL;
  int64_t deadline = account->start_ns + trial->timeout_ns;
  while (reap(account) && (account->alive || forced != NULL)) {
    int64_t now = now_ns(CLOCK_MONOTONIC);
    stream = too_long(files, trial->max_output);
    if (ending) forced = "cancelled";
    if (ending || stream != NULL) break;
    bool cancel = cancelled(trial->id);
    if (now >= deadline && forced != NULL) break;
    if (forced == NULL && (cancel || now >= deadline)) {
      forced = cancel ? "cancelled" : "timeout";
      deadline = now + trial->grace_ns;
      hurry(true);
      signal_descendants(SIGTERM);
    }
    wait_for_event(deadline - now < OUTPUT_WATCH_NS ? deadline - now : OUTPUT_WATCH_NS);
  }
  if (!account->alive && reap(account)) {
    pause_ns(2 * MILLISECOND); /* for those that are just ending */
    if (reap(account)) account->leftovers = count_descendants();
  }
  kill_descendants(account);
  if (stream == NULL) stream = too_long(files, trial->max_output);
  if (forced != NULL) account->outcome = forced;
  else if (stream != NULL) {
    account->outcome = "output_limit";
    account->step = stream;
  }
}

/* Moves a descriptor out of the way of those that a subject is given. */
static bool lift(int *file) {
  int lifted = fcntl(*file, F_DUPFD_CLOEXEC, 10);
  if (lifted < 0) return false;
  close(*file);
  *file = lifted;
  return true;
}

/* Waits until the forked subject is in its group, which the end of its descriptor tells too: then it has failed, or died. */
static void wait_for_group(int ready) {
  char word;
  while (read(ready, &word, 1) < 0 && errno == EINTR) continue;
}

static void run_trial(const struct trial *trial, struct account *account) {
  int files[3] = {-1, -1, -1}, report[2] = {-1, -1}, ready[2] = {-1, -1}, start[2] = {-1, -1};
  cpu_set_t *scratch = must(malloc(cpus.bytes));
  keep_off(trial->cpu);
  int64_t before = now_ns(CLOCK_MONOTONIC);
  bool cancel = trial->settle && settle(trial->id);
  account->settled_ns = trial->settle ? now_ns(CLOCK_MONOTONIC) - before : 0;
  account->started_unix_ns = now_ns(CLOCK_REALTIME);
  account->started_boot_ns = account->ended_boot_ns = now_ns(CLOCK_BOOTTIME);
  account->outcome = "cancelled";
  if (!cancel && open_files(trial, files, account)) {
    bool pipes = pipe2(report, O_CLOEXEC | O_NONBLOCK) == 0 && lift(&report[1]);
    if (pipes && trial->group != NULL)
      pipes = pipe2(ready, O_CLOEXEC) == 0 && lift(&ready[1]) && pipe2(start, O_CLOEXEC) == 0 && lift(&start[0]);
    if (!pipes) not_started(account, "pipe", errno);
    else {
      pid_t launcher = getpid();
      open_counters(&account->counters);
      account->started_unix_ns = now_ns(CLOCK_REALTIME);
      account->started_boot_ns = now_ns(CLOCK_BOOTTIME);
      account->start_ns = now_ns(CLOCK_MONOTONIC);
      pid_t subject = fork();
      if (subject == 0) {
        if (trial->group != NULL) {
          close(start[1]);
          join_group(trial->group, ready[1], start[0], report[1]);
        }
        become_subject(trial, files, report[1], launcher, scratch);
      }
      if (subject > 0 && trial->group != NULL) {
        close(ready[1]);
        ready[1] = -1;
        wait_for_group(ready[0]);
        account->started_unix_ns = now_ns(CLOCK_REALTIME);
        account->started_boot_ns = now_ns(CLOCK_BOOTTIME);
        account->start_ns = now_ns(CLOCK_MONOTONIC);
        if (write(start[1], "0", 1) < 0) errno = 0; /* it has ended, which is noticed below */
      }
      if (subject < 0) not_started(account, "fork", errno);
      else {
        account->subject = subject;
        account->alive = true;
        /* Only the subject has them now: their other ends see when it closes them. */
        if (trial->requests >= 0) close(trial->requests), close(trial->answers);
        supervise(trial, files, account);
        struct failure failure;
        if (read(report[0], &failure, sizeof failure) > 0) not_started(account, STEPS[failure.step], failure.error);
      }
      read_counters(&account->counters);
    }
  }
  for (int i = 1; i < 3; i++) {
    struct stat info;
    if (files[i] >= 0 && fstat(files[i], &info) == 0 && info.st_size > trial->max_output &&
        ftruncate(files[i], trial->max_output) < 0)
      fprintf(stderr, "launcher: ftruncate: %s\n", strerror(errno));
  }
  for (int i = 0; i < 3; i++)
    if (files[i] >= 0) close(files[i]);
  for (int i = 0; i < 2; i++) {
    if (report[i] >= 0) close(report[i]);
    if (ready[i] >= 0) close(ready[i]);
    if (start[i] >= 0) close(start[i]);
  }
  free(scratch);
}
