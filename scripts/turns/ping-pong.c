/*
 * ping-pong CPU TURNS CLASS: two processes on one CPU hand a line to and fro over blocking pipes; prints ns a turn.
 * CLASS is `real-time` or `ordinary`; exit code 3 where it is not allowed.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  int ping[2], pong[2];
  char line[64];
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(atoi(argv[1]), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0 || pipe(ping) != 0 || pipe(pong) != 0) return 1;
  const struct sched_param param = {.sched_priority = 1};
  if (strcmp(argv[3], "real-time") == 0 && sched_setscheduler(0, SCHED_FIFO, &param) != 0) return 3;
  if (fork() == 0) {
    close(ping[1]);
    while (read(ping[0], line, sizeof line) > 0)
      if (write(pong[1], "done 1 40 40 0 0 idle\n", 22) != 22) return 1;
    return 0;
  }
  const long turns = atol(argv[2]);
  const long long start = now_ns();
  for (long i = 0; i < turns; i++)
    if (write(ping[1], "slice 0 1\n", 10) != 10 || read(pong[0], line, sizeof line) != 22) return 1;
  printf("%lld\n", (now_ns() - start) / turns);
  return 0;
}
