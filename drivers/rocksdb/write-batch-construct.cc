// Construction of WriteBatches with explicit column family handles. Nothing is written in the timed region.
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "database.h"
#include "faults.h"
#include "ranges.h"
#include "verification.h"
#include "workloads.h"

namespace {

struct Construction {
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  std::vector<std::string> keys;
  std::string value;
  size_t batch;
  size_t protection_bytes_per_key;
  std::vector<rocksdb::WriteBatch> batches;  // has room for all
  size_t begin;                              // the keys of this region: from here
  size_t end;                                // to before here
  size_t middle;                             // where faults are
  rocksdb::Status status;
};

}  // namespace

ASSAY_TIMED_REGION assay_timed_write_batch_construct(Construction* work) {
  const size_t count = work->end;
  const size_t families = work->families.size();
  for (size_t j = work->begin; j < count;) {
    size_t end = std::min(j + work->batch, count);
    if constexpr (IsFault(Fault::wrong_batch)) end -= j == 0 ? 1 : 0;
    rocksdb::WriteBatch& batch = work->protection_bytes_per_key == 0
                                     ? work->batches.emplace_back()
                                     : work->batches.emplace_back(0, 0, work->protection_bytes_per_key, 0);
    for (; j < end; j++) {
      if constexpr (IsFault(Fault::lost_write)) {
        if (j == work->middle) continue;
      }
      if constexpr (IsFault(Fault::wrong_value)) {
        if (j == work->middle) work->value[0] = 'w';
        if (j == work->middle + 1) work->value[0] = 'v';
      }
      rocksdb::Status status = batch.Put(work->families[j % families], work->keys[j], work->value);
      if constexpr (IsFault(Fault::failed_status)) {
        if (j == work->middle) status = rocksdb::Status::IOError("fault");
      }
      if (!status.ok()) {
        work->status = status;
        return;
      }
    }
  }
}

namespace {

rocksdb::DBOptions DbOptions() {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  // What is found after reopening was flushed on purpose.
  options.avoid_flush_during_shutdown = true;
  return options;
}

void CheckBatches(assay::Trial& trial, const Construction& work) {
  size_t left = work.keys.size();
  trial.CheckEqual("batches", work.batches.size(), (left + work.batch - 1) / work.batch, "batches");
  for (const rocksdb::WriteBatch& batch : work.batches) {
    const size_t expected = std::min(work.batch, left);
    trial.CheckEqual("batches", batch.Count(), expected, "records in a batch");
    left -= expected;
  }
}

void Apply(assay::Trial& trial, const Database& database, Construction& work) {
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  for (rocksdb::WriteBatch& batch : work.batches) RequireStatus(trial, database->Write(options, &batch), "Write");
  if constexpr (IsFault(Fault::written_twice)) {
    RequireStatus(trial, database->Put(options, work.families[0], work.keys[0], work.value), "Put");
  }
}

void FlushAll(assay::Trial& trial, const Database& database, const Construction& work) {
  std::vector<rocksdb::ColumnFamilyHandle*> families = database.Families();
  if constexpr (IsFault(Fault::late_write)) {
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    RequireStatus(trial, database->Put(options, families[0], work.keys[0], work.value), "Put");
  }
  if constexpr (IsFault(Fault::unflushed_family)) families.erase(families.begin());
  for (rocksdb::ColumnFamilyHandle* family : families) {
    RequireStatus(trial, database->Flush(rocksdb::FlushOptions(), family), "Flush");
  }
}

// Opens the database and prepares all that `keys` needs. Not in the time.
void Prepare(const assay::Arguments& arguments, const Database& database, Construction& work) {
  work.families = database.Families();
  work.keys = NumberedKeys("key_exit:%09d", arguments.Count("keys"));
  work.value = std::string(arguments.Count("value-bytes"), 'v');
  work.batch = arguments.Count("batch");
  work.protection_bytes_per_key = arguments.Choice("protection-bytes-per-key") == "8" ? 8 : 0;
  work.batches.reserve((work.keys.size() + work.batch - 1) / work.batch + 1);
  work.begin = 0;
  work.end = work.keys.size();
  work.middle = work.keys.size() / 2;
}

// Correctness, not durable latency: applied without a log, and flushed.
void Verify(assay::Trial& trial, std::optional<Database>& database, const std::string& path,
            const std::vector<rocksdb::ColumnFamilyDescriptor>& descriptors, Construction& work) {
  RequireStatus(trial, work.status, "Put");
  CheckBatches(trial, work);
  uint64_t bytes = 0;
  for (const rocksdb::WriteBatch& batch : work.batches) bytes += batch.GetDataSize();
  trial.Operations(work.keys.size());
  trial.Fact("keys", work.keys.size());
  trial.Fact("batches", work.batches.size());
  trial.Fact("batch_bytes", bytes);

  trial.CheckEqual("sequence", (*database)->GetLatestSequenceNumber(), 0, "sequence number after construction");
  Apply(trial, *database, work);
  trial.CheckEqual("sequence", (*database)->GetLatestSequenceNumber(), work.keys.size(), "sequence number");
  CheckContents(trial, "contents", *database, work.keys, work.value);
  FlushAll(trial, *database, work);
  database->Close();
  database.emplace(DbOptions(), path, descriptors);
  trial.CheckEqual("reopened_sequence", (*database)->GetLatestSequenceNumber(), work.keys.size(), "sequence number");
  CheckContents(trial, "reopened_contents", *database, work.keys, work.value);
  database->Close();
}

template <typename Construct>
void RunWith(const assay::Arguments& arguments, assay::Trial& trial, Construct construct) {
  const std::string path = arguments.Directory() + "/db";
  rocksdb::ColumnFamilyOptions family_options;
  AllowMemtableWrites(family_options);
  const auto descriptors = FamilyDescriptors(arguments.Count("families"), family_options);
  std::optional<Database> database;
  database.emplace(DbOptions(), path, descriptors);
  Construction work;
  {
    const assay::PinnedThread pin(arguments.Cpu());
    Prepare(arguments, *database, work);
    construct(*database, work);
  }
  Verify(trial, database, path, descriptors, work);
}

void Run(const assay::Arguments& arguments, assay::Trial& trial) {
  RunWith(arguments, trial, [&](const Database&, Construction& work) {
    trial.Metric("construct_ns", assay::TimeNs(assay_timed_write_batch_construct, &work));
  });
}

void Serve(const assay::Arguments& arguments, assay::Trial& trial) {
  RunWith(arguments, trial, [&](const Database& database, Construction& work) {
    work.middle = work.batch + work.batch / 2;
    work.keys.resize(
        ServeRanges<assay_timed_write_batch_construct>(trial, database, work, work.keys.size(), work.batch, "Put"));
  });
}

}  // namespace

assay::Workload WriteBatchConstruct() {
  return {
      "write-batch-construct",
      "Constructs WriteBatches whose records name their column families by handles, and retains them.",
      "allocating the batches, Put(handles[j % families], keys[j], value), retaining the batches in a reserved vector. "
      "Not the keys, opening, DB::Write, destruction or verification.",
      {
          assay::Count("keys", 2000000, "keys", "records, with keys key_exit:%09d", 1, 100000000),
          assay::Count("value-bytes", 16, "bytes", "size of each value", 1, 1 << 20),
          assay::Count("batch", 256, "records", "records in a batch", 1, 1000000),
          assay::Count("families", 20, "families", "column families, the default one among them", 1, 10000),
          assay::Choice("protection-bytes-per-key", {"0", "8"}, "WriteBatch's own checksums, in bytes a key"),
      },
      {
          "complete DB::Write performance",
          "the latency of durable writes: the writes that verify the batches are made without a log",
          "BackupEngine",
          "batches made without column family handles",
      },
      Run,
      Serve,
  };
}
