/* What a driver that works in slices answers, line by line: docs/slices.md has the protocol. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_LIMIT 512 /* bytes of a line with its end */
#define NUMBER_LIMIT (INT64_C(1) << 53)
#define MOST_COUNTS 16

/* The last four are faults; `session.h` adds those that only time can tell. */
enum reading { PARTLY, ANSWERED, ENDED, GARBAGE, UNASKED };

struct answer {
  char text[ANSWER_LIMIT + 1]; /* without the end of the line */
  size_t used;
};

/*
 * Reads once; blocks where nothing is there. What comes after the end of a line was not asked for: there is one answer
 * to a request.
 */
static enum reading read_more(int file, struct answer *answer) {
  ssize_t got = read(file, answer->text + answer->used, ANSWER_LIMIT - answer->used);
  if (got < 0) return errno == EINTR ? PARTLY : ENDED;
  if (got == 0) return ENDED;
  answer->used += (size_t)got;
  char *end = memchr(answer->text, '\n', answer->used);
  answer->text[answer->used] = '\0';
  if (end == NULL) return answer->used == ANSWER_LIMIT ? GARBAGE : PARTLY;
  if (memchr(answer->text, '\0', answer->used) != NULL) return GARBAGE;
  if (end + 1 != answer->text + answer->used) return UNASKED;
  *end = '\0';
  return ANSWERED;
}

static enum reading read_answer(int file, struct answer *answer) {
  enum reading reading = PARTLY;
  answer->used = 0;
  answer->text[0] = '\0';
  while (reading == PARTLY) reading = read_more(file, answer);
  return reading;
}

/* What stands at `*text` if it is `word`, which is then passed over. */
static bool take_word(const char **text, const char *word) {
  size_t length = strlen(word);
  if (strncmp(*text, word, length) != 0) return false;
  *text += length;
  return true;
}

/* Digits that make a number below 2^53. */
static bool take_number(const char **text, int64_t *value) {
  const char *at = *text;
  *value = 0;
  while (isdigit((unsigned char)*at) && *value < NUMBER_LIMIT) *value = *value * 10 + (*at++ - '0');
  bool ok = at != *text && *value < NUMBER_LIMIT;
  *text = at;
  return ok;
}

struct ready {
  int64_t unit, most; /* most: -1 for any number */
};

static bool parse_ready(const char *text, struct ready *ready) {
  ready->most = -1;
  if (!take_word(&text, "ready 1 unit=") || !take_number(&text, &ready->unit) || ready->unit == 0) return false;
  if (take_word(&text, " most=") && !take_number(&text, &ready->most)) return false;
  return *text == '\0';
}

struct done {
  int64_t operations, wall_ns, cpu_ns, voluntary, involuntary;
  bool busy;
  const char *counts; /* within the answer: " NAME=COUNT" any number of times */
};

static bool are_counts(const char *text) {
  int64_t count;
  for (int i = 0; *text != '\0'; i++) {
    if (i == MOST_COUNTS || *text++ != ' ' || !islower((unsigned char)*text)) return false;
    while (islower((unsigned char)*text) || isdigit((unsigned char)*text) || *text == '_') text++;
    if (*text++ != '=' || !take_number(&text, &count)) return false;
  }
  return true;
}

static bool parse_done(const char *text, struct done *done) {
  int64_t *const numbers[] = {&done->operations, &done->wall_ns, &done->cpu_ns, &done->voluntary, &done->involuntary};
  if (!take_word(&text, "done")) return false;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!take_word(&text, " ") || !take_number(&text, numbers[i])) return false;
  done->busy = take_word(&text, " busy");
  if (!done->busy && !take_word(&text, " idle")) return false;
  done->counts = text;
  return are_counts(text);
}
