/* Time in nanoseconds. */
#pragma once

#include <stdint.h>
#include <time.h>

#define MILLISECOND INT64_C(1000000)
#define SECOND (1000 * MILLISECOND)

static int64_t now_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * SECOND + t.tv_nsec;
}

static void pause_ns(int64_t ns) {
  nanosleep(&(struct timespec){.tv_sec = ns / SECOND, .tv_nsec = ns % SECOND}, NULL);
}
