// A BackupEngine opened, a backup made, the engine destroyed, again and again.
#include <rocksdb/utilities/backup_engine.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "database.h"
#include "faults.h"
#include "verification.h"
#include "workloads.h"

namespace {

struct Backup {
  rocksdb::DB* db;
  rocksdb::Env* env;
  rocksdb::BackupEngineOptions options;
  rocksdb::Status status;
};

}  // namespace

ASSAY_TIMED_REGION assay_timed_backup(Backup* work) {
  rocksdb::BackupEngine* engine = nullptr;
  rocksdb::Status status = rocksdb::BackupEngine::Open(work->options, work->env, &engine);
  if (status.ok()) status = engine->CreateNewBackup(work->db);
  delete engine;
  if constexpr (IsFault(Fault::failed_status)) status = rocksdb::Status::IOError("fault");
  work->status = status;
}

namespace {

std::unique_ptr<rocksdb::BackupEngine> OpenEngine(assay::Trial& trial, const Backup& work) {
  rocksdb::BackupEngine* engine = nullptr;
  RequireStatus(trial, rocksdb::BackupEngine::Open(work.options, work.env, &engine), "BackupEngine::Open");
  return std::unique_ptr<rocksdb::BackupEngine>(engine);
}

// Loads and flushes key j, for all j, into family j % families.
void Load(assay::Trial& trial, const Database& database, const std::vector<std::string>& keys,
          const std::string& value) {
  constexpr size_t kBatch = 256;
  const std::vector<rocksdb::ColumnFamilyHandle*>& families = database.Families();
  for (size_t j = 0; j < keys.size();) {
    rocksdb::WriteBatch batch;
    for (const size_t end = std::min(j + kBatch, keys.size()); j < end; j++) {
      if (IsFault(Fault::lost_write) && j == keys.size() / 2) continue;
      const bool wrong = IsFault(Fault::wrong_value) && j == keys.size() / 2;
      RequireStatus(trial, batch.Put(families[j % families.size()], keys[j], wrong ? "wrong" : value), "Put");
    }
    RequireStatus(trial, database->Write(rocksdb::WriteOptions(), &batch), "Write");
  }
  if constexpr (IsFault(Fault::written_twice)) {
    RequireStatus(trial, database->Put(rocksdb::WriteOptions(), families[0], keys[0], value), "Put");
  }
  for (rocksdb::ColumnFamilyHandle* family : families) {
    RequireStatus(trial, database->Flush(rocksdb::FlushOptions(), family), "Flush");
  }
}

void CorruptTables(const std::string& path) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.path().extension() != ".sst") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    const char first = static_cast<char>(file.get());
    file.seekp(0);
    file.put(static_cast<char>(first ^ 1));
  }
}

// Makes backups of which only the last stays. Returns how long each took, in ns.
std::vector<int64_t> MakeBackups(assay::Trial& trial, Backup& work, uint64_t iterations, std::optional<uint64_t> cpu) {
  std::vector<int64_t> times;
  for (uint64_t i = 0; i < iterations; i++) {
    if (IsFault(Fault::lost_backup) && i == 0) continue;
    {
      const assay::PinnedThread pin(cpu);
      times.push_back(assay::TimeNs(assay_timed_backup, &work));
    }
    RequireStatus(trial, work.status, "BackupEngine::Open and CreateNewBackup");
    // An engine reads all old backups when it opens: one more each time would make each iteration longer.
    RequireStatus(trial, OpenEngine(trial, work)->PurgeOldBackups(1), "PurgeOldBackups");
  }
  return times;
}

// Restores the last backup, which is the only one left. Throws Failure where it is damaged.
void Restore(assay::Trial& trial, const Backup& work, uint64_t iterations, const std::string& path) {
  if constexpr (IsFault(Fault::corrupt_backup)) CorruptTables(work.options.backup_dir);
  const std::unique_ptr<rocksdb::BackupEngine> engine = OpenEngine(trial, work);
  std::vector<rocksdb::BackupInfo> infos;
  engine->GetBackupInfo(&infos);
  trial.CheckEqual("backups", infos.size(), 1, "backups kept");
  const rocksdb::BackupID last = infos.empty() ? 0 : infos.back().backup_id;
  trial.CheckEqual("backups", last, iterations, "the last backup's number");
  const rocksdb::Status status = engine->VerifyBackup(last, true);
  if (!trial.Check("verified", status.ok(), status.ToString())) throw assay::Failure("the backup is damaged");
  RequireStatus(trial, engine->RestoreDBFromBackup(last, path, path), "RestoreDBFromBackup");
}

void Run(const assay::Arguments& arguments, assay::Trial& trial) {
  const std::string path = arguments.Directory() + "/db";
  const std::string restored = arguments.Directory() + "/restored";
  const uint64_t iterations = arguments.Count("iterations");
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  rocksdb::ColumnFamilyOptions family_options;
  family_options.compression = rocksdb::kNoCompression;
  family_options.disable_auto_compactions = true;
  AllowMemtableWrites(family_options);
  const auto descriptors = FamilyDescriptors(arguments.Count("families"), family_options);
  const std::vector<std::string> keys = NumberedKeys("key_exit:%09d", arguments.Count("keys"));
  const std::string value(arguments.Count("value-bytes"), 'v');
  std::optional<Database> database;
  database.emplace(options, path, descriptors);
  Load(trial, *database, keys, value);

  Backup work{
      database->get(), rocksdb::Env::Default(), rocksdb::BackupEngineOptions(arguments.Directory() + "/backups"), {}};
  work.options.sync = arguments.Flag("sync");
  std::vector<int64_t> times = MakeBackups(trial, work, iterations, arguments.Cpu());
  database->Close();
  trial.Metric("backup_ns", std::accumulate(times.begin(), times.end(), int64_t{0}));
  trial.Operations(times.size());
  trial.Fact("iteration_ns", times);
  std::sort(times.begin(), times.end());
  trial.Metric("iteration_p50_ns", times[(times.size() - 1) / 2]);
  trial.Metric("iteration_max_ns", times.back());
  trial.Fact("keys", keys.size());
  trial.Fact("bytes", keys.size() * (keys[0].size() + value.size()));
  trial.Fact("compression", "none");

  Restore(trial, work, iterations, restored);
  database.emplace(rocksdb::DBOptions(), restored, descriptors);
  trial.CheckEqual("restored_sequence", (*database)->GetLatestSequenceNumber(), keys.size(), "sequence number");
  CheckContents(trial, "restored_contents", *database, keys, value);
  database->Close();
}

}  // namespace

assay::Workload BackupLoop() {
  return {
      "backup-loop",
      "Opens a BackupEngine, backs up a database that does not change, destroys the engine, repeatedly.",
      "BackupEngine::Open, CreateNewBackup, destruction; the sum over all iterations, and each. Not loading the "
      "database, PurgeOldBackups(1) after each iteration, verification or restoring.",
      {
          assay::Count("iterations", 100, "backups", "backups made one after the other", 1, 1000000),
          assay::Count("keys", 100000, "keys", "records of the database, with keys key_exit:%09d", 1, 100000000),
          assay::Count("value-bytes", 16, "bytes", "size of each value", 1, 1 << 20),
          assay::Count("families", 20, "families", "column families, the default one among them", 1, 10000),
          assay::Flag("sync", false, "BackupEngineOptions::sync; with it the disk's fsync is what is measured"),
      },
      {
          "the first backup alone: later ones share its tables",
          "backups of a database that is written to",
          "the durability of backups, unless --sync true was given",
          "restoring or purging",
      },
      Run,
  };
}
