/* Requests over stdin, and the sleep until one comes, a child changes or a signal asks for the end. */
#pragma once

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clock.h"
#include "fatal.h"

#define FRAME_LIMIT (UINT32_C(64) << 20)

static int signals; /* signalfd */
static bool ending; /* stdin or a signal asks the launcher to end */

static struct {
  char *bytes;
  size_t used, capacity;
} input;

static void read_input(void) {
  if (input.capacity - input.used < 4096) {
    input.capacity = input.capacity * 2 + 8192;
    input.bytes = must(realloc(input.bytes, input.capacity));
  }
  ssize_t got = read(STDIN_FILENO, input.bytes + input.used, input.capacity - input.used);
  if (got > 0) input.used += (size_t)got;
  else if (got == 0 || (errno != EINTR && errno != EAGAIN)) ending = true;
}

/* Sleeps until a child changes, input arrives, `file` (-1 for none) can be read, or the time is over (negative: no limit). */
static bool wait_for_file(int file, int64_t timeout_ns) {
  struct pollfd fds[3] = {{.fd = signals, .events = POLLIN},
                          {.fd = ending ? -1 : STDIN_FILENO, .events = POLLIN},
                          {.fd = file, .events = POLLIN}};
  struct timespec limit = {.tv_sec = timeout_ns / SECOND, .tv_nsec = timeout_ns % SECOND};
  if (ppoll(fds, 3, timeout_ns < 0 ? NULL : &limit, NULL) <= 0) return false;
  struct signalfd_siginfo info;
  while (fds[0].revents != 0 && read(signals, &info, sizeof info) == (ssize_t)sizeof info)
    if (info.ssi_signo != SIGCHLD) ending = true;
  if (fds[1].revents != 0) read_input();
  return fds[2].revents != 0;
}

static void wait_for_event(int64_t timeout_ns) {
  wait_for_file(-1, timeout_ns);
}

struct request {
  char *bytes;
  char **fields; /* as many as `count`, then room for two NULLs */
  size_t count;
};

/* The next whole request, if there is one. */
static bool take_request(struct request *request) {
  if (input.used < 4) return false;
  const unsigned char *head = (const unsigned char *)input.bytes;
  uint32_t length = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24;
  errno = EPROTO;
  if (length == 0 || length > FRAME_LIMIT) die("request length");
  if (input.used - 4 < length) return false;
  if (input.bytes[4 + length - 1] != '\0') die("request end");
  request->bytes = must(malloc(length));
  memcpy(request->bytes, input.bytes + 4, length);
  input.used -= 4 + length;
  memmove(input.bytes, input.bytes + 4 + length, input.used);
  request->count = 0;
  for (uint32_t i = 0; i < length; i++) request->count += request->bytes[i] == '\0';
  request->fields = must(calloc(request->count + 2, sizeof(char *)));
  char *field = request->bytes;
  for (size_t i = 0; i < request->count; i++, field += strlen(field) + 1) request->fields[i] = field;
  return true;
}

static void free_request(struct request *request) {
  free(request->fields);
  free(request->bytes);
}

/* True when a request to cancel this launch has arrived; one for an earlier launch came too late and is dropped. */
static bool cancelled(const char *id) {
  struct request request;
  bool yes = false;
  while (take_request(&request)) {
    errno = EPROTO;
    if (request.count != 2 || strcmp(request.fields[0], "cancel") != 0) die("request during a launch");
    if (strcmp(request.fields[1], id) == 0) yes = true;
    free_request(&request);
  }
  return yes;
}

static int64_t number(const char *text) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno == 0 && (end == text || *end != '\0')) errno = EPROTO;
  if (errno != 0) die("number");
  return value;
}
