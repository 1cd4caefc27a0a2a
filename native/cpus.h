/* Which CPUs the launcher and its subjects run on. */
#pragma once

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fatal.h"

static struct {
  cpu_set_t *allowed; /* what the launcher was started with: what a subject without a CPU of its own gets */
  size_t bytes;
  int own;     /* the launcher's CPU, -1 where none was asked for */
  int avoided; /* the CPU that the launcher keeps off, -1 for none */
} cpus = {NULL, 0, -1, -1};

static void read_allowed_cpus(void) {
  for (int capacity = 1024;; capacity *= 2) {
    cpus.allowed = must(CPU_ALLOC((size_t)capacity));
    cpus.bytes = CPU_ALLOC_SIZE((size_t)capacity);
    if (sched_getaffinity(0, cpus.bytes, cpus.allowed) == 0) return;
    CPU_FREE(cpus.allowed);
    if (errno != EINVAL || capacity > 1 << 20) die("sched_getaffinity");
  }
}

/* To one CPU, or (negative) to all that were allowed at first. Allocates nothing: it is called after fork, too. */
static int set_cpu(cpu_set_t *scratch, int cpu) {
  if (cpu < 0) return sched_setaffinity(0, cpus.bytes, cpus.allowed);
  CPU_ZERO_S(cpus.bytes, scratch);
  CPU_SET_S((size_t)cpu, cpus.bytes, scratch);
  return sched_setaffinity(0, cpus.bytes, scratch);
}

/* Off the subject's CPU, where there is another one. Failure leaves the launcher where it is. */
static void keep_off(int cpu) {
  if (cpus.own >= 0 || cpu == cpus.avoided) return;
  cpu_set_t *others = must(malloc(cpus.bytes));
  memcpy(others, cpus.allowed, cpus.bytes);
  if (cpu >= 0) CPU_CLR_S((size_t)cpu, cpus.bytes, others);
  if (CPU_COUNT_S(cpus.bytes, others) > 0) sched_setaffinity(0, cpus.bytes, others);
  cpus.avoided = cpu;
  free(others);
}
