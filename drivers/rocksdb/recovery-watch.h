// What RocksDB tells of background errors, recoveries, and the sequence numbers of memtables and tables.
#pragma once

#include <rocksdb/listener.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "../driver.h"
#include "faults.h"

inline std::string Named(rocksdb::BackgroundErrorReason reason) {
  switch (reason) {
    case rocksdb::BackgroundErrorReason::kFlush:
      return "kFlush";
    case rocksdb::BackgroundErrorReason::kFlushNoWAL:
      return "kFlushNoWAL";
    case rocksdb::BackgroundErrorReason::kWriteCallback:
      return "kWriteCallback";
    default:
      return "BackgroundErrorReason " + std::to_string(static_cast<int>(reason));
  }
}

inline std::string Named(rocksdb::Status::Severity severity) {
  switch (severity) {
    case rocksdb::Status::Severity::kNoError:
      return "kNoError";
    case rocksdb::Status::Severity::kSoftError:
      return "kSoftError";
    case rocksdb::Status::Severity::kHardError:
      return "kHardError";
    default:
      return "Severity " + std::to_string(static_cast<int>(severity));
  }
}

// Flushes memtables that filled up during a recovery, after it. Not in the headers of old versions.
constexpr int kCatchUpAfterErrorRecovery = 0xe;

inline std::string Named(rocksdb::FlushReason reason) {
  if (static_cast<int>(reason) == kCatchUpAfterErrorRecovery) return "kCatchUpAfterErrorRecovery";
  switch (reason) {
    case rocksdb::FlushReason::kManualFlush:
      return "kManualFlush";
    case rocksdb::FlushReason::kErrorRecovery:
      return "kErrorRecovery";
    case rocksdb::FlushReason::kErrorRecoveryRetryFlush:
      return "kErrorRecoveryRetryFlush";
    default:
      return "FlushReason " + std::to_string(static_cast<int>(reason));
  }
}

// Counts of events by their names.
using Tally = std::map<std::string, uint64_t>;

inline uint64_t Total(const Tally& tally) {
  uint64_t total = 0;
  for (const auto& [name, count] : tally) total += count;
  return total;
}

// "name × count, …"
inline std::string Told(const Tally& tally) {
  std::string text;
  for (const auto& [name, count] : tally) text += (text.empty() ? "" : ", ") + name + " × " + std::to_string(count);
  return text.empty() ? "none" : text;
}

class RecoveryWatch : public rocksdb::EventListener {
 public:
  struct Seen {
    Tally errors;        // by reason
    Tally severities;    // of the errors that recoveries have ended
    Tally flushes;       // completed, by reason
    std::string sealed;  // what was wrong with the sequence numbers of sealed memtables
    std::string tables;  // and of flushed tables
  };

  // What was seen since the last call.
  Seen Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(seen_, Seen());
  }

  // Whether a flush has ended since then, well or not.
  bool FlushEnded() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !seen_.errors.empty() || !seen_.flushes.empty();
  }

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status*) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    seen_.errors[Named(reason)]++;
  }

  void OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (info.new_bg_error.ok()) seen_.severities[Named(info.old_bg_error.severity())]++;
  }

  // The sequence number with which a family's memtables begin never falls. Those of different families are unrelated.
  void OnMemTableSealed(const rocksdb::MemTableInfo& info) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    uint64_t earliest = info.earliest_seqno;
    if (IsFault(Fault::sealed_backwards) && sealed_[info.cf_name] > 20) earliest = 1;
    uint64_t& previous = sealed_[info.cf_name];
    if (earliest < previous) Note(seen_.sealed, info.cf_name, "a memtable from", earliest, previous);
    previous = std::max(previous, earliest);
  }

  // Each table of a family begins above the end of the one before it.
  void OnFlushCompleted(rocksdb::DB*, const rocksdb::FlushJobInfo& info) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    seen_.flushes[Named(info.flush_reason)]++;
    uint64_t smallest = info.smallest_seqno;
    if (IsFault(Fault::table_backwards) && flushed_[info.cf_name] > 20) smallest = 1;
    uint64_t& previous = flushed_[info.cf_name];
    if (smallest <= previous) Note(seen_.tables, info.cf_name, "a table from", smallest, previous);
    previous = std::max<uint64_t>(previous, info.largest_seqno);
  }

 private:
  static void Note(std::string& wrong, const std::string& family, const char* what, uint64_t found, uint64_t previous) {
    if (!wrong.empty()) return;
    wrong =
        family + ": " + what + " sequence number " + std::to_string(found) + " on, after " + std::to_string(previous);
  }

  std::mutex mutex_;
  Seen seen_;
  std::map<std::string, uint64_t> sealed_;   // by family: the highest beginning of a memtable
  std::map<std::string, uint64_t> flushed_;  // by family: the highest end of a table
};
