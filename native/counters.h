/* Counters of a trial, by perf_event_open. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Some systems have no headers of their kernel. */
#if defined(__has_include)
#if __has_include(<linux/perf_event.h>)
#include <linux/perf_event.h>
#define HAS_PERF_EVENTS 1
#endif
#endif

enum counting { COUNT_NOTHING, COUNT_HARDWARE, COUNT_SOFTWARE };
#define EVENTS 4

struct counters {
  enum counting kind;
  int files[EVENTS];
  int refused; /* errno of the event that could not be opened, 0 where all are open */
  int event;   /* which one that was */
  uint64_t counts[EVENTS], enabled_ns, running_ns;
};

static void shut_counters(struct counters *counters) {
  for (int i = EVENTS - 1; i >= 0; i--)
    if (counters->files[i] >= 0) close(counters->files[i]);
  for (int i = 0; i < EVENTS; i++) counters->files[i] = -1;
}

/*
 * Opens a group of events on the launcher itself, switched off. A child inherits them, and its exec switches them on: it
 * need not wait for them to be opened. Events that are inherited cannot be read as a group on older kernels.
 */
static void open_counters(struct counters *counters) {
  for (int i = 0; i < EVENTS; i++) counters->files[i] = -1;
  if (counters->kind == COUNT_NOTHING) return;
#ifdef HAS_PERF_EVENTS
  static const uint64_t hardware[EVENTS] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                            PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_CACHE_MISSES};
  static const uint64_t software[EVENTS] = {PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CONTEXT_SWITCHES,
                                            PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CPU_MIGRATIONS};
  const bool is_hardware = counters->kind == COUNT_HARDWARE;
  for (int i = 0; i < EVENTS; i++) {
    struct perf_event_attr attr = {.size = sizeof attr, .disabled = i == 0, .enable_on_exec = i == 0, .inherit = 1};
    attr.type = is_hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
    attr.config = is_hardware ? hardware[i] : software[i];
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    /* Switches and migrations happen in the kernel. */
    attr.exclude_kernel = attr.exclude_hv = is_hardware;
    int leader = i == 0 ? -1 : counters->files[0];
    counters->files[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    if (counters->files[i] >= 0) continue;
    counters->refused = errno;
    counters->event = i;
    shut_counters(counters);
    return;
  }
#else
  counters->refused = ENOSYS;
#endif
}

/* Reads and closes them, once all descendants have ended: what they counted is then in the events that they inherited. */
static void read_counters(struct counters *counters) {
  for (int i = 0; i < EVENTS; i++) {
    if (counters->files[i] < 0) continue;
    uint64_t values[3]; /* the count, the time enabled, the time running */
    if (read(counters->files[i], values, sizeof values) != (ssize_t)sizeof values) {
      if (counters->refused == 0) counters->refused = EIO;
      values[0] = values[1] = values[2] = 0;
    }
    counters->counts[i] = values[0];
    if (i == 0) counters->enabled_ns = values[1];
    if (i == 0 || values[2] < counters->running_ns) counters->running_ns = values[2];
  }
  shut_counters(counters);
}

static void print_counters(const struct counters *counters) {
  printf(" counters=%d", (int)counters->kind);
  if (counters->kind == COUNT_NOTHING) return;
  printf(" refused=%d event=%d", counters->refused, counters->event);
  int paranoid;
  FILE *file = counters->refused == 0 ? NULL : fopen("/proc/sys/kernel/perf_event_paranoid", "re");
  if (file != NULL && fscanf(file, "%d", &paranoid) == 1) printf(" paranoid=%d", paranoid);
  if (file != NULL) fclose(file);
  for (int i = 0; i < EVENTS; i++) printf(" event%d=%llu", i, (unsigned long long)counters->counts[i]);
  printf(" enabled=%llu running=%llu", (unsigned long long)counters->enabled_ns,
         (unsigned long long)counters->running_ns);
}
