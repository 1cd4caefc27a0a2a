// Recovery from background errors: DB::Resume() after flushes that failed.
#include <rocksdb/statistics.h>
#include <rocksdb/utilities/write_batch_with_index.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "faults.h"
#include "recovery-engine.h"
#include "recovery-traffic.h"
#include "recovery-watch.h"
#include "transactions.h"
#include "verification.h"
#include "workloads.h"

namespace {

struct Recovery {
  rocksdb::DB* db;
  rocksdb::Status status;
};

// What is timed. Warm-ups do it outside of the region: what is counted there is of measured recoveries only.
void Recover(Recovery* work) {
  rocksdb::Status status = work->db->Resume();
  if constexpr (IsFault(Fault::failed_status)) status = rocksdb::Status::IOError("fault");
  work->status = status;
}

}  // namespace

ASSAY_TIMED_REGION assay_timed_resume(Recovery* work) {
  Recover(work);
}

namespace {

// The recoveries of a trial, one after the other.
class Recoveries {
 public:
  Recoveries(const assay::Arguments& arguments, assay::Trial& trial, Engine& engine,
             const TransactionDatabase& database, const Shape& shape, Committed& committed)
      : arguments_(arguments),
        trial_(trial),
        engine_(engine),
        database_(database),
        shape_(shape),
        committed_(committed),
        expected_(arguments),
        backlog_(database, shape, arguments.Count("backlog")) {}

  // Returns how long each measured Resume() took, in ns.
  std::vector<int64_t> Run() {
    RequireCommitsThatCanFail();
    const uint64_t warmup = arguments_.Count("warmup");
    const uint64_t count = warmup + arguments_.Count("recoveries");
    std::vector<int64_t> times;
    for (uint64_t i = 0; i < count; i++) {
      DirtyMemtables(i, i == count / 2);
      std::optional<PreparedTransactions> open;
      if (arguments_.Count("open-transactions") > 0) open.emplace(PrepareOpen(i));
      CheckDirty();
      FailFlush(i, i == count / 2);
      const std::optional<int64_t> ns = Resume(open, i >= warmup);
      if (ns) times.push_back(*ns);
      // What the last recovery left behind is what is closed and opened again.
      if (i + 1 < count) Settle(i);
      CheckRecovery();
    }
    Facts(count);
    return times;
  }

 private:
  const std::vector<rocksdb::ColumnFamilyHandle*>& Families() const { return database_.Families(); }

  // From 7.10 on commits are refused after a hard error, too, and up to 11.3 such a transaction could never be ended:
  // libraries with assertions abort when they close.
  void RequireCommitsThatCanFail() const {
    constexpr int kVersion = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR;
    constexpr bool kLost = kVersion >= 710 && kVersion < 1104;
    if (kLost && expected_.severity == "kHardError" && arguments_.Count("open-transactions") > 0) {
      throw assay::Unsupported("this library refuses commits after a hard error, and they cannot be tried again");
    }
  }

  // Puts a transaction's records, of which some must be written before it is prepared or committed.
  std::unique_ptr<rocksdb::Transaction> Begin(const std::string& name) {
    std::unique_ptr<rocksdb::Transaction> transaction;
    RequireStatus(trial_, PutAll(database_, shape_, name, transaction), "SetName and Put");
    const uint64_t held_back = transaction->GetWriteBatch()->GetWriteBatch()->Count();
    trial_.Check("unprepared", held_back < shape_.records,
                 name + ": none of its " + std::to_string(shape_.records) + " records was written before the commit");
    unprepared_ += shape_.records - held_back;
    committed_.Add(name);
    return transaction;
  }

  void DirtyMemtables(uint64_t recovery, bool faulty) {
    for (uint64_t t = 0; t < arguments_.Count("transactions"); t++) {
      const std::string name = "dirty-" + std::to_string(recovery) + "-" + std::to_string(t);
      const std::unique_ptr<rocksdb::Transaction> transaction = Begin(name);
      const bool lost = IsFault(Fault::lost_write) && faulty && t == 0;
      RequireStatus(trial_, lost ? transaction->Rollback() : transaction->Commit(), "Commit");
    }
  }

  std::vector<std::unique_ptr<rocksdb::Transaction>> PrepareOpen(uint64_t recovery) {
    std::vector<std::unique_ptr<rocksdb::Transaction>> open;
    for (uint64_t t = 0; t < arguments_.Count("open-transactions"); t++) {
      open.push_back(Begin("open-" + std::to_string(recovery) + "-" + std::to_string(t)));
      RequireStatus(trial_, open.back()->Prepare(), "Prepare");
    }
    return open;
  }

  // All records of this recovery are in memtables, and no others.
  void CheckDirty() {
    const uint64_t transactions = arguments_.Count("transactions") + arguments_.Count("open-transactions");
    trial_.CheckEqual("entries", database_.Sum(rocksdb::DB::Properties::kNumEntriesActiveMemTable),
                      transactions * shape_.records, "entries in active memtables before the flush");
  }

  // Waits for what happens in threads of the engine. Throws Failure where it does not.
  template <typename Condition>
  static void Await(const std::string& what, Condition condition) {
    constexpr int64_t kLongestNs = 60'000'000'000;
    const int64_t end = assay::MonotonicNs() + kLongestNs;
    while (!condition()) {
      if (assay::MonotonicNs() > end) throw assay::Failure("still waiting after a minute: " + what);
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  bool NothingRuns() const {
    uint64_t running = 0;
    const std::string& property = rocksdb::DB::Properties::kNumRunningFlushes;
    if (!database_->GetIntProperty(property, &running)) throw assay::Failure("no property " + property);
    return running == 0;
  }

  rocksdb::Status Flush() {
    if (engine_.options.atomic_flush) return database_->Flush(rocksdb::FlushOptions(), Families());
    return database_->Flush(rocksdb::FlushOptions(), Families()[0]);
  }

  void FailFlush(uint64_t recovery, bool faulty) {
    const uint64_t injected = engine_.injector->Injected();
    const uint64_t ticks = Ticks();
    if (!(IsFault(Fault::missing_error) && faulty)) engine_.injector->Start();
    // The background error is what counts: once it has recovered from a hard one, 7.8 returns before the flush begins.
    Flush().PermitUncheckedError();
    Await("a flush to fail", [this] { return engine_.watch->FlushEnded() && NothingRuns(); });
    engine_.injector->Stop();
    if (recovery == 0 && engine_.injector->Injected() == injected) {
      throw assay::Unsupported(
          "a flush of this library does not " +
          std::string(expected_.operation == Operation::kLogSync ? "sync the log that it closed" : "create a table") +
          " with these parameters");
    }
    trial_.CheckEqual("injected_errors", engine_.injector->Injected() - injected, expected_.injected,
                      "injected errors before recovery " + std::to_string(recovery));
    injected_ += engine_.injector->Injected() - injected;
    const RecoveryWatch::Seen seen = engine_.watch->Take();
    const uint64_t reported = Total(seen.errors);
    if (!expected_.reported) expected_.reported = reported;
    trial_.CheckEqual("background_errors", reported, *expected_.reported, "background errors: " + Told(seen.errors));
    trial_.CheckEqual("background_errors", Ticks() - ticks, reported, "retryable errors by the ticker");
    Tally others = seen.errors;
    others.erase(expected_.reason);
    if (expected_.operation == Operation::kLogSync) others.erase("kWriteCallback");  // recent versions report that, too
    trial_.Check("background_errors", seen.errors.count(expected_.reason) == 1 && others.empty(),
                 "reasons of background errors: " + Told(seen.errors) + ", not " + expected_.reason);
    Add(errors_, seen.errors);
    CheckSequences(seen);
  }

  uint64_t Ticks() const {
    return engine_.statistics->getTickerCount(rocksdb::ERROR_HANDLER_BG_RETRYABLE_IO_ERROR_COUNT);
  }

  // Returns how long it took, in ns; nothing where it is not to be measured.
  std::optional<int64_t> Resume(std::optional<PreparedTransactions>& open, bool measured) {
    Recovery work{database_->GetRootDB(), {}};
    backlog_.Start();
    if (open && !IsFault(Fault::late_commit)) open->Go();
    std::optional<int64_t> ns;
    {
      const assay::PinnedThread pin(arguments_.Cpu());
      if (measured) ns = assay::TimeNs(assay_timed_resume, &work);
      if (!measured) Recover(&work);
    }
    const int64_t end = assay::MonotonicNs();
    backlog_.Stop();
    if (open) {
      RequireStatus(trial_, open->Finish(), "Commit of a prepared transaction");
      for (const int64_t begun : open->Begun()) commits_during_ += begun < end;
      commits_refused_ += open->Refused();
    }
    for (const std::string& name : backlog_.TakeCommitted()) committed_.Add(name);
    RequireStatus(trial_, work.status, "Resume");
    return ns;
  }

  // Leaves all memtables empty, and few tables: each recovery begins alike. Resume() lists the directory, and copies
  // the list of tables: with 550 of them it takes three times as long as with few.
  void Settle(uint64_t recovery) {
    for (rocksdb::ColumnFamilyHandle* family : Families()) {
      RequireStatus(trial_, database_->Flush(rocksdb::FlushOptions(), family), "Flush after Resume");
    }
    Await("memtables to be flushed", [this] {
      return database_.Sum(rocksdb::DB::Properties::kNumEntriesActiveMemTable) == 0 &&
             database_.Sum(rocksdb::DB::Properties::kNumImmutableMemTable) == 0 && NothingRuns();
    });
    constexpr uint64_t kBetweenCompactions = 16;
    if (recovery % kBetweenCompactions != kBetweenCompactions - 1) return;
    for (rocksdb::ColumnFamilyHandle* family : Families()) {
      RequireStatus(trial_, database_->CompactRange(rocksdb::CompactRangeOptions(), family, nullptr, nullptr),
                    "CompactRange");
    }
  }

  void CheckRecovery() {
    Await("flushes of a recovery to end", [this] { return NothingRuns(); });
    const RecoveryWatch::Seen seen = engine_.watch->Take();
    trial_.CheckEqual("background_errors", Total(seen.errors), 0, "during a recovery: " + Told(seen.errors));
    trial_.Check("severity", seen.severities == Tally{{expected_.severity, 1}},
                 "severity of what was recovered from: " + Told(seen.severities) + ", not " + expected_.severity);
    Tally flushes = seen.flushes;
    flushes.erase("kManualFlush");
    flushes.erase("kCatchUpAfterErrorRecovery");
    trial_.Check("flush_reason", flushes.size() == 1 && flushes.count(expected_.flush) == 1,
                 "flushes of a recovery: " + Told(seen.flushes) + ", not " + expected_.flush);
    Add(severities_, seen.severities);
    Add(flushes_, seen.flushes);
    CheckSequences(seen);
  }

  void CheckSequences(const RecoveryWatch::Seen& seen) {
    trial_.Check("sealed_sequences", seen.sealed.empty(), seen.sealed);
    trial_.Check("table_sequences", seen.tables.empty(), seen.tables);
  }

  static void Add(Tally& sum, const Tally& tally) {
    for (const auto& [name, count] : tally) sum[name] += count;
  }

  void Facts(uint64_t count) {
    trial_.Fact("recoveries", count);
    trial_.Fact("injected_errors", injected_);
    trial_.Fact("background_errors", Told(errors_));
    trial_.Fact("severities", Told(severities_));
    trial_.Fact("flush_reasons", Told(flushes_));
    trial_.Fact("records_unprepared", unprepared_);
    if (arguments_.Count("open-transactions") > 0) {
      trial_.Fact("commits_during_resume", commits_during_);
      trial_.Fact("commits_refused", commits_refused_);
      trial_.Check("open_transactions", commits_during_ > 0, "no commit was begun while Resume() ran");
    }
    if (arguments_.Count("backlog") > 0) {
      trial_.Fact("backlog_committed", backlog_.TotalCommitted());
      trial_.Fact("backlog_failed", backlog_.Failed());
      trial_.Check("backlog", backlog_.LeastCommitted() >= count,
                   "a writer committed " + std::to_string(backlog_.LeastCommitted()) + " transactions in " +
                       std::to_string(count) + " recoveries");
      // After a hard error writes are refused, until it is recovered from.
      const bool refused = expected_.severity == "kHardError";
      trial_.Check("backlog", refused || backlog_.Failed() == 0,
                   std::to_string(backlog_.Failed()) + " transactions failed although the error was soft");
    }
  }

  const assay::Arguments& arguments_;
  assay::Trial& trial_;
  Engine& engine_;
  const TransactionDatabase& database_;
  const Shape shape_;
  Committed& committed_;
  Expected expected_;
  Backlog backlog_;
  Tally errors_, severities_, flushes_;
  uint64_t injected_ = 0;
  uint64_t unprepared_ = 0;
  uint64_t commits_during_ = 0;
  uint64_t commits_refused_ = 0;
};

// The least of the sorted `times` that `per_cent` of them do not exceed.
int64_t Percentile(const std::vector<int64_t>& times, size_t per_cent) {
  return times[(times.size() * per_cent + 99) / 100 - 1];
}

void Metrics(assay::Trial& trial, std::vector<int64_t> times) {
  trial.Operations(times.size());
  trial.Fact("resume_ns", times);
  trial.Metric("resume_total_ns", std::accumulate(times.begin(), times.end(), int64_t{0}));
  std::sort(times.begin(), times.end());
  trial.Metric("resume_p50_ns", Percentile(times, 50));
  trial.Metric("resume_p95_ns", Percentile(times, 95));
  trial.Metric("resume_p99_ns", Percentile(times, 99));
  trial.Metric("resume_max_ns", times.back());
}

void Run(const assay::Arguments& arguments, assay::Trial& trial) {
  const std::string path = arguments.Directory() + "/db";
  const Shape shape{arguments.Count("records"), arguments.Count("value-bytes")};
  Engine engine(arguments);
  Committed committed(arguments.Count("families"), shape);
  std::optional<TransactionDatabase> database;
  database.emplace(engine.options, engine.transactions, path, engine.families);
  Metrics(trial, Recoveries(arguments, trial, engine, *database, shape, committed).Run());
  trial.Fact("compression", "none");

  // Written after the last recovery, and only to the log: a wrong sequence number would show when that is read again.
  {
    std::unique_ptr<rocksdb::Transaction> transaction;
    RequireStatus(trial, PutAll(*database, shape, "last", transaction), "SetName and Put");
    RequireStatus(trial, transaction->Commit(), "Commit");
    committed.Add("last");
  }
  committed.Check(trial, "contents", *database);
  CheckTables(trial, "live_tables", *database);
  const uint64_t sequence = (*database)->GetLatestSequenceNumber();
  if constexpr (IsFault(Fault::late_write)) {
    RequireStatus(trial, (*database)->Put(rocksdb::WriteOptions(), "late", ""), "Put");
  }
  if constexpr (IsFault(Fault::flush_at_close)) {
    RequireStatus(trial, (*database)->Flush(rocksdb::FlushOptions()), "Flush");
  }
  database->Close();
  trial.CheckEqual("closed_unflushed", Total(engine.watch->Take().flushes), 0, "flushes after the last recovery");

  if constexpr (IsFault(Fault::lost_wal)) LoseWal(path);
  database.emplace(engine.options, engine.transactions, path, engine.families);
  const uint64_t reopened = (*database)->GetLatestSequenceNumber();
  trial.Fact("sequences", std::vector<int64_t>{static_cast<int64_t>(sequence), static_cast<int64_t>(reopened)});
  trial.Check("reopened_sequence", reopened > sequence,
              std::to_string(reopened) + " after " + std::to_string(sequence));
  committed.Check(trial, "reopened_contents", *database);
  CheckTables(trial, "reopened_tables", *database);
  database->Close();
}

}  // namespace

assay::Workload Resume() {
  return {
      "resume",
      "Makes flushes of a WRITE_UNPREPARED TransactionDB with two write queues fail, and recovers by DB::Resume().",
      "Resume() of the root database, each alone; the metrics are percentiles, maximum and sum of the measured ones. "
      "Not "
      "the transactions, the flush that fails, waiting for it to end, verification. RocksDB's pause of 1 s after a "
      "failed flush is left out.",
      {
          assay::Count("recoveries", 500, "recoveries", "measured recoveries, one after the other", 1, 100000),
          assay::Count("warmup", 50, "recoveries", "recoveries before the measured ones", 0, 100000),
          assay::Choice("fault", {"sst", "wal-sync"},
                        "what fails once a recovery: creating a table, a soft error; or syncing the log that a flush "
                        "closed, a hard one, after which Resume() flushes all families"),
          assay::Count("families", 2, "families", "column families, the default one among them", 1, 1000),
          assay::Flag("atomic-flush", false, "flushes all families at once, by DBOptions::atomic_flush"),
          assay::Count("backlog", 0, "writers", "threads that go on committing transactions while Resume() runs", 0,
                       64),
          assay::Count("open-transactions", 0, "transactions",
                       "prepared before the flush, committed by another thread while Resume() runs", 0, 64),
          assay::Count("transactions", 4, "transactions", "committed before each flush that fails", 1, 10000),
          assay::Count("records", 8, "records", "puts of a transaction, the r-th to family r % families", 1, 10000),
          assay::Count("value-bytes", 100, "bytes", "size of each value", 1, 1 << 20),
          assay::Count("flush-threshold", 256, "bytes",
                       "TransactionDBOptions::default_write_batch_flush_threshold: what exceeds it is written "
                       "unprepared",
                       1, 1 << 30),
      },
      {
          "write throughput or the latency of transactions",
          "recovery from errors of a real device, or recovery without an operator's Resume()",
          "durability: nothing is synced but what RocksDB syncs itself",
          "the flush fences of a recovery, unless --fault wal-sync was given: recovering from a failed table flushes "
          "sealed memtables only, in recent versions",
          "recovery under a backlog of writers, unless --backlog was given",
          "recovery with atomic flush, unless --atomic-flush true was given",
          "prepared transactions that are committed meanwhile, unless --open-transactions was given",
          "the 99th percentile: of a few hundred recoveries it is shown, and is no metric to test",
          "databases with many tables: all are compacted after each 16th recovery",
      },
      Run,
  };
}
