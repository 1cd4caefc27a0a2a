/* The wait until what earlier trials wrote has reached the disk. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "requests.h"

#define SETTLE_LIMIT_NS (10 * SECOND)
#define SETTLE_STEP_NS (20 * MILLISECOND)
#define SETTLED_WRITEBACK_KIB 256

/* KiB that wait for, and are under, write-back. */
static void read_writeback(long *dirty, long *writeback) {
  char line[128];
  *dirty = *writeback = 0;
  FILE *file = fopen("/proc/meminfo", "re");
  if (file == NULL) return;
  while (fgets(line, sizeof line, file) != NULL) {
    sscanf(line, "Dirty: %ld", dirty);
    sscanf(line, "Writeback: %ld", writeback);
  }
  fclose(file);
}

/* `sync`, then a wait until write-back is over, or has not fallen for five looks. True when cancelled meanwhile. */
static bool settle(const char *id) {
  int64_t start = now_ns(CLOCK_MONOTONIC);
  long dirty, writeback, least = -1;
  sync();
  for (int looks = 0; looks < 5 && now_ns(CLOCK_MONOTONIC) - start < SETTLE_LIMIT_NS; looks++) {
    read_writeback(&dirty, &writeback);
    if (writeback <= SETTLED_WRITEBACK_KIB) break;
    if (least < 0 || dirty + writeback < least) {
      least = dirty + writeback;
      looks = 0;
    }
    wait_for_event(SETTLE_STEP_NS);
    if (ending || cancelled(id)) return true;
  }
  return ending || cancelled(id);
}
