// RocksDB, by leveled or universal compaction.
// assay-engine: name=rocksdb title=RocksDB header=rocksdb/db.h link=-lrocksdb package=librocksdb-dev
// assay-engine: variants=leveled,universal log=off,on
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/metadata.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>
#include <rocksdb/write_batch.h>

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../rocksdb/database.h"
#include "background-work.h"
#include "engine.h"

namespace {

using assay::Record;
using Properties = rocksdb::DB::Properties;

constexpr int kBackgroundJobs = 2;
constexpr int kBloomBits = 10;

rocksdb::Slice SliceOf(std::string_view text) {
  return {text.data(), text.size()};
}

std::string_view ViewOf(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

// Knows whether background work is going on. The property for pending compactions would not do: universal compaction
// may have nothing to do, and say that it is pending.
class WatchedEnv : public rocksdb::EnvWrapper {
 public:
  WatchedEnv() : EnvWrapper(rocksdb::Env::Default()) {}
  ~WatchedEnv() override { background_.WaitUntilIdle(); }
  const char* Name() const override { return "WatchedEnv"; }

  void Schedule(void (*function)(void*), void* argument, Priority priority, void* tag, void (*drop)(void*)) override {
    background_.Scheduled();
    target()->Schedule(Run, new Work{&background_, function, drop, argument}, priority, tag, Drop);
  }

  const assay::BackgroundWork& Background() const { return background_; }

 private:
  struct Work {
    assay::BackgroundWork* background;
    void (*function)(void*);
    void (*drop)(void*);
    void* argument;
  };

  static void Run(void* data) {
    const std::unique_ptr<Work> work(static_cast<Work*>(data));
    work->background->Run(work->function, work->argument);
  }

  static void Drop(void* data) {
    const std::unique_ptr<Work> work(static_cast<Work*>(data));
    if (work->drop != nullptr) work->drop(work->argument);
    work->background->CalledOff();
  }

  assay::BackgroundWork background_;
};

class RocksDb : public assay::Engine {
 public:
  explicit RocksDb(const assay::EngineSettings& settings) : settings_(settings) {
    write_options_.disableWAL = !settings.log;
  }

  void Open() override {
    database_.emplace(DbOptions(), settings_.path,
                      std::vector<rocksdb::ColumnFamilyDescriptor>{
                          {rocksdb::kDefaultColumnFamilyName, FamilyOptions()},
                      });
  }

  void Put(const Record* records, uint64_t count) override {
    if (count == 1) {
      return Require(Db()->Put(write_options_, SliceOf(records->key), SliceOf(records->value)), "Put");
    }
    batch_.Clear();
    for (const Record* record = records; record != records + count; record++) {
      Require(batch_.Put(SliceOf(record->key), SliceOf(record->value)), "Put into a batch");
    }
    Require(Db()->Write(write_options_, &batch_), "Write");
  }

  bool Get(std::string_view key, std::string& value) override {
    rocksdb::PinnableSlice found;
    const rocksdb::Status status = Db()->Get(rocksdb::ReadOptions(), Db()->DefaultColumnFamily(), SliceOf(key), &found);
    if (status.IsNotFound()) return false;
    Require(status, "Get");
    value.assign(found.data(), found.size());
    return true;
  }

  void Scan(std::string_view from, uint64_t most, Sink& sink) override {
    const std::unique_ptr<rocksdb::Iterator> iterator(Db()->NewIterator(rocksdb::ReadOptions()));
    iterator->Seek(SliceOf(from));
    for (uint64_t taken = 0; taken < most && iterator->Valid(); taken++) {
      sink.Take(ViewOf(iterator->key()), ViewOf(iterator->value()));
      if (taken + 1 < most) iterator->Next();
    }
    Require(iterator->status(), "iterator");
  }

  void Settle() override {
    Require(Db()->Flush(rocksdb::FlushOptions()), "Flush");
    WaitUntilIdle();
    if (!IsUniversal()) {
      EmptyLevelZero();
      WaitUntilIdle();
    }
  }

  std::string Unsettled() override {
    if (Property(Properties::kNumEntriesActiveMemTable) + Property(Properties::kNumImmutableMemTable) > 0) {
      return "records are in the memtable";
    }
    if (!IsUniversal() && !LevelZero().empty()) return "tables are in level 0";
    return env_.Background().IsIdle() ? "" : "flushes or compactions are going on";
  }

  void WaitUntilIdle() override { env_.Background().WaitUntilIdle(); }

  std::vector<std::string> Shape() override {
    std::string text;
    if (!Db()->GetProperty(Properties::kLevelStats, &text)) return {};
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  assay::Promises Declare() override {
    assay::Promises promises;
    promises.log = settings_.log;
    promises.sync = "checkpoint";
    promises.checksums = "each block";
    promises.cache_bounded = true;
    promises.direct_io = false;
    promises.background_threads = kBackgroundJobs;
    promises.write_buffer_bytes = settings_.write_buffer_bytes;
    promises.settled = IsUniversal() ? "memtable flushed, no compaction due; sorted runs stay in level 0"
                                     : "memtable flushed, level 0 empty, no compaction due";
    promises.settings = {{"bloom_bits", std::to_string(kBloomBits)},
                         {"index_and_filter_in_cache", "true"},
                         {"max_bytes_for_level_base", std::to_string(FamilyOptions().max_bytes_for_level_base)},
                         {"target_file_size_base", std::to_string(FamilyOptions().target_file_size_base)}};
    return promises;
  }

  // What a compaction has written until then would be lost.
  void Close() override {
    WaitUntilIdle();
    database_->Close();
    database_.reset();
  }

 private:
  rocksdb::DB* Db() { return database_->get(); }
  bool IsUniversal() const { return settings_.variant == "universal"; }

  rocksdb::DBOptions DbOptions() {
    rocksdb::DBOptions options;
    options.env = &env_;
    options.create_if_missing = true;
    options.max_background_jobs = kBackgroundJobs;
    options.stats_dump_period_sec = 0;
    options.stats_persist_period_sec = 0;
    return options;
  }

  rocksdb::ColumnFamilyOptions FamilyOptions() const {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(settings_.cache_bytes);
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBloomBits));
    table.cache_index_and_filter_blocks = true;  // else the cache bounds only a part of what is kept
    rocksdb::ColumnFamilyOptions options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.compression = rocksdb::kNoCompression;
    options.compaction_style = IsUniversal() ? rocksdb::kCompactionStyleUniversal : rocksdb::kCompactionStyleLevel;
    options.write_buffer_size = settings_.write_buffer_bytes;
    options.target_file_size_base = settings_.write_buffer_bytes;
    options.level_compaction_dynamic_level_bytes = true;
    options.max_bytes_for_level_base = 4 * settings_.write_buffer_bytes;
    AllowMemtableWrites(options);
    return options;
  }

  uint64_t Property(const std::string& name) {
    uint64_t value = 0;
    if (!Db()->GetIntProperty(name, &value)) throw assay::Failure("no property " + name);
    return value;
  }

  std::vector<std::string> LevelZero() {
    rocksdb::ColumnFamilyMetaData family;
    Db()->GetColumnFamilyMetaData(&family);
    std::vector<std::string> names;
    for (const auto& file : family.levels.front().files) names.push_back(file.name);
    return names;
  }

  // Compacts level 0 into the first level below it that has tables, or the last; the tables there that overlap come in
  // by themselves.
  void EmptyLevelZero() {
    const std::vector<std::string> names = LevelZero();
    if (names.empty()) return;
    rocksdb::ColumnFamilyMetaData family;
    Db()->GetColumnFamilyMetaData(&family);
    size_t level = 1;
    while (level + 1 < family.levels.size() && family.levels[level].files.empty()) level++;
    rocksdb::CompactionOptions options;
    // As the database does: older versions compress by default.
    options.compression = rocksdb::kDisableCompressionOption;
    options.output_file_size_limit = settings_.write_buffer_bytes;
    Require(Db()->CompactFiles(options, names, static_cast<int>(level)), "CompactFiles");
  }

  assay::EngineSettings settings_;
  WatchedEnv env_;
  rocksdb::WriteOptions write_options_;
  rocksdb::WriteBatch batch_;
  std::optional<Database> database_;
};

}  // namespace

assay::EngineDescription assay::DescribeEngine() {
  return {"RocksDB",
          std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + "." + std::to_string(ROCKSDB_PATCH),
          rocksdb::GetRocksVersionAsString(true),
          "librocksdb",
          {"leveled", "universal"}};
}

std::unique_ptr<assay::Engine> assay::MakeEngine(const EngineSettings& settings) {
  return std::make_unique<RocksDb>(settings);
}
