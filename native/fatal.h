/* What the launcher cannot go on after: said on stderr, exit code 70. */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void die(const char *what) {
  fprintf(stderr, "launcher: %s: %s\n", what, strerror(errno));
  exit(70);
}

static void *must(void *memory) {
  if (memory == NULL) die("memory");
  return memory;
}
