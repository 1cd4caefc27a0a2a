// SplinterDB, against headers and a library that the user has built; Assay has no recipe for building it. This file
// knows the public headers of 2026-06, and was tried with a library of that month. The tests, which have none, run it
// over a stand-in for the headers.
// It can write a log (use_log), but does not read it when it is opened: that would keep nothing, and it stays off.
//
// assay-engine: name=splinterdb title=SplinterDB header=splinterdb/splinterdb.h link=-lsplinterdb
// assay-engine: define=SPLINTERDB_PLATFORM_DIR=platform_linux variants=default log=off
#include <splinterdb/default_data_config.h>
#include <splinterdb/splinterdb.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "engine.h"

namespace {

using assay::Record;

constexpr uint64_t kMemtables = 4;
constexpr uint64_t kLeastCache = 4000000;   // below it aborts, or waits for ever
constexpr uint64_t kBackgroundThreads = 2;  // one for memtables, one for the rest

void Require(int result, const std::string& what) {
  if (result != 0) throw assay::Failure(what + ": error " + std::to_string(result));
}

slice SliceOf(std::string_view text) {
  return slice_create(text.size(), text.data());
}

std::string_view ViewOf(slice found) {
  return {static_cast<const char*>(slice_data(found)), slice_length(found)};
}

class SplinterDb : public assay::Engine {
 public:
  explicit SplinterDb(const assay::EngineSettings& settings)
      : settings_(settings), file_(settings.path + "/records.splinterdb") {
    if (settings.cache_bytes < kLeastCache) throw assay::Failure("SplinterDB needs a cache of 4 MB at least");
    default_data_config_init(&data_);
  }
  ~SplinterDb() override { Release(); }

  void Open() override {
    splinterdb_config configuration = {};
    configuration.filename = file_.c_str();
    configuration.cache_size = CacheBytes();
    configuration.disk_size = DiskBytes();
    configuration.data_cfg = &data_;
    configuration.memtable_capacity = MemtableBytes();
    configuration.num_memtable_bg_threads = 1;
    configuration.num_normal_bg_threads = kBackgroundThreads - 1;
    configuration.use_log = false;
    if (std::filesystem::exists(file_)) {
      Require(splinterdb_open(&configuration, &database_), "splinterdb_open");
    } else {
      Require(splinterdb_create(&configuration, &database_), "splinterdb_create");
    }
    splinterdb_lookup_result_init(database_, &found_, SPLINTERDB_LOOKUP_VALUE, 0, nullptr);
  }

  // It knows no commit: a batch is stored record by record.
  void Put(const Record* records, uint64_t count) override {
    for (const Record* record = records; record != records + count; record++) {
      Require(splinterdb_insert(database_, SliceOf(record->key), SliceOf(record->value), nullptr), "splinterdb_insert");
    }
  }

  bool Get(std::string_view key, std::string& value) override {
    Require(splinterdb_lookup(database_, SliceOf(key), &found_), "splinterdb_lookup");
    if (!splinterdb_lookup_found(&found_)) return false;
    slice found = {};
    Require(splinterdb_lookup_result_value(&found_, &found), "splinterdb_lookup_result_value");
    value.assign(ViewOf(found));
    return true;
  }

  void Scan(std::string_view from, uint64_t most, Sink& sink) override {
    splinterdb_iterator* iterator = nullptr;
    Require(splinterdb_iterator_init(database_, &iterator, greater_than_or_equal, SliceOf(from)),
            "splinterdb_iterator_init");
    for (uint64_t taken = 0; taken < most && splinterdb_iterator_valid(iterator); taken++) {
      slice key, value;
      splinterdb_iterator_get_current(iterator, &key, &value);
      sink.Take(ViewOf(key), ViewOf(value));
      if (taken + 1 < most) splinterdb_iterator_next(iterator);
    }
    const int status = splinterdb_iterator_status(iterator);
    splinterdb_iterator_deinit(iterator);
    Require(status, "splinterdb_iterator");
  }

  // Only closing flushes; the study syncs the file system afterwards.
  void Settle() override {
    Close();
    Open();
  }

  std::string Unsettled() override { return ""; }

  assay::Promises Declare() override {
    assay::Promises promises;
    promises.log = false;
    promises.sync = "never";
    promises.checksums = "none but of its super block";
    promises.cache_bounded = true;
    promises.direct_io = false;
    promises.background_threads = kBackgroundThreads;
    promises.write_buffer_bytes = MemtableBytes();
    promises.settled = "memtable flushed by closing and opening again";
    promises.settings = {{"use_log", "false"},
                         {"cache_size", std::to_string(CacheBytes())},
                         {"memtable_capacity", std::to_string(MemtableBytes())},
                         {"disk_size", std::to_string(DiskBytes())}};
    return promises;
  }

  void Close() override { Release(); }

 private:
  // It takes whole lines of 64 pages, and aborts at any other size.
  uint64_t CacheBytes() const {
    constexpr uint64_t kLine = 64 * 4096;
    return std::max(settings_.cache_bytes / kLine, uint64_t{1}) * kLine;
  }

  // Well below the data, or nothing is ever written; and memtables lie in the cache, which has four of them at most.
  uint64_t MemtableBytes() const {
    constexpr uint64_t kLargest = 24 << 20;
    return std::min({settings_.write_buffer_bytes, CacheBytes() / kMemtables, kLargest});
  }

  // Fixed when the file is made; it is full of holes.
  uint64_t DiskBytes() const {
    constexpr uint64_t kUnit = 1 << 30;
    return (8 * settings_.data_bytes / kUnit + 1) * kUnit;
  }

  void Release() {
    if (database_ == nullptr) return;
    splinterdb_lookup_result_deinit(&found_);
    splinterdb_close(&database_);
    database_ = nullptr;
  }

  assay::EngineSettings settings_;
  std::string file_;
  data_config data_ = {};
  splinterdb* database_ = nullptr;
  splinterdb_lookup_result found_;
};

}  // namespace

assay::EngineDescription assay::DescribeEngine() {
  // The headers have no version of their own; that of the library follows a word.
  const std::string words = splinterdb_get_version();
  const std::string version = words.substr(words.rfind(' ') + 1);
  return {"SplinterDB", version, version, "libsplinterdb", {"default"}};
}

std::unique_ptr<assay::Engine> assay::MakeEngine(const EngineSettings& settings) {
  return std::make_unique<SplinterDb>(settings);
}
