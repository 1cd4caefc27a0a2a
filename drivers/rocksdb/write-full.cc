// Whole batched writes: batches are made and written, over many column families.
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

struct BatchedWrites {
  rocksdb::DB* db;
  rocksdb::WriteOptions options;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  std::vector<std::string> keys;
  std::string value;
  size_t batch;
  size_t begin;   // the keys of this region: from here
  size_t end;     // to before here
  size_t middle;  // where faults are
  rocksdb::Status status;
};

}  // namespace

ASSAY_TIMED_REGION assay_timed_write_full(BatchedWrites* work) {
  const size_t count = work->end;
  const size_t families = work->families.size();
  for (size_t j = work->begin; j < count;) {
    if constexpr (IsFault(Fault::flush_in_region)) work->db->Flush(rocksdb::FlushOptions()).PermitUncheckedError();
    const size_t end = std::min(j + work->batch, count);
    rocksdb::WriteBatch batch;
    for (; j < end; j++) {
      if constexpr (IsFault(Fault::lost_write)) {
        if (j == work->middle) continue;
      }
      if constexpr (IsFault(Fault::wrong_value)) {
        if (j == work->middle) work->value[0] = 'w';
        if (j == work->middle + 1) work->value[0] = 'v';
      }
      rocksdb::Status status = batch.Put(work->families[j % families], work->keys[j], work->value);
      if (!status.ok()) {
        work->status = status;
        return;
      }
    }
    rocksdb::Status status = work->db->Write(work->options, &batch);
    if constexpr (IsFault(Fault::failed_status)) status = rocksdb::Status::IOError("fault");
    if (!status.ok()) {
      work->status = status;
      return;
    }
  }
}

namespace {

void Prepare(const assay::Arguments& arguments, const Database& database, BatchedWrites& work) {
  work.db = database.get();
  work.families = database.Families();
  work.keys = NumberedKeys("key_exit:%09d", arguments.Count("keys"));
  work.value = std::string(arguments.Count("value-bytes"), 'v');
  work.batch = arguments.Count("batch");
  work.begin = 0;
  work.end = work.keys.size();
  work.middle = work.keys.size() / 2;
}

template <typename Write>
void RunWith(const assay::Arguments& arguments, assay::Trial& trial, Write write) {
  const std::string path = arguments.Directory() + "/db";
  const auto descriptors = FamilyDescriptors(arguments.Count("families"), UnflushedFamilyOptions());
  auto watch = std::make_shared<FlushWatch>();
  std::optional<Database> database;
  database.emplace(UnflushedDbOptions(watch), path, descriptors);

  BatchedWrites work;
  {
    // After opening: the threads of the engine are not pinned.
    const assay::PinnedThread pin(arguments.Cpu());
    Prepare(arguments, *database, work);
    write(*database, work);
  }
  RequireStatus(trial, work.status, "Put and Write");
  const uint64_t count = work.keys.size();
  trial.Operations(count);
  trial.Fact("keys", count);
  trial.Fact("batches", (count + work.batch - 1) / work.batch);
  trial.Fact("bytes", count == 0 ? 0 : count * (work.keys[0].size() + work.value.size()));
  trial.Fact("compression", "none");
  trial.Fact("memtable", "VectorRep");

  CheckUnflushed(trial, "", *database, *watch, count, path);
  CheckContents(trial, "contents", *database, work.keys, work.value);
  if constexpr (IsFault(Fault::late_write)) {
    RequireStatus(trial, (*database)->Put(work.options, work.families[0], work.keys[0], work.value), "Put");
  }
  database->Close();

  watch = std::make_shared<FlushWatch>();
  database.emplace(UnflushedDbOptions(watch), path, descriptors);
  CheckUnflushed(trial, "reopened_", *database, *watch, count, path);
  CheckContents(trial, "reopened_contents", *database, work.keys, work.value);
  database->Close();
}

void Run(const assay::Arguments& arguments, assay::Trial& trial) {
  RunWith(arguments, trial, [&](const Database&, BatchedWrites& work) {
    trial.Metric("write_ns", assay::TimeNs(assay_timed_write_full, &work));
  });
}

void Serve(const assay::Arguments& arguments, assay::Trial& trial) {
  RunWith(arguments, trial, [&](const Database& database, BatchedWrites& work) {
    work.middle = work.batch + work.batch / 2;
    work.keys.resize(
        ServeRanges<assay_timed_write_full>(trial, database, work, work.keys.size(), work.batch, "Put and Write"));
  });
}

}  // namespace

assay::Workload WriteFull() {
  return {
      "write-full",
      "Makes batches over many column families and writes them with DB::Write into VectorRep memtables.",
      "constructing each batch, DB::Write with the log on and sync off, destroying the batch. Not the keys, opening, "
      "closing, reopening or verification.",
      {
          assay::Count("keys", 2000000, "keys", "records, with keys key_exit:%09d", 1, 100000000),
          assay::Count("value-bytes", 16, "bytes", "size of each value", 1, 1 << 20),
          assay::Count("batch", 256, "records", "records in a batch", 1, 1000000),
          assay::Count("families", 20, "families", "column families, the default one among them", 1, 10000),
      },
      {
          "the construction of batches or DB::Write alone: each is a part of the time",
          "the default memtable",
          "concurrent writers or pipelined writes",
          "the latency of durable writes: nothing is synced",
      },
      Run,
      Serve,
  };
}
