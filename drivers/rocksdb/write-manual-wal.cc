// Single-record writes into a VectorRep memtable with a write-ahead log that is flushed by hand.
#include <rocksdb/transaction_log.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "database.h"
#include "faults.h"
#include "ranges.h"
#include "verification.h"
#include "workloads.h"

namespace {

struct Writes {
  rocksdb::DB* db;
  rocksdb::WriteOptions options;
  std::vector<rocksdb::WriteBatch> batches;
  uint64_t begin;   // the writes of this region: from here
  uint64_t end;     // to before here
  uint64_t middle;  // where faults are
  rocksdb::Status status;
};

// A fault: the memtable is sealed, and stays so.
void Seal(rocksdb::DB* db) {
  db->PauseBackgroundWork().PermitUncheckedError();
  rocksdb::FlushOptions options;
  options.wait = false;
  db->Flush(options).PermitUncheckedError();
}

// What a fault does before write `i`.
void BeforeWrite(Writes* work, uint64_t i) {
  if (i != work->middle) return;
  if constexpr (IsFault(Fault::flush_in_region)) work->db->Flush(rocksdb::FlushOptions()).PermitUncheckedError();
  if constexpr (IsFault(Fault::sealed_in_region)) Seal(work->db);
  if constexpr (IsFault(Fault::written_twice)) work->db->Write(work->options, &work->batches[0]).PermitUncheckedError();
}

}  // namespace

ASSAY_TIMED_REGION assay_timed_write_manual_wal(Writes* work) {
  rocksdb::DB* const db = work->db;
  const uint64_t count = work->end;
  rocksdb::WriteBatch* const first = work->batches.data();
  rocksdb::WriteBatch* const end = first + work->batches.size();
  rocksdb::WriteBatch* batch = first + work->begin % work->batches.size();
  for (uint64_t i = work->begin; i < count; i++) {
    if constexpr (!IsFault(Fault::none)) BeforeWrite(work, i);
    if constexpr (IsFault(Fault::lost_write)) {
      if (i == work->middle) continue;
    }
    rocksdb::Status status = db->Write(work->options, batch);
    if constexpr (IsFault(Fault::failed_status)) {
      if (i == work->middle) status = rocksdb::Status::IOError("fault");
    }
    if (!status.ok()) {
      work->status = status;
      return;
    }
    if (++batch == end) batch = first;
  }
  if constexpr (IsFault(Fault::unflushed_wal)) return;
  work->status = db->FlushWAL(false);
}

namespace {

constexpr uint64_t kLogHeaderBytes = 7;

rocksdb::DBOptions DbOptions(const std::shared_ptr<FlushWatch>& watch) {
  rocksdb::DBOptions options = UnflushedDbOptions(watch);
  options.manual_wal_flush = true;
  return options;
}

void CheckWalSize(assay::Trial& trial, const Database& database, uint64_t expected, const std::string& when) {
  rocksdb::VectorLogPtr files;
  RequireStatus(trial, database->GetSortedWalFiles(files), "GetSortedWalFiles");
  uint64_t bytes = 0;
  for (const auto& file : files) bytes += file->SizeFileBytes();
  trial.CheckEqual("wal_size", bytes, expected, "bytes of the write-ahead log " + when);
}

void LoseWal(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".log") std::filesystem::resize_file(entry.path(), 0);
  }
}

// Returns the keys of the batches.
std::vector<std::string> Prepare(const assay::Arguments& arguments, assay::Trial& trial, const Database& database,
                                 Writes& work) {
  std::vector<std::string> keys = NumberedKeys("k%09d", arguments.Count("batches"));
  work.batches.resize(keys.size());
  for (size_t i = 0; i < keys.size(); i++) {
    std::string key = keys[i];
    if constexpr (IsFault(Fault::wrong_key)) key = i == 0 ? "x000000000" : key;
    RequireStatus(trial, work.batches[i].Put(key, ""), "Put");
  }
  work.db = database.get();
  work.options.sync = arguments.Flag("sync");
  work.begin = 0;
  work.end = arguments.Count("writes");
  work.middle = work.end / 2;
  return keys;
}

template <typename Write>
void RunWith(const assay::Arguments& arguments, assay::Trial& trial, Write write) {
  const std::string path = arguments.Directory() + "/db";
  const auto descriptors = FamilyDescriptors(1, UnflushedFamilyOptions());
  auto watch = std::make_shared<FlushWatch>();
  std::optional<Database> database;
  database.emplace(DbOptions(watch), path, descriptors);

  Writes work;
  std::vector<std::string> keys;
  {
    // After opening: the threads of the engine are not pinned.
    const assay::PinnedThread pin(arguments.Cpu());
    keys = Prepare(arguments, trial, *database, work);
    write(*database, work);
  }
  RequireStatus(trial, work.status, "Write and FlushWAL");
  const uint64_t writes = work.end;
  // All records have 32 bytes, and so fill the log's blocks of 32 KiB without padding.
  const uint64_t wal_bytes = writes * (kLogHeaderBytes + work.batches[0].GetDataSize());
  keys.resize(std::min<size_t>(keys.size(), writes));
  trial.Operations(writes);
  trial.Fact("writes", writes);
  trial.Fact("batches", work.batches.size());
  trial.Fact("wal_bytes", wal_bytes);
  trial.Fact("compression", "none");
  trial.Fact("memtable", "VectorRep");

  CheckWalSize(trial, *database, wal_bytes, "after FlushWAL(false)");
  CheckUnflushed(trial, "", *database, *watch, writes, path);
  CheckContents(trial, "contents", *database, keys, "");
  RequireStatus(trial, (*database)->FlushWAL(true), "FlushWAL(true)");
  CheckWalSize(trial, *database, wal_bytes, "after FlushWAL(true)");
  database->Close();

  if constexpr (IsFault(Fault::lost_wal)) LoseWal(path);
  watch = std::make_shared<FlushWatch>();
  rocksdb::DBOptions reopened = DbOptions(watch);
  if constexpr (IsFault(Fault::flush_on_recovery)) reopened.avoid_flush_during_recovery = false;
  database.emplace(reopened, path, descriptors);
  if constexpr (IsFault(Fault::sealed_on_recovery)) Seal(database->get());
  CheckUnflushed(trial, "reopened_", *database, *watch, writes, path);
  CheckContents(trial, "reopened_contents", *database, keys, "");
  if constexpr (IsFault(Fault::sealed_on_recovery)) (*database)->ContinueBackgroundWork().PermitUncheckedError();
  database->Close();
}

void Run(const assay::Arguments& arguments, assay::Trial& trial) {
  RunWith(arguments, trial, [&](const Database&, Writes& work) {
    trial.Metric("write_ns", assay::TimeNs(assay_timed_write_manual_wal, &work));
  });
}

// Each slice ends with its own FlushWAL(false).
void Serve(const assay::Arguments& arguments, assay::Trial& trial) {
  RunWith(arguments, trial, [&](const Database& database, Writes& work) {
    work.middle = 10;
    ServeRanges<assay_timed_write_manual_wal>(trial, database, work, work.end, 1, "Write and FlushWAL");
  });
}

}  // namespace

assay::Workload WriteManualWal() {
  return {
      "write-manual-wal",
      "Writes single-record batches into a VectorRep memtable, with a log that is flushed by hand.",
      "DB::Write of prebuilt batches in a cycle, and the final FlushWAL(false). Not their construction, "
      "FlushWAL(true), closing, reopening, recovery or verification.",
      {
          assay::Count("writes", 2097152, "writes", "calls of DB::Write, one after the other", 1, 1 << 24),
          assay::Count("batches", 1024, "batches", "prebuilt batches, each of one record k%09d with an empty value", 1,
                       1 << 20),
          assay::Flag("sync", false, "WriteOptions::sync"),
      },
      {
          "writes with sync = true, unless --sync true was given",
          "the default memtable",
          "concurrent writers or pipelined writes",
          "a log that RocksDB flushes at each write",
          "the latency of durable writes",
      },
      Run,
      Serve,
  };
}
