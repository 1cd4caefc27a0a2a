// Counters of the thread that a trial runs on, by perf_event_open: one group, so that all its events run at the same
// time. Included by driver_main.h.
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "driver.h"
#include "text.h"

// Some systems have no headers of their kernel.
#if __has_include(<linux/perf_event.h>)
#include <linux/perf_event.h>
#define ASSAY_HAS_PERF_EVENTS 1
#endif

namespace assay {

class CounterGroup {
 public:
  // Opens the events of `kind` ("hardware" or "software"; "off" is none) on the calling thread, switched off. Threads
  // that it starts do not inherit them. Where it fails, the trial goes on, and Close() says why.
  static void Open(const std::string& kind) {
    CounterGroup& group = Instance();
    if (kind == "off") return;
    group.kind_ = kind;
    group.thread_ = pthread_self();
    group.OpenEvents();
  }

  // What was counted since, as the part of the result line; empty where nothing was to be.
  static std::string Close() {
    CounterGroup& group = Instance();
    if (group.kind_.empty()) return "";
    const std::string found = group.Read();
    for (const int file : group.files_) close(file);
    group = CounterGroup();
    return found;
  }

  // What was counted since this was asked last, as a part of the answer to a slice; empty where nothing can be.
  static std::string Since() {
    CounterGroup& group = Instance();
    if (group.kind_.empty() || !group.reason_.empty()) return "";
    std::vector<uint64_t> values = group.Values();
    if (values.empty()) return "";
    group.before_.resize(values.size());
    std::string text;
    for (size_t i = 1; i < values.size(); i++) {
      const std::string name = i == 1 ? "enabled" : i == 2 ? "running" : group.events_[i - 3].name;
      text += " " + name + "=" + std::to_string(values[i] - group.before_[i]);
    }
    group.before_ = std::move(values);
    return text;
  }

  static void Enable() { Instance().Switch(kOn); }
  static void Disable() { Instance().Switch(kOff); }

 private:
  struct Event {
    std::string name;
    uint64_t config;
  };

#ifdef ASSAY_HAS_PERF_EVENTS
  static constexpr unsigned long kOn = PERF_EVENT_IOC_ENABLE;
  static constexpr unsigned long kOff = PERF_EVENT_IOC_DISABLE;

  static std::vector<Event> Events(bool is_hardware) {
    if (!is_hardware) {
      return {{"task_clock", PERF_COUNT_SW_TASK_CLOCK},
              {"context_switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
              {"page_faults", PERF_COUNT_SW_PAGE_FAULTS},
              {"cpu_migrations", PERF_COUNT_SW_CPU_MIGRATIONS}};
    }
    return {{"cycles", PERF_COUNT_HW_CPU_CYCLES},
            {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
            {"branch_misses", PERF_COUNT_HW_BRANCH_MISSES},
            {"cache_misses", PERF_COUNT_HW_CACHE_MISSES}};
  }

  void OpenEvents() {
    const bool is_hardware = kind_ == "hardware";
    events_ = Events(is_hardware);
    for (const Event& event : events_) {
      perf_event_attr attributes;
      memset(&attributes, 0, sizeof attributes);
      attributes.size = sizeof attributes;
      attributes.type = is_hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
      attributes.config = event.config;
      attributes.disabled = files_.empty();
      // Context switches and migrations happen in the kernel.
      attributes.exclude_kernel = attributes.exclude_hv = is_hardware;
      attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
      const int leader = files_.empty() ? -1 : files_[0];
      const long file = syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
      if (file < 0) {
        reason_ = Reason(event.name, errno);
        return;
      }
      files_.push_back(static_cast<int>(file));
    }
  }

  void Switch(unsigned long request) {
    if (kind_.empty() || !reason_.empty()) return;
    if (pthread_equal(pthread_self(), thread_) == 0) {
      reason_ = "the timed region ran on a thread that was not counted";
    } else if (ioctl(files_[0], request, PERF_IOC_FLAG_GROUP) != 0) {
      reason_ = std::string("the events could not be switched: ") + strerror(errno);
    }
  }
#else
  static constexpr unsigned long kOn = 0;
  static constexpr unsigned long kOff = 0;
  void OpenEvents() {
    reason_ = Reason("", ENOSYS);
  }
  void Switch(unsigned long) {}
#endif

  static CounterGroup& Instance() {
    static CounterGroup group;
    return group;
  }

  // How many events there are, time enabled, time running, their counts; nothing where they cannot be read.
  std::vector<uint64_t> Values() {
    std::vector<uint64_t> values(3 + events_.size());
    const size_t bytes = values.size() * sizeof values[0];
    if (!reason_.empty()) return {};
    if (read(files_[0], values.data(), bytes) == static_cast<ssize_t>(bytes)) return values;
    reason_ = "the events could not be read";
    return {};
  }

  std::string Read() {
    const std::vector<uint64_t> values = Values();
    const std::string start = "{\"kind\": " + JsonString(kind_) + ", ";
    if (!reason_.empty()) return start + "\"unsupported\": " + JsonString(reason_) + "}";
    std::vector<std::string> counts;
    for (size_t i = 0; i < events_.size(); i++) {
      counts.push_back(JsonString(events_[i].name) + ": " + std::to_string(values[3 + i]));
    }
    return start + "\"events\": {" + Joined(counts, ", ") + "}, \"enabled_ns\": " + std::to_string(values[1]) +
           ", \"running_ns\": " + std::to_string(values[2]) + "}";
  }

  // Why an event could not be opened, with the remedy; src/trial/counter-reason.ts says the same of the launcher's.
  std::string Reason(const std::string& event, int error) const {
    switch (error) {
      case EACCES:
      case EPERM: {
        const char* const name = error == EACCES ? "EACCES" : "EPERM";
        return std::string("perf_event_open is forbidden (") + name + Paranoid() + "): set it to " +
               (kind_ == "hardware" ? "2" : "1") + " or less, or give CAP_PERFMON; in a container, allow the call";
      }
      case ENOENT:
      case EOPNOTSUPP:
      case ENODEV:
        return "this machine has no " + kind_ + " counter for " + event + " (" +
               (error == ENOENT   ? "ENOENT"
                : error == ENODEV ? "ENODEV"
                                  : "EOPNOTSUPP") +
               "): virtual machines often have none";
      case ENOSYS:
        return "this system has no perf_event_open (ENOSYS)";
      case EINVAL:
        return "the kernel refuses " + event +
               " in this group of events (EINVAL): the machine may count fewer at a time";
      default:
        return "perf_event_open failed for " + event + " (" + strerror(error) + ")";
    }
  }

  static std::string Paranoid() {
    int level = 0;
    FILE* const file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    const bool known = file != nullptr && fscanf(file, "%d", &level) == 1;
    if (file != nullptr) fclose(file);
    return known ? ", kernel.perf_event_paranoid is " + std::to_string(level) : "";
  }

  std::string kind_;  // empty: nothing is counted
  pthread_t thread_{};
  std::vector<Event> events_;
  std::vector<int> files_;        // the first leads the group
  std::vector<uint64_t> before_;  // as Since() found them last
  std::string reason_;            // why nothing can be counted; empty where it can
};

CountedRegion::CountedRegion() {
  CounterGroup::Enable();
}

CountedRegion::~CountedRegion() {
  CounterGroup::Disable();
}

}  // namespace assay
