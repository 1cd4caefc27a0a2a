#include "verification.h"

#include <rocksdb/memtablerep.h>
#include <rocksdb/metadata.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

std::vector<std::string> NumberedKeys(const char* format, uint64_t count) {
  std::vector<std::string> keys;
  keys.reserve(count);
  char key[64];
  for (uint64_t j = 0; j < count; j++) {
    snprintf(key, sizeof key, format, static_cast<int>(j));
    keys.emplace_back(key);
  }
  return keys;
}

std::vector<rocksdb::ColumnFamilyDescriptor> FamilyDescriptors(uint64_t count,
                                                               const rocksdb::ColumnFamilyOptions& options) {
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  descriptors.emplace_back(rocksdb::kDefaultColumnFamilyName, options);
  for (uint64_t i = 1; i < count; i++) descriptors.emplace_back("family_" + std::to_string(i), options);
  return descriptors;
}

namespace {

// What is wrong with family `first` of `step` families, or nothing.
std::string WrongContents(rocksdb::Iterator& iterator, const std::vector<std::string>& keys, const std::string& value,
                          size_t first, size_t step) {
  size_t j = first;
  for (iterator.SeekToFirst(); iterator.Valid(); iterator.Next(), j += step) {
    const std::string found = iterator.key().ToString();
    if (j >= keys.size() || found < keys[j]) return found + " should not be there";
    if (found != keys[j]) return keys[j] + " is missing";
    if (iterator.value() != value) return found + " has the value " + iterator.value().ToString();
  }
  if (!iterator.status().ok()) return iterator.status().ToString();
  return j < keys.size() ? keys[j] + " is missing" : "";
}

uint64_t Property(const Database& database, rocksdb::ColumnFamilyHandle* family, const std::string& name) {
  uint64_t value = 0;
  if (!database->GetIntProperty(family, name, &value)) throw assay::Failure("no property " + name);
  return value;
}

uint64_t TablesOnDisk(const std::string& path) {
  uint64_t tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) tables += entry.path().extension() == ".sst";
  return tables;
}

}  // namespace

void CheckContents(assay::Trial& trial, const std::string& check, const Database& database,
                   const std::vector<std::string>& keys, const std::string& value) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::vector<rocksdb::ColumnFamilyHandle*>& families = database.Families();
  for (size_t i = 0; i < families.size(); i++) {
    const std::unique_ptr<rocksdb::Iterator> iterator(database->NewIterator(options, families[i]));
    const std::string wrong = WrongContents(*iterator, keys, value, i, families.size());
    trial.Check(check, wrong.empty(), "family " + families[i]->GetName() + ": " + wrong);
  }
}

bool IsIdle(const Database& database) {
  using Properties = rocksdb::DB::Properties;
  for (const std::string& name : {Properties::kNumRunningFlushes, Properties::kNumRunningCompactions,
                                  Properties::kMemTableFlushPending, Properties::kCompactionPending}) {
    uint64_t sum = 0;
    if (!database->GetAggregatedIntProperty(name, &sum)) throw assay::Failure("no property " + name);
    if (sum > 0) return false;
  }
  return true;
}

void RequireStatus(assay::Trial& trial, const rocksdb::Status& status, const std::string& what) {
  if (!trial.Check("statuses", status.ok(), what + ": " + status.ToString())) throw assay::Failure(what + " failed");
}

rocksdb::DBOptions UnflushedDbOptions(const std::shared_ptr<FlushWatch>& watch) {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.allow_concurrent_memtable_write = false;  // VectorRep does not take concurrent writes
  options.enable_pipelined_write = false;
  options.avoid_flush_during_shutdown = true;
  options.avoid_flush_during_recovery = true;
  options.recycle_log_file_num = 0;
  options.stats_dump_period_sec = 0;  // no thread that wakes up in the timed region
  options.stats_persist_period_sec = 0;
  options.listeners.push_back(watch);
  return options;
}

rocksdb::ColumnFamilyOptions UnflushedFamilyOptions() {
  rocksdb::ColumnFamilyOptions options;
  options.memtable_factory = std::make_shared<rocksdb::VectorRepFactory>(0);
  options.write_buffer_size = size_t{1} << 30;
  options.compression = rocksdb::kNoCompression;
  options.disable_auto_compactions = true;
  AllowMemtableWrites(options);
  return options;
}

void CheckUnflushed(assay::Trial& trial, const std::string& prefix, const Database& database, const FlushWatch& watch,
                    uint64_t entries, const std::string& path) {
  const std::vector<rocksdb::ColumnFamilyHandle*>& families = database.Families();
  for (uint64_t i = 0; i < families.size(); i++) {
    const uint64_t expected = entries / families.size() + (i < entries % families.size() ? 1 : 0);
    rocksdb::ColumnFamilyHandle* family = families[i];
    trial.CheckEqual(prefix + "entries", Property(database, family, rocksdb::DB::Properties::kNumEntriesActiveMemTable),
                     expected, "entries in the active memtable of " + family->GetName());
    trial.CheckEqual(prefix + "immutable", Property(database, family, rocksdb::DB::Properties::kNumImmutableMemTable),
                     0, "immutable memtables of " + family->GetName());
    trial.CheckEqual(prefix + "immutable",
                     Property(database, family, rocksdb::DB::Properties::kNumImmutableMemTableFlushed), 0,
                     "flushed memtables of " + family->GetName());
  }
  trial.CheckEqual(prefix + "sequence", database->GetLatestSequenceNumber(), entries, "sequence number");
  std::vector<rocksdb::LiveFileMetaData> live;
  database->GetLiveFilesMetaData(&live);
  trial.CheckEqual(prefix + "flushes", watch.Flushes(), 0, "flushes begun");
  trial.CheckEqual(prefix + "flushes", watch.Sealed(), 0, "memtables sealed");
  trial.CheckEqual(prefix + "flushes", live.size(), 0, "live tables");
  trial.CheckEqual(prefix + "flushes", TablesOnDisk(path), 0, "tables on disk");
}
