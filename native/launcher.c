/*
 * Starts the subjects of a run one at a time, measures each, and leaves none of its descendants alive. Linux only.
 *
 *   launcher LOCK_PATH LOCK_WAIT_MS CPU        ("" is no lock, -1 is no CPU)
 *
 * Requests come over stdin: a length (32 bits, little-endian), then that many bytes of NUL-terminated fields:
 *   launch ID SETTLE CPU FIXED_LAYOUT REAL_TIME COUNTERS TIMEOUT_MS GRACE_MS MAX_OUTPUT CWD STDIN STDOUT STDERR ARGC
 *     argv… env…     (COUNTERS: 0 none, 1 hardware, 2 software)
 *   cancel ID
 * Replies go to stdout, one line of key=value each: `ready` or `busy` or `failed` once, then one per launch.
 *
 * The end of stdin (Assay has finished, or was killed) and SIGTERM, SIGINT, SIGHUP, SIGQUIT end the launcher: first
 * every descendant is killed, by a guard process where the launcher itself was killed. The lock is held until then.
 * Between requests nothing here runs or allocates, so that the launcher stays small: a subject's peak memory starts
 * from that of the process that forked it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Some systems have no headers of their kernel. */
#if defined(__has_include)
#if __has_include(<linux/perf_event.h>)
#include <linux/perf_event.h>
#define HAS_PERF_EVENTS 1
#endif
#endif

#define MILLISECOND INT64_C(1000000)
#define SECOND (1000 * MILLISECOND)
#define OUTPUT_WATCH_NS (20 * MILLISECOND)
#define SETTLE_LIMIT_NS (10 * SECOND)
#define SETTLE_STEP_NS (20 * MILLISECOND)
#define SETTLED_WRITEBACK_KIB 256
#define FRAME_LIMIT (UINT32_C(64) << 20)

static int signals; /* signalfd */
static bool ending; /* stdin or a signal asks the launcher to end */

static _Noreturn void die(const char *what) {
  fprintf(stderr, "launcher: %s: %s\n", what, strerror(errno));
  exit(70);
}

static void *must(void *memory) {
  if (memory == NULL) die("memory");
  return memory;
}

static int64_t now_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * SECOND + t.tv_nsec;
}

static void pause_ns(int64_t ns) {
  nanosleep(&(struct timespec){.tv_sec = ns / SECOND, .tv_nsec = ns % SECOND}, NULL);
}

/* ---- requests ------------------------------------------------------------------------------------------------- */

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

/* Sleeps until a child changes, input arrives, or the time is over (negative: no limit). */
static void wait_for_event(int64_t timeout_ns) {
  struct pollfd fds[2] = {{.fd = signals, .events = POLLIN}, {.fd = ending ? -1 : STDIN_FILENO, .events = POLLIN}};
  struct timespec limit = {.tv_sec = timeout_ns / SECOND, .tv_nsec = timeout_ns % SECOND};
  if (ppoll(fds, 2, timeout_ns < 0 ? NULL : &limit, NULL) <= 0) return;
  struct signalfd_siginfo info;
  while (fds[0].revents != 0 && read(signals, &info, sizeof info) == (ssize_t)sizeof info)
    if (info.ssi_signo != SIGCHLD) ending = true;
  if (fds[1].revents != 0) read_input();
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

/* ---- CPUs ----------------------------------------------------------------------------------------------------- */

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

/* ---- descendants ---------------------------------------------------------------------------------------------- */

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

/* ---- counters ------------------------------------------------------------------------------------------------- */

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

/* ---- one trial ------------------------------------------------------------------------------------------------ */

struct trial {
  const char *id, *cwd, *input, *output, *error;
  char **argv, **env;
  int64_t timeout_ns, grace_ns, max_output;
  int cpu;
  bool settle;
  bool fixed_layout; /* addresses are not randomised */
  bool real_time;    /* SCHED_FIFO, priority 1 */
};

struct account {
  const char *outcome;
  const char *step; /* of `not_started`; the stream of `output_limit` */
  int value;        /* exit code, signal or errno */
  pid_t subject;
  bool alive;
  int64_t start_ns, wall_ns, cpu_ns, max_rss_bytes, leftovers;
  int64_t started_boot_ns, ended_boot_ns, started_unix_ns, settled_ns;
  struct counters counters;
};

static const char *const STEPS[] = {"session", "affinity", "layout", "real-time class", "limits", "descriptors", "chdir", "exec"};
enum step { SESSION, AFFINITY, LAYOUT, REAL_TIME, LIMITS, DESCRIPTORS, CHDIR, EXEC };
struct failure {
  enum step step;
  int error;
};

/* Accounts for one process that was waited for. */
static void account_for(struct account *account, pid_t pid, int status, const struct rusage *usage) {
  if (account->alive && pid == account->subject) {
    account->wall_ns = now_ns(CLOCK_MONOTONIC) - account->start_ns;
    account->ended_boot_ns = now_ns(CLOCK_BOOTTIME);
    account->alive = false;
    account->outcome = WIFSIGNALED(status) ? "signalled" : "exited";
    account->value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }
  account->cpu_ns += (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * SECOND +
                     (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
  int64_t rss = (int64_t)usage->ru_maxrss * 1024;
  if (rss > account->max_rss_bytes) account->max_rss_bytes = rss;
}

/* Reaps what has ended, the subject first so that its clock stops early; false when there is no child left. */
static bool reap(struct account *account) {
  struct rusage usage;
  int status;
  pid_t pid = account->alive ? wait4(account->subject, &status, WNOHANG, &usage) : 0;
  if (pid > 0) account_for(account, pid, status, &usage);
  /* Bounded, so that a storm of short-lived orphans does not keep the launcher from looking at the clock. */
  for (int i = 0; i < 1024; i++) {
    pid = wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (pid == 0) return true;
    if (pid < 0) return errno != ECHILD;
    account_for(account, pid, status, &usage);
  }
  return true;
}

/* Ahead of all ordinary processes, where that is allowed (to root, mostly): a fork bomb must not starve its killer. */
static void hurry(bool on) {
  static bool hurrying;
  if (hurrying == on || (on && sched_getscheduler(0) != SCHED_OTHER)) return;
  struct sched_param param = {.sched_priority = on ? 1 : 0};
  if (sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param) == 0) hurrying = on;
}

/* Repeats until there are no descendants: whoever forked before it died has left its child to the launcher. */
static void kill_descendants(struct account *account) {
  int64_t rest = 50000;
  while (reap(account)) {
    hurry(true);
    if (signal_descendants(SIGKILL)) continue;
    pause_ns(rest);
    if (rest < 10 * MILLISECOND) rest *= 2;
  }
  hurry(false);
}

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

static _Noreturn void give_up(int report, enum step step) {
  struct failure failure = {step, errno};
  if (write(report, &failure, sizeof failure) < 0) _exit(126);
  _exit(127);
}

/* What the forked child does. */
static _Noreturn void become_subject(const struct trial *trial, const int files[3], int report, pid_t launcher,
                                     cpu_set_t *scratch) {
  if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) give_up(report, SESSION);
  if (getppid() != launcher) _exit(126); /* it died before prctl */
  if ((trial->cpu >= 0 || cpus.own >= 0 || cpus.avoided >= 0) && set_cpu(scratch, trial->cpu) < 0)
    give_up(report, AFFINITY);
  if (trial->fixed_layout && personality(ADDR_NO_RANDOMIZE) < 0) give_up(report, LAYOUT);
  if (trial->real_time && sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}) < 0)
    give_up(report, REAL_TIME);
  if (setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}) < 0) give_up(report, LIMITS);
  for (int i = 0; i < 3; i++)
    if (dup2(files[i], i) < 0) give_up(report, DESCRIPTORS);
  if (chdir(trial->cwd) < 0) give_up(report, CHDIR);
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int i = 1; i < NSIG; i++) sigaction(i, &standard, NULL); /* fails for those that cannot be changed */
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(trial->argv[0], trial->argv, trial->env);
  give_up(report, EXEC);
}

static void not_started(struct account *account, const char *step, int error) {
  account->outcome = "not_started";
  account->step = step;
  account->value = error;
}

/* The three files of the subject; false (and the account says why) when one cannot be opened. */
static bool open_files(const struct trial *trial, int files[3], struct account *account) {
  /* O_APPEND: two writers never overwrite each other, nor leave a hole after a truncation. */
  const int create = O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
  struct stat info;
  files[0] = open(trial->input, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* a pipe must not block here */
  if (files[0] < 0 || fcntl(files[0], F_SETFL, 0) < 0 || fstat(files[0], &info) < 0)
    return not_started(account, "stdin", errno), false;
  if (S_ISFIFO(info.st_mode)) return not_started(account, "stdin", EINVAL), false;
  files[1] = open(trial->output, create, 0600);
  if (files[1] < 0) return not_started(account, "stdout", errno), false;
  files[2] = open(trial->error, create, 0600);
  if (files[2] < 0) return not_started(account, "stderr", errno), false;
  return true;
}

/* The name of the output that is longer than allowed, if one is. */
static const char *too_long(const int files[3], int64_t limit) {
  struct stat info;
  if (fstat(files[1], &info) == 0 && info.st_size > limit) return "stdout";
  if (fstat(files[2], &info) == 0 && info.st_size > limit) return "stderr";
  return NULL;
}

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

static void run_trial(const struct trial *trial, struct account *account) {
  int files[3] = {-1, -1, -1}, report[2] = {-1, -1};
  cpu_set_t *scratch = must(malloc(cpus.bytes));
  keep_off(trial->cpu);
  int64_t before = now_ns(CLOCK_MONOTONIC);
  bool cancel = trial->settle && settle(trial->id);
  account->settled_ns = trial->settle ? now_ns(CLOCK_MONOTONIC) - before : 0;
  account->started_unix_ns = now_ns(CLOCK_REALTIME);
  account->started_boot_ns = account->ended_boot_ns = now_ns(CLOCK_BOOTTIME);
  account->outcome = "cancelled";
  if (!cancel && open_files(trial, files, account)) {
    if (pipe2(report, O_CLOEXEC | O_NONBLOCK) < 0) not_started(account, "pipe", errno);
    else {
      pid_t launcher = getpid();
      open_counters(&account->counters);
      account->started_unix_ns = now_ns(CLOCK_REALTIME);
      account->started_boot_ns = now_ns(CLOCK_BOOTTIME);
      account->start_ns = now_ns(CLOCK_MONOTONIC);
      pid_t subject = fork();
      if (subject == 0) become_subject(trial, files, report[1], launcher, scratch);
      if (subject < 0) not_started(account, "fork", errno);
      else {
        account->subject = subject;
        account->alive = true;
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
  for (int i = 0; i < 2; i++)
    if (report[i] >= 0) close(report[i]);
  free(scratch);
}

static void answer(struct request *request) {
  char **field = request->fields;
  errno = EPROTO;
  if (strcmp(field[0], "cancel") == 0) return; /* of a launch that has ended */
  if (request->count < 15 || strcmp(field[0], "launch") != 0) die("request");
  int64_t argc = number(field[14]);
  errno = EPROTO;
  if (argc < 1 || argc > (int64_t)request->count - 15) die("arguments");
  struct trial trial = {.id = field[1], .settle = number(field[2]) != 0, .cpu = (int)number(field[3]),
                        .fixed_layout = number(field[4]) != 0, .real_time = number(field[5]) != 0,
                        .timeout_ns = number(field[7]) * MILLISECOND, .grace_ns = number(field[8]) * MILLISECOND,
                        .max_output = number(field[9]), .cwd = field[10], .input = field[11], .output = field[12],
                        .error = field[13], .argv = field + 15, .env = field + 15 + argc + 1};
  memmove(trial.env, trial.argv + argc, (request->count - 15 - (size_t)argc) * sizeof *field);
  trial.argv[argc] = NULL;
  struct account account = {.step = "-", .counters.kind = (enum counting)number(field[6])};
  run_trial(&trial, &account);
  printf("id=%s outcome=%s step=%s value=%d wall=%lld cpu=%lld rss=%lld leftovers=%lld boot0=%lld boot1=%lld "
         "unix=%lld settled=%lld",
         trial.id, account.outcome, account.step, account.value, (long long)account.wall_ns, (long long)account.cpu_ns,
         (long long)account.max_rss_bytes, (long long)account.leftovers, (long long)account.started_boot_ns,
         (long long)account.ended_boot_ns, (long long)(account.started_unix_ns / MILLISECOND),
         (long long)account.settled_ns);
  print_counters(&account.counters);
  putchar('\n');
  fflush(stdout);
}

/* ---- start ---------------------------------------------------------------------------------------------------- */

static _Noreturn void refuse(const char *step) {
  printf("failed step=%s value=%d\n", step, errno);
  exit(1);
}

/* An earlier launcher may still be killing its descendants after its Assay was killed: this waits for it. */
static void take_lock(const char *path, int64_t wait_ns) {
  int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (file < 0) refuse("lock");
  int64_t deadline = now_ns(CLOCK_MONOTONIC) + wait_ns;
  while (flock(file, LOCK_EX | LOCK_NB) < 0) {
    if (errno != EWOULDBLOCK) refuse("lock");
    if (now_ns(CLOCK_MONOTONIC) >= deadline) {
      printf("busy\n");
      exit(1);
    }
    wait_for_event(20 * MILLISECOND);
    if (ending) exit(0);
  }
  if (ftruncate(file, 0) < 0 || dprintf(file, "%d %d\n", getppid(), getpid()) < 0) refuse("lock");
}

/*
 * Puts a guard above the launcher, which this process then is. A launcher that was killed leaves its descendants to the
 * guard, which kills them; both hold the lock, so that it is free only after that. Where the guard is killed, the
 * launcher gets a signal to end.
 */
static void fork_launcher(const sigset_t *watched) {
  pid_t guard = getpid(), launcher = fork();
  if (launcher < 0) refuse("fork");
  if (launcher == 0) {
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) < 0) refuse("subreaper");
    if (getppid() != guard) exit(1); /* it died before prctl */
    return;
  }
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  int status = 0, signal;
  while (waitpid(launcher, &status, WNOHANG) == 0)
    if (sigwait(watched, &signal) == 0 && signal != SIGCHLD) kill(launcher, SIGTERM);
  struct account nobody = {.step = "-"};
  kill_descendants(&nobody);
  if (WIFSIGNALED(status)) kill(guard, SIGKILL); /* Assay sees how the launcher ended */
  exit(WEXITSTATUS(status));
}

static void close_inherited(void) {
  DIR *open_files = opendir("/proc/self/fd");
  if (open_files == NULL) die("/proc/self/fd");
  for (struct dirent *entry; (entry = readdir(open_files)) != NULL;) {
    int file = atoi(entry->d_name);
    if (file > STDERR_FILENO && file != dirfd(open_files)) close(file);
  }
  closedir(open_files);
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  close_inherited();
  setsid(); /* fails where Assay has done so: fine */
  signal(SIGPIPE, SIG_IGN);
  sigset_t watched;
  sigemptyset(&watched);
  const int numbers[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(&watched, numbers[i]);
  sigprocmask(SIG_SETMASK, &watched, NULL);
  signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) die("signalfd");
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) refuse("subreaper");
  read_allowed_cpus();
  int own = (int)number(argv[3]);
  if (own >= 0) {
    cpu_set_t *scratch = must(malloc(cpus.bytes));
    if (set_cpu(scratch, own) < 0) refuse("affinity");
    free(scratch);
    cpus.own = own;
  }
  if (argv[1][0] != '\0') take_lock(argv[1], number(argv[2]) * MILLISECOND);
  fork_launcher(&watched);
  printf("ready page=%ld\n", sysconf(_SC_PAGESIZE));
  fflush(stdout);
  while (!ending) {
    struct request request;
    if (take_request(&request)) {
      answer(&request);
      free_request(&request);
    } else wait_for_event(-1);
  }
  return 0;
}
