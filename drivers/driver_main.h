// Definitions of what driver.h declares. Included by one source file of each driver.
#pragma once

#include <sched.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

#include "counters.h"
#include "driver.h"
#include "text.h"

namespace assay {

// A wrong command line: told on stderr, exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// ---- Parameters ----

Parameter Count(std::string name, uint64_t fallback, std::string unit, std::string help, uint64_t least,
                uint64_t most) {
  return {std::move(name),
          Parameter::Type::kCount,
          std::to_string(fallback),
          false,
          std::move(unit),
          std::move(help),
          least,
          most,
          {}};
}

Parameter OptionalCount(std::string name, std::string unit, std::string help, uint64_t least, uint64_t most) {
  return {std::move(name), Parameter::Type::kCount, "", false, std::move(unit), std::move(help), least, most, {}};
}

Parameter Flag(std::string name, bool fallback, std::string help) {
  return {std::move(name),  Parameter::Type::kFlag, fallback ? "true" : "false", false, "", std::move(help), 0, 0,
          {"true", "false"}};
}

Parameter OptionalText(std::string name, std::string placeholder, std::string help) {
  return {std::move(name), Parameter::Type::kText, "", false, std::move(placeholder), std::move(help), 0, 0, {}};
}

Parameter Choice(std::string name, std::vector<std::string> choices, std::string help) {
  std::string first = choices.front();
  return {std::move(name),   Parameter::Type::kChoice, std::move(first), false, "", std::move(help), 0, 0,
          std::move(choices)};
}

const std::string& Arguments::Value(std::string_view name) const {
  for (const auto& [parameter, value] : values_) {
    if (parameter.name == name) return value;
  }
  throw std::logic_error("the workload has no parameter " + std::string(name));
}

// Digits alone, in range.
inline std::optional<uint64_t> ParseCount(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> Arguments::OptionalCount(std::string_view name) const {
  return ParseCount(Value(name));
}

uint64_t Arguments::Count(std::string_view name) const {
  const std::optional<uint64_t> count = OptionalCount(name);
  if (!count) throw std::logic_error("the parameter " + std::string(name) + " is no count");
  return *count;
}

bool Arguments::Flag(std::string_view name) const {
  return Value(name) == "true";
}

// ---- The trial ----

void Trial::Metric(const std::string& name, int64_t value) {
  metrics_.emplace_back(name, value);
}

bool Trial::Check(const std::string& name, bool ok, const std::string& detail) {
  constexpr size_t kLongestDetail = 1000;
  const std::string kept = ok ? "" : detail.substr(0, kLongestDetail);
  for (CheckResult& check : checks_) {
    if (check.name != name) continue;
    if (check.ok) check.detail = kept;
    check.ok = check.ok && ok;
    return ok;
  }
  checks_.push_back({name, ok, kept});
  return ok;
}

bool Trial::CheckEqual(const std::string& name, uint64_t found, uint64_t expected, const std::string& what) {
  return Check(name, found == expected, what + ": " + std::to_string(found) + ", not " + std::to_string(expected));
}

void Trial::FactJson(const std::string& name, std::string json) {
  facts_.emplace_back(name, std::move(json));
}

void Trial::Fact(const std::string& name, const std::string& value) {
  FactJson(name, JsonString(value));
}

void Trial::Fact(const std::string& name, const std::vector<std::string>& values) {
  std::vector<std::string> strings;
  for (const std::string& value : values) strings.push_back(JsonString(value));
  FactJson(name, "[" + Joined(strings, ", ") + "]");
}

void Trial::Fact(const std::string& name, const std::vector<int64_t>& values) {
  std::vector<std::string> numbers;
  for (const int64_t value : values) numbers.push_back(std::to_string(value));
  FactJson(name, "[" + Joined(numbers, ", ") + "]");
}

void Trial::Parameters(const Arguments& arguments) {
  std::vector<std::string> members;
  for (const auto& [parameter, value] : arguments.All()) {
    // Paths differ from trial to trial, and are no parameters of the work.
    if (parameter.type == Parameter::Type::kText) continue;
    const bool is_text = parameter.type == Parameter::Type::kChoice;
    const std::string json = is_text ? JsonString(value) : value.empty() ? "null" : value;
    members.push_back(JsonString(parameter.name) + ": " + json);
  }
  FactJson("parameters", "{" + Joined(members, ", ") + "}");
}

bool Trial::Ok() const {
  return std::all_of(checks_.begin(), checks_.end(), [](const CheckResult& check) { return check.ok; });
}

std::vector<std::string> Trial::Failures() const {
  std::vector<std::string> failures;
  for (const CheckResult& check : checks_) {
    if (!check.ok) failures.push_back(check.name + ": " + check.detail);
  }
  return failures;
}

std::string Trial::ResultLine() const {
  std::vector<std::string> metrics, checks, facts;
  for (const auto& [name, value] : metrics_) metrics.push_back(JsonString(name) + ": " + std::to_string(value));
  for (const CheckResult& check : checks_) {
    checks.push_back(JsonString(check.name) + ": {\"ok\": " + (check.ok ? "true" : "false") +
                     ", \"detail\": " + JsonString(check.detail) + "}");
  }
  for (const auto& [name, json] : facts_) facts.push_back(JsonString(name) + ": " + json);
  return "{\"metrics\": {" + Joined(metrics, ", ") + "}, \"checks\": {" + Joined(checks, ", ") + "}, \"facts\": {" +
         Joined(facts, ", ") + "}" + (operations_ ? ", \"operations\": " + std::to_string(*operations_) : "") +
         (counters_.empty() ? "" : ", \"counters\": " + counters_) + "}";
}

// ---- Pinning ----

struct PinnedThread::Affinity {
  cpu_set_t cpus;
};

PinnedThread::PinnedThread(std::optional<uint64_t> cpu) {
  if (!cpu) return;
  Affinity before;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(*cpu, &one);
  if (sched_getaffinity(0, sizeof before.cpus, &before.cpus) != 0 || sched_setaffinity(0, sizeof one, &one) != 0) {
    throw Failure("cannot pin the thread to CPU " + std::to_string(*cpu) + ": " + strerror(errno));
  }
  before_ = new Affinity(before);
}

PinnedThread::~PinnedThread() {
  if (before_ == nullptr) return;
  sched_setaffinity(0, sizeof before_->cpus, &before_->cpus);
  delete before_;
}

// The only CPU that the process may use, or none.
inline std::optional<uint64_t> OnlyCpu() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) != 1) return std::nullopt;
  for (uint64_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (CPU_ISSET(cpu, &cpus)) return cpu;
  }
  return std::nullopt;
}

inline void PinFacts(Trial& trial, const Arguments& arguments) {
  const std::optional<uint64_t> only = OnlyCpu();
  const std::optional<uint64_t> cpu = arguments.Cpu() ? arguments.Cpu() : only;
  trial.Fact("pinned", only ? "process" : cpu ? "measured thread" : "nothing");
  if (cpu) trial.Fact("pinned_cpu", *cpu);
}

// ---- Slices ----

// Assay has given up: there is nobody to report to.
struct HungUp {};

uint64_t ServeSlices(Trial& trial, Slices slices) {
  slices.begin = CounterGroup::Enable;
  slices.end = [] {
    CounterGroup::Disable();
    return CounterGroup::Since();
  };
  const std::optional<uint64_t> operations = Serve(slices);
  if (!operations) throw HungUp();
  trial.Operations(*operations);
  return *operations;
}

// ---- The command line ----

// As the experiment says it to the driver; the parameter wins.
inline std::string CountersOfEnvironment() {
  const char* const value = getenv("ASSAY_COUNTERS");
  return value == nullptr || *value == '\0' ? "off" : value;
}

inline std::vector<Parameter> AllParameters(const Workload& workload) {
  std::vector<Parameter> all = {
      {"dir", Parameter::Type::kText, "", true, "DIR", "directory of this trial, empty or still to be made", 0, 0, {}}};
  all.insert(all.end(), workload.parameters.begin(), workload.parameters.end());
  all.push_back(OptionalCount("cpu", "CPU",
                              "pins the measured thread, and what it starts in the timed region, to this CPU", 0,
                              CPU_SETSIZE - 1));
  Parameter counters = Choice("counters", {"off", "hardware", "software"},
                              "counts events of the measured thread in the timed region; the variable ASSAY_COUNTERS "
                              "says it too");
  counters.fallback = CountersOfEnvironment();
  all.push_back(std::move(counters));
  return all;
}

inline void CheckValue(const Parameter& parameter, const std::string& value) {
  const std::string name = "--" + parameter.name;
  if (parameter.type == Parameter::Type::kCount) {
    const std::optional<uint64_t> count = ParseCount(value);
    if (count && *count >= parameter.least && *count <= parameter.most) return;
    throw UsageError(name + " is a whole number from " + std::to_string(parameter.least) + " to " +
                     std::to_string(parameter.most) + ", not " + JsonString(value) + ".");
  }
  const std::vector<std::string>& choices = parameter.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end()) {
    throw UsageError(name + " is one of " + Joined(choices, ", ") + ", not " + JsonString(value) +
                     DidYouMean(value, choices) + ".");
  }
  if (value.empty()) throw UsageError(name + " is empty.");
}

// Takes `--name value` and `--name=value`.
inline Arguments ParseArguments(const Workload& workload, const std::vector<std::string>& words) {
  std::vector<std::pair<Parameter, std::optional<std::string>>> given;
  std::vector<std::string> names;
  for (Parameter& parameter : AllParameters(workload)) {
    names.push_back("--" + parameter.name);
    given.emplace_back(std::move(parameter), std::nullopt);
  }
  for (size_t i = 0; i < words.size(); i++) {
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      throw UsageError(workload.name + " has no parameter " + JsonString(name) + DidYouMean(name, names) + ".");
    }
    auto& [parameter, value] = given[static_cast<size_t>(at - names.begin())];
    if (value) throw UsageError(name + " is given twice.");
    if (equals == std::string::npos && i + 1 == words.size()) throw UsageError(name + " needs a value.");
    value = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    CheckValue(parameter, *value);
  }
  std::vector<std::pair<Parameter, std::string>> values;
  for (auto& [parameter, value] : given) {
    if (!value && parameter.required) throw UsageError("--" + parameter.name + " is missing: " + parameter.help + ".");
    std::string used = value.value_or(parameter.fallback);
    if (parameter.name == "counters") CheckValue(parameter, used);
    values.emplace_back(std::move(parameter), std::move(used));
  }
  return Arguments(std::move(values));
}

inline void MakeFreshDirectory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const bool empty = !error && std::filesystem::is_empty(directory, error);
  if (error) throw UsageError("The directory " + JsonString(directory) + " cannot be used: " + error.message() + ".");
  if (!empty)
    throw UsageError("The directory " + JsonString(directory) + " is not empty: each trial needs a fresh one.");
}

inline std::string GeneralHelp(const std::vector<Workload>& workloads) {
  std::string text = "driver WORKLOAD --dir DIR [--name value …]   runs one trial and prints its result line\n";
  for (const Workload& workload : workloads) text += "\n" + workload.name + "\n    " + workload.summary + "\n";
  text += "\n… --serve at the end   works in slices, as Assay asks over the descriptors 3 and 4\n";
  return text + "driver WORKLOAD --help   the parameters of a workload, with units and defaults\n";
}

inline std::string WorkloadHelp(const Workload& workload) {
  std::string text = "driver " + workload.name + " --dir DIR [--name value …]\n\n" + workload.summary +
                     "\nTimed: " + workload.timed + "\n\n";
  for (const Parameter& parameter : AllParameters(workload)) {
    const std::string kind = parameter.choices.empty() ? parameter.unit : Joined(parameter.choices, "|");
    const std::string fallback = parameter.required           ? "required"
                                 : parameter.fallback.empty() ? "default: none"
                                                              : "default: " + parameter.fallback;
    text += "  --" + parameter.name + " " + kind + "\n      " + parameter.help + " (" + fallback + ")\n";
  }
  return text + "\nNot a claim about: " + Joined(workload.not_a_claim_about, "; ") + ".\n";
}

inline bool AsksForHelp(const std::string& word) {
  return word == "--help" || word == "-h" || word == "help";
}

inline int RunTrial(const Workload& workload, const Arguments& arguments, bool in_slices,
                    void (*engine_facts)(Trial& trial)) {
  Trial trial;
  trial.Fact("workload", workload.name);
  trial.Parameters(arguments);
  PinFacts(trial, arguments);
  engine_facts(trial);
  trial.Fact("timed", workload.timed);
  trial.Fact("not_a_claim_about", workload.not_a_claim_about);
  CounterGroup::Open(arguments.Choice("counters"));
  try {
    (in_slices ? workload.serve : workload.run)(arguments, trial);
    trial.Check("completed", true);
  } catch (const HungUp&) {
    return 1;
  } catch (const std::exception& error) {
    trial.Check("completed", false, error.what());
  }
  trial.Counters(CounterGroup::Close());
  for (const std::string& failure : trial.Failures())
    fprintf(stderr, "driver: check failed: %s\n", Escaped(failure).c_str());
  printf("%s\n", trial.ResultLine().c_str());
  return fflush(stdout) == 0 && trial.Ok() ? 0 : 1;
}

int DriverMain(int argc, char** argv, const std::vector<Workload>& workloads, void (*engine_facts)(Trial& trial)) {
  const bool in_slices = IsServing(argc, argv);
  const std::vector<std::string> words(argv + 1, argv + argc - (in_slices ? 1 : 0));
  try {
    if (words.empty()) throw UsageError("No workload is named. See driver --help.");
    if (AsksForHelp(words[0])) return fputs(GeneralHelp(workloads).c_str(), stdout) < 0 ? 1 : 0;
    std::vector<std::string> names;
    for (const Workload& workload : workloads) names.push_back(workload.name);
    const auto at = std::find(names.begin(), names.end(), words[0]);
    if (at == names.end()) {
      throw UsageError("There is no workload " + JsonString(words[0]) + DidYouMean(words[0], names) +
                       ". See driver --help.");
    }
    const Workload& workload = workloads[static_cast<size_t>(at - names.begin())];
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (std::any_of(rest.begin(), rest.end(), AsksForHelp)) {
      return fputs(WorkloadHelp(workload).c_str(), stdout) < 0 ? 1 : 0;
    }
    if (in_slices && workload.serve == nullptr) {
      throw UsageError("does not work in slices: " + workload.name + ".");
    }
    const Arguments arguments = ParseArguments(workload, rest);
    MakeFreshDirectory(arguments.Directory());
    return RunTrial(workload, arguments, in_slices, engine_facts);
  } catch (const UsageError& error) {
    fprintf(stderr, "driver: %s\n", error.what());
    return 2;
  }
}

}  // namespace assay
