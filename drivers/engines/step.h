// One step of the study: its time, its CPU time, its traffic, and what they are called in the result line.
#pragma once

#include <time.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "../driver.h"
#include "accounting.h"
#include "engine.h"
#include "histogram.h"
#include "sequence.h"

namespace assay {

inline int64_t CpuNs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

// What a step costs. Time and CPU time of what is prepared for it, in pieces, are not its own.
class Step {
 public:
  // What earlier steps have left for the device is written before it begins.
  Step(Trial& trial, std::string name, const std::string& directory, const TrafficMeter& meter)
      : trial_(trial), name_(std::move(name)), directory_(directory), meter_(meter) {
    SyncFileSystem(directory_);
    before_ = meter_.Now();
    cpu_start_ns_ = CpuNs(CLOCK_PROCESS_CPUTIME_ID);
  }

  template <typename Preparation>
  void Prepare(Preparation preparation) {
    const int64_t start = CpuNs(CLOCK_THREAD_CPUTIME_ID);
    preparation();
    preparation_cpu_ns_ += CpuNs(CLOCK_THREAD_CPUTIME_ID) - start;
  }

  template <typename Work>
  void Time(void (*region)(Work*), Work* work) {
    wall_ns_ += TimeNs(region, work);
    operations_ += work->count;
  }

  Histogram* Latencies() { return &latencies_; }
  Digest& Sequence() { return sequence_; }

  // Ends the time of the operations. To be called once, before Settle or Rest, and Account.
  void End() {
    Metric("_ns", wall_ns_);
    Metric("_cpu_ns", CpuNs(CLOCK_PROCESS_CPUTIME_ID) - cpu_start_ns_ - preparation_cpu_ns_);
    Metric("_operations", static_cast<int64_t>(operations_));
    if (const auto p50 = latencies_.Quantile(500)) Metric("_p50_ns", *p50);
    if (const auto p99 = latencies_.Quantile(990)) Metric("_p99_ns", *p99);
    trial_.Fact(name_ + "_sequence", sequence_.Hex());
  }

  // What the engine has put off is a cost of the step that left it.
  void Settle(Engine& engine) {
    const int64_t cpu_start = CpuNs(CLOCK_PROCESS_CPUTIME_ID);
    const int64_t start = MonotonicNs();
    engine.Settle();
    SyncFileSystem(directory_);
    Metric("_settle_ns", MonotonicNs() - start);
    Metric("_settle_cpu_ns", CpuNs(CLOCK_PROCESS_CPUTIME_ID) - cpu_start);
    const std::string left = engine.Unsettled();
    trial_.Check("settled", left.empty(), "after " + name_ + ": " + left);
    trial_.Fact(name_ + "_shape", engine.Shape());
  }

  // As Settle, of reads: they are not to put anything off, and are not timed any more.
  void Rest(Engine& engine) {
    engine.WaitUntilIdle();
    SyncFileSystem(directory_);
  }

  // What went to and came from the device since the step began.
  void Account() {
    const std::optional<Traffic> now = meter_.Now();
    if (!now || !before_) return;
    Metric("_read_bytes", static_cast<int64_t>(now->read_bytes - before_->read_bytes));
    Metric("_written_bytes", static_cast<int64_t>(now->written_bytes - before_->written_bytes));
    if (now->reads && before_->reads) Metric("_reads", static_cast<int64_t>(*now->reads - *before_->reads));
    if (now->writes && before_->writes) Metric("_writes", static_cast<int64_t>(*now->writes - *before_->writes));
  }

  void Metric(const std::string& what, int64_t value) { trial_.Metric(name_ + what, value); }
  uint64_t Operations() const { return operations_; }

 private:
  Trial& trial_;
  std::string name_;
  std::string directory_;
  const TrafficMeter& meter_;
  std::optional<Traffic> before_;
  Histogram latencies_;
  Digest sequence_;
  int64_t cpu_start_ns_ = 0;
  int64_t preparation_cpu_ns_ = 0;
  int64_t wall_ns_ = 0;
  uint64_t operations_ = 0;
};

}  // namespace assay
