/* Processes that descend from the caller: found in /proc, counted, signalled. */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct process {
  pid_t pid, parent, group;
  bool alive; /* not a zombie */
  bool ours;  /* its ancestry leads to the launcher */
};

struct processes {
  struct process *list; /* sorted by pid */
  size_t count, capacity;
};

static int by_pid(const void *a, const void *b) {
  pid_t left = ((const struct process *)a)->pid, right = ((const struct process *)b)->pid;
  return (left > right) - (left < right);
}

static struct process *find_process(const struct processes *all, pid_t pid) {
  struct process key = {.pid = pid};
  return all->count == 0 ? NULL : bsearch(&key, all->list, all->count, sizeof key, by_pid);
}

static bool read_process(int proc, const char *name, struct process *process) {
  char path[32], text[512];
  if ((size_t)snprintf(path, sizeof path, "%s/stat", name) >= sizeof path) return false;
  int file = openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  if (got <= 0) return false;
  text[got] = '\0';
  /* The name in parentheses may hold anything; no later field holds a parenthesis. */
  const char *rest = strrchr(text, ')');
  char state;
  int parent, group;
  if (rest == NULL || sscanf(rest + 1, " %c %d %d", &state, &parent, &group) != 3) return false;
  *process = (struct process){atoi(name), parent, group, state != 'Z' && state != 'X', false};
  return true;
}

/* Every process of the machine, the launcher's descendants marked. */
static void scan_processes(struct processes *all) {
  all->count = 0;
  DIR *proc = opendir("/proc");
  if (proc == NULL) return;
  for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (all->count == all->capacity) {
      size_t capacity = all->capacity * 2 + 256;
      struct process *list = realloc(all->list, capacity * sizeof *list);
      if (list == NULL) break; /* the caller tries again until nothing is left */
      all->list = list;
      all->capacity = capacity;
    }
    if (read_process(dirfd(proc), entry->d_name, &all->list[all->count])) all->count++;
  }
  closedir(proc);
  qsort(all->list, all->count, sizeof *all->list, by_pid);
  pid_t self = getpid();
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < all->count; i++) {
      struct process *process = &all->list[i];
      if (process->ours) continue;
      const struct process *parent = find_process(all, process->parent);
      process->ours = process->parent == self || (parent != NULL && parent->ours);
      changed |= process->ours;
    }
  }
}

static struct processes current, previous;

static int64_t count_descendants(void) {
  int64_t count = 0;
  scan_processes(&current);
  for (size_t i = 0; i < current.count; i++) count += current.list[i].ours && current.list[i].alive;
  return count;
}

/* Sends a signal to all descendants; true when there was one that the last call did not see. */
static bool signal_descendants(int signal) {
  struct processes swap = previous;
  previous = current;
  current = swap;
  scan_processes(&current);
  bool found_new = false;
  for (size_t i = 0; i < current.count; i++) {
    const struct process *process = &current.list[i];
    if (!process->ours || !process->alive) continue;
    const struct process *before = find_process(&previous, process->pid);
    found_new |= before == NULL || !before->ours;
    kill(process->pid, signal);
    /* Killing a group is atomic: no member can fork away. All its members are ours: each trial is a session. */
    if (signal == SIGKILL && process->group > 1 && process->group != getpgrp()) kill(-process->group, SIGKILL);
    /* A stopped process would not see a request to end. */
    if (signal == SIGTERM) kill(process->pid, SIGCONT);
  }
  return found_new;
}
