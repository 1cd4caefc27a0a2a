// Makes a benchmark work in slices, for Assay: `assay driver-check -- ./driver …` says whether it does. One header for
// C++17, of the standard library and POSIX alone; copy it if you like. The protocol is in docs/slices.md.
//
//   int main(int argc, char** argv) {
//     …                                            // set up
//     assay::Slices slices;
//     slices.work = [&](uint64_t operations) { … };  // does so many
//     if (assay::IsServing(argc, argv)) {
//       const std::optional<uint64_t> done = assay::Serve(slices);
//       return done ? assay::PrintResult(*done, Verify(*done)) : 1;
//     }
#pragma once

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

struct Slices {
  uint64_t unit = 1;             // the numbers of operations are multiples of it
  std::optional<uint64_t> most;  // how many operations can be done in all; none: any number
  // Does so many operations. What it throws leaves Serve.
  std::function<void(uint64_t operations)> work;
  // Whether no background work is going on; where there is some, it is waited for before the other arm gets its turn.
  std::function<bool()> idle;
  // Just before the clock starts, and just after it stops: to count events. What `end` returns goes into the answer,
  // such as " cycles=12 instructions=34 enabled=9 running=9".
  std::function<void()> begin;
  std::function<std::string()> end;
};

// Whether Assay asks for slices: the command ends with --serve.
inline bool IsServing(int argc, char** argv) {
  return argc > 1 && std::string_view(argv[argc - 1]) == "--serve";
}

namespace slices_internal {

constexpr int kRequests = 3;
constexpr int kAnswers = 4;
constexpr size_t kLongestLine = 512;

class Requests {
 public:
  // The next line without its end; none at the end of the requests, or where a line is too long.
  std::optional<std::string_view> Next() {
    memmove(bytes_, bytes_ + taken_, used_ - taken_);
    used_ -= taken_;
    taken_ = 0;
    for (;;) {
      const void* const end = memchr(bytes_, '\n', used_);
      if (end != nullptr) {
        const size_t length = static_cast<size_t>(static_cast<const char*>(end) - bytes_);
        taken_ = length + 1;
        return std::string_view(bytes_, length);
      }
      const ssize_t got = read(kRequests, bytes_ + used_, kLongestLine - used_);
      if (got > 0) used_ += static_cast<size_t>(got);
      if (got == 0 || (got < 0 && errno != EINTR)) return std::nullopt;
    }
  }

 private:
  char bytes_[kLongestLine];
  size_t used_ = 0;
  size_t taken_ = 0;
};

inline bool Answer(std::string_view line) {
  for (size_t at = 0; at < line.size();) {
    const ssize_t written = write(kAnswers, line.data() + at, line.size() - at);
    if (written > 0) at += static_cast<size_t>(written);
    if (written < 0 && errno != EINTR) return false;
  }
  return true;
}

// Takes digits that make a number below 10^18.
inline bool TakeNumber(std::string_view* text, uint64_t* value) {
  size_t digits = 0;
  *value = 0;
  while (digits < text->size() && digits < 18 && (*text)[digits] >= '0' && (*text)[digits] <= '9') {
    *value = *value * 10 + static_cast<uint64_t>((*text)[digits++] - '0');
  }
  text->remove_prefix(digits);
  return digits > 0;
}

inline bool TakeWord(std::string_view* text, std::string_view word) {
  if (text->substr(0, word.size()) != word) return false;
  text->remove_prefix(word.size());
  return true;
}

inline int64_t ClockNs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

inline char* PutWord(char* at, std::string_view word) {
  memcpy(at, word.data(), word.size());
  return at + word.size();
}

inline char* PutNumber(char* at, int64_t value) {
  char digits[20];
  char* first = digits + sizeof digits;
  do {
    *--first = static_cast<char>('0' + value % 10);
  } while ((value /= 10) != 0);
  return PutWord(at, std::string_view(first, static_cast<size_t>(digits + sizeof digits - first)));
}

// Context switches of this thread; of the process where the system does not tell them apart.
inline void ReadSwitches(rusage* usage) {
#ifdef RUSAGE_THREAD
  getrusage(RUSAGE_THREAD, usage);
#else
  getrusage(RUSAGE_SELF, usage);
#endif
}

inline bool DoSlice(const Slices& slices, uint64_t prelude, uint64_t operations) {
  if (prelude > 0) slices.work(prelude);
  rusage before, after;
  ReadSwitches(&before);
  if (slices.begin) slices.begin();
  const int64_t cpu_start = ClockNs(CLOCK_THREAD_CPUTIME_ID);
  const int64_t start = ClockNs(CLOCK_MONOTONIC);
  slices.work(operations);
  const int64_t wall_ns = ClockNs(CLOCK_MONOTONIC) - start;
  const int64_t cpu_ns = ClockNs(CLOCK_THREAD_CPUTIME_ID) - cpu_start;
  const std::string counts = slices.end ? slices.end() : std::string();
  ReadSwitches(&after);
  // Formatted by hand: a turn costs some microseconds.
  char line[kLongestLine];
  char* end = PutNumber(PutWord(line, "done "), static_cast<int64_t>(operations));
  for (const int64_t number :
       {wall_ns, cpu_ns, int64_t{after.ru_nvcsw - before.ru_nvcsw}, int64_t{after.ru_nivcsw - before.ru_nivcsw}}) {
    *end++ = ' ';
    end = PutNumber(end, number);
  }
  end = PutWord(end, !slices.idle || slices.idle() ? " idle" : " busy");
  if (counts.size() >= static_cast<size_t>(line + sizeof line - end)) return false;
  end = PutWord(end, counts);
  *end++ = '\n';
  return Answer(std::string_view(line, static_cast<size_t>(end - line)));
}

}  // namespace slices_internal

// Works as Assay asks. Returns how many operations were done in all, timed or not, once Assay says that it is enough:
// verify them then. Returns nothing where Assay has given up; end with exit code 1 then.
inline std::optional<uint64_t> Serve(const Slices& slices) {
  using namespace slices_internal;
  const std::string most = slices.most ? " most=" + std::to_string(*slices.most) : "";
  if (!Answer("ready 1 unit=" + std::to_string(slices.unit) + most + "\n")) return std::nullopt;
  Requests requests;
  uint64_t total = 0;
  while (const std::optional<std::string_view> request = requests.Next()) {
    std::string_view text = *request;
    uint64_t prelude = 0, operations = 0;
    if (text == "finish") return total;
    if (text == "rest") {
      while (slices.idle && !slices.idle()) usleep(500);
      if (!Answer("rested\n")) return std::nullopt;
    } else if (TakeWord(&text, "slice ") && TakeNumber(&text, &prelude) && TakeWord(&text, " ") &&
               TakeNumber(&text, &operations) && text.empty()) {
      total += prelude + operations;
      if (!DoSlice(slices, prelude, operations)) return std::nullopt;
    } else {
      fprintf(stderr, "no request of the protocol of slices: %.*s\n", static_cast<int>(request->size()),
              request->data());
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// One thing that was verified. `name` and `detail` must need no escapes in JSON.
struct Verified {
  std::string name;
  bool ok;
  std::string detail;  // what is wrong; empty where nothing is
};

// Prints the result line, with metrics of a trial that is not in slices. Returns the exit code: 0, or 1 where something
// is not ok.
inline int PrintResult(uint64_t operations, const std::vector<Verified>& checks,
                       const std::vector<std::pair<std::string, int64_t>>& metrics = {}) {
  bool ok = true;
  printf("{\"metrics\": {");
  for (const auto& metric : metrics) {
    printf("%s\"%s\": %lld", &metric == &metrics[0] ? "" : ", ", metric.first.c_str(),
           static_cast<long long>(metric.second));
  }
  printf("}, \"checks\": {");
  for (const Verified& check : checks) {
    printf("%s\"%s\": {\"ok\": %s, \"detail\": \"%s\"}", &check == &checks[0] ? "" : ", ", check.name.c_str(),
           check.ok ? "true" : "false", check.detail.c_str());
    ok = ok && check.ok;
  }
  printf("}");
  if (operations > 0) printf(", \"operations\": %llu", static_cast<unsigned long long>(operations));
  printf("}\n");
  return fflush(stdout) == 0 && ok ? 0 : 1;
}

}  // namespace assay
