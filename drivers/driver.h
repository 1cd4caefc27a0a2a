// The protocol of Assay's drivers, for any engine: `driver WORKLOAD --dir DIR --name value …` runs one trial and prints
// its result line, the last line of stdout:
// {"metrics": {…}, "checks": {…}, "facts": {…}, "operations": n, "counters": {…}}
//
//   exit 0  every check is ok
//   exit 1  a check is not; the result line says which
//   exit 2  the command line is wrong; stderr says how
//
// With `--serve` at the end a workload that can works in slices instead (slices.h).
//
// Exactly one source file of a driver, that of main(), also includes driver_main.h, which has the definitions.
#pragma once

#include <time.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "slices.h"

// A timed region is a function of its own, `assay_timed_…`, that takes a pointer to what it works on. It is never
// inlined or cloned, so that tools which count instructions can name it.
#if defined(__clang__)
#define ASSAY_TIMED_REGION extern "C" __attribute__((noinline, used)) void
#else
#define ASSAY_TIMED_REGION extern "C" __attribute__((noinline, noclone, used)) void
#endif

namespace assay {

// One parameter of a workload. Make it by one of the functions below.
struct Parameter {
  enum class Type { kCount, kFlag, kChoice, kText };
  std::string name;  // without the dashes
  Type type;
  std::string fallback;  // what holds where the command line says nothing
  bool required;
  std::string unit;  // of a count; of a text, what help calls it
  std::string help;
  uint64_t least;  // of a count
  uint64_t most;
  std::vector<std::string> choices;
};

Parameter Count(std::string name, uint64_t fallback, std::string unit, std::string help, uint64_t least, uint64_t most);
// A count that may be left out.
Parameter OptionalCount(std::string name, std::string unit, std::string help, uint64_t least, uint64_t most);
Parameter Flag(std::string name, bool fallback, std::string help);
// A text that may be left out, such as a path. `placeholder` is what help calls it.
Parameter OptionalText(std::string name, std::string placeholder, std::string help);
// The first choice is the default.
Parameter Choice(std::string name, std::vector<std::string> choices, std::string help);

// The values of a workload's parameters, all of them valid. Asking for one that the workload does not have throws.
class Arguments {
 public:
  explicit Arguments(std::vector<std::pair<Parameter, std::string>> values) : values_(std::move(values)) {}
  uint64_t Count(std::string_view name) const;
  std::optional<uint64_t> OptionalCount(std::string_view name) const;
  bool Flag(std::string_view name) const;
  const std::string& Choice(std::string_view name) const { return Value(name); }
  // Empty where it was left out.
  const std::string& Text(std::string_view name) const { return Value(name); }
  // Of the trial: exists and was empty when the trial began.
  const std::string& Directory() const { return Value("dir"); }
  // The CPU that the measured thread is to be pinned to.
  std::optional<uint64_t> Cpu() const { return OptionalCount("cpu"); }
  const std::vector<std::pair<Parameter, std::string>>& All() const { return values_; }

 private:
  const std::string& Value(std::string_view name) const;
  std::vector<std::pair<Parameter, std::string>> values_;
};

// Ends a trial at once; the check `completed` fails with this text.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The library cannot do what the workload asks for; the check `completed` fails with `unsupported: …`.
class Unsupported : public Failure {
 public:
  explicit Unsupported(const std::string& what) : Failure("unsupported: " + what) {}
};

// What a trial found out.
class Trial {
 public:
  void Metric(const std::string& name, int64_t value);
  // How many operations the timed regions did, all together: what a metric of them is divided by.
  // Where none was done there is nothing to divide, and nothing is declared.
  void Operations(uint64_t count) {
    if (count > 0) operations_ = count;
  }
  // A check that is made more than once is ok if all of them are, and keeps the first detail that is not. Returns `ok`.
  bool Check(const std::string& name, bool ok, const std::string& detail = "");
  // As Check, for a value that must be exact.
  bool CheckEqual(const std::string& name, uint64_t found, uint64_t expected, const std::string& what);
  void Fact(const std::string& name, const std::string& value);
  void Fact(const std::string& name, const std::vector<std::string>& values);
  void Fact(const std::string& name, const std::vector<int64_t>& values);
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  void Fact(const std::string& name, T value) {
    if constexpr (std::is_same_v<T, bool>) {
      FactJson(name, value ? "true" : "false");
    } else {
      FactJson(name, std::to_string(value));
    }
  }
  // The parameters as they were used, but those that say where the trial lies.
  void Parameters(const Arguments& arguments);
  // What was counted, as JSON; left out where nothing was to be.
  void Counters(std::string json) { counters_ = std::move(json); }

  bool Ok() const;
  // "name: detail" of each check that is not ok.
  std::vector<std::string> Failures() const;
  // One line of JSON without its end.
  std::string ResultLine() const;

 private:
  struct CheckResult {
    std::string name;
    bool ok;
    std::string detail;
  };
  void FactJson(const std::string& name, std::string json);
  std::vector<std::pair<std::string, int64_t>> metrics_;
  std::vector<CheckResult> checks_;
  std::vector<std::pair<std::string, std::string>> facts_;  // values are JSON
  std::optional<uint64_t> operations_;
  std::string counters_;  // JSON, or empty
};

struct Workload {
  std::string name;
  std::string summary;                // one sentence
  std::string timed;                  // what is inside of the timed region, and what is not
  std::vector<Parameter> parameters;  // `dir`, `cpu` and `counters` are added to them
  std::vector<std::string> not_a_claim_about;
  // Does the trial. What it throws fails the check `completed`.
  void (*run)(const Arguments& arguments, Trial& trial);
  // The same work in slices, by way of ServeSlices, and the same verification; null where it makes no sense.
  void (*serve)(const Arguments& arguments, Trial& trial) = nullptr;
};

// Works in slices until Assay says that it is enough, and returns the number of operations; they are a fact of the
// trial. Counts events where they are to be. Leaves the trial, without a result line, where Assay has given up.
uint64_t ServeSlices(Trial& trial, Slices slices);

// The whole of main(): reads the command line, runs a trial, prints its result line. `engine_facts` adds what is known
// of the library to each trial.
int DriverMain(int argc, char** argv, const std::vector<Workload>& workloads, void (*engine_facts)(Trial& trial));

inline int64_t MonotonicNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

// Counters run while this lives, where a trial has any: put it around the clock readings of a timed region. What
// several regions count is added up.
class CountedRegion {
 public:
  CountedRegion();
  ~CountedRegion();
  CountedRegion(const CountedRegion&) = delete;
  CountedRegion& operator=(const CountedRegion&) = delete;
};

// Runs a timed region and returns how long it took, in ns. Nothing but the region is between the two clock readings;
// counters start before the first and stop after the second.
template <typename Work>
int64_t TimeNs(void (*region)(Work*), Work* work) {
  const CountedRegion counted;
  const int64_t start = MonotonicNs();
  region(work);
  return MonotonicNs() - start;
}

// Pins the calling thread for as long as this lives, if there is a CPU to pin it to. Threads that are started
// meanwhile inherit the pin: open the engine first. Throws Failure where the CPU cannot be used.
class PinnedThread {
 public:
  explicit PinnedThread(std::optional<uint64_t> cpu);
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

 private:
  struct Affinity;
  Affinity* before_ = nullptr;
};

}  // namespace assay
