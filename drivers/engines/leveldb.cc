// LevelDB. It always writes a log, and has no way to be asked what it has put off: both are seen through its Env.
// assay-engine: name=leveldb title=LevelDB header=leveldb/db.h link=-lleveldb package=libleveldb-dev
// assay-engine: variants=default log=on
#include <fcntl.h>
#include <leveldb/c.h>
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "engine.h"

namespace {

using assay::Record;

constexpr int kBloomBits = 10;

leveldb::Slice SliceOf(std::string_view text) {
  return {text.data(), text.size()};
}

std::string_view ViewOf(const leveldb::Slice& slice) {
  return {slice.data(), slice.size()};
}

void Require(const leveldb::Status& status, const std::string& what) {
  if (!status.ok()) throw assay::Failure(what + ": " + status.ToString());
}

// Read by pread: mapped, as LevelDB would have it, each read of a block drags the device's whole read-ahead in.
class RandomFile : public leveldb::RandomAccessFile {
 public:
  RandomFile(std::string name, int file) : name_(std::move(name)), file_(file) {}
  ~RandomFile() override { close(file_); }

  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result, char* scratch) const override {
    size_t done = 0;
    while (done < n) {
      const ssize_t got = pread(file_, scratch + done, n - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return leveldb::Status::IOError(name_, strerror(errno));
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    *result = leveldb::Slice(scratch, done);
    return leveldb::Status::OK();
  }

 private:
  std::string name_;
  int file_;
};

// Also knows whether background work is going on. Each piece schedules the next, if there is one, before it ends.
class WatchedEnv : public leveldb::EnvWrapper {
 public:
  WatchedEnv() : EnvWrapper(leveldb::Env::Default()) {}
  ~WatchedEnv() override { WaitUntilIdle(); }

  leveldb::Status NewRandomAccessFile(const std::string& name, leveldb::RandomAccessFile** result) override {
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    *result = nullptr;
    if (file < 0) {
      return errno == ENOENT ? leveldb::Status::NotFound(name, strerror(errno))
                             : leveldb::Status::IOError(name, strerror(errno));
    }
    posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
    *result = new RandomFile(name, file);
    return leveldb::Status::OK();
  }

  void Schedule(void (*function)(void*), void* argument) override {
    pending_++;
    target()->Schedule(Run, new Work{this, function, argument});
  }

  bool IsIdle() const { return pending_ == 0; }

  void WaitUntilIdle() const {
    while (!IsIdle()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  struct Work {
    WatchedEnv* env;
    void (*function)(void*);
    void* argument;
  };

  static void Run(void* data) {
    const std::unique_ptr<Work> work(static_cast<Work*>(data));
    work->function(work->argument);
    work->env->pending_--;
  }

  std::atomic<uint64_t> pending_{0};
};

class LevelDb : public assay::Engine {
 public:
  explicit LevelDb(const assay::EngineSettings& settings) : settings_(settings) {
    read_options_.verify_checksums = true;  // as the other engines do
  }

  void Open() override {
    cache_.reset(leveldb::NewLRUCache(settings_.cache_bytes));
    filter_.reset(leveldb::NewBloomFilterPolicy(kBloomBits));
    leveldb::Options options;
    options.create_if_missing = true;
    options.env = &env_;
    options.block_cache = cache_.get();
    options.filter_policy = filter_.get();
    options.compression = leveldb::kNoCompression;
    options.write_buffer_size = settings_.write_buffer_bytes;
    options.max_file_size = settings_.write_buffer_bytes;
    leveldb::DB* database = nullptr;
    Require(leveldb::DB::Open(options, settings_.path, &database), "open");
    database_.reset(database);
  }

  void Put(const Record* records, uint64_t count) override {
    batch_.Clear();
    for (const Record* record = records; record != records + count; record++) {
      batch_.Put(SliceOf(record->key), SliceOf(record->value));
    }
    Require(database_->Write(leveldb::WriteOptions(), &batch_), "Write");
  }

  bool Get(std::string_view key, std::string& value) override {
    const leveldb::Status status = database_->Get(read_options_, SliceOf(key), &value);
    if (status.IsNotFound()) return false;
    Require(status, "Get");
    return true;
  }

  void Scan(std::string_view from, uint64_t most, Sink& sink) override {
    const std::unique_ptr<leveldb::Iterator> iterator(database_->NewIterator(read_options_));
    iterator->Seek(SliceOf(from));
    for (uint64_t taken = 0; taken < most && iterator->Valid(); taken++) {
      sink.Take(ViewOf(iterator->key()), ViewOf(iterator->value()));
      if (taken + 1 < most) iterator->Next();
    }
    Require(iterator->status(), "iterator");
  }

  // Only opening again flushes the memtable without compacting everything, and level 0 is compacted only when it holds
  // several tables. The first and the last record, written again as they are, make one that overlaps all others.
  void Settle() override {
    constexpr int kMostPasses = 16;  // four suffice
    Reopen();
    for (int pass = 0; pass < kMostPasses && LevelZeroTables() > 0; pass++) {
      PutEndsAgain();
      Reopen();
    }
  }

  std::string Unsettled() override {
    if (!env_.IsIdle()) return "compactions are going on";
    if (LevelZeroTables() > 0) return "tables are in level 0";
    for (const auto& entry : std::filesystem::directory_iterator(settings_.path)) {
      if (entry.path().extension() == ".log" && entry.file_size() > 0) return "records are in the log";
    }
    return "";
  }

  std::vector<std::string> Shape() override {
    std::string text;
    if (!database_->GetProperty("leveldb.stats", &text)) return {};
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  assay::Promises Declare() override {
    assay::Promises promises;
    promises.log = true;
    promises.sync = "checkpoint";
    promises.checksums = "each block, and the log";
    promises.cache_bounded = true;
    promises.direct_io = false;
    promises.background_threads = 1;
    promises.settled = "memtable flushed by opening again, level 0 empty, no compaction due";
    promises.settings = {{"bloom_bits", std::to_string(kBloomBits)},
                         {"max_file_size", std::to_string(settings_.write_buffer_bytes)},
                         {"reads", "pread, POSIX_FADV_RANDOM"}};
    return promises;
  }

  void Close() override { database_.reset(); }

 private:
  void Reopen() {
    Close();
    Open();
    env_.WaitUntilIdle();
  }

  uint64_t LevelZeroTables() {
    std::string text;
    if (!database_->GetProperty("leveldb.num-files-at-level0", &text)) throw assay::Failure("no number of tables");
    return std::stoull(text);
  }

  void PutEndsAgain() {
    const std::unique_ptr<leveldb::Iterator> iterator(database_->NewIterator(read_options_));
    batch_.Clear();
    iterator->SeekToFirst();
    if (iterator->Valid()) batch_.Put(iterator->key(), iterator->value());
    iterator->SeekToLast();
    if (iterator->Valid()) batch_.Put(iterator->key(), iterator->value());
    Require(iterator->status(), "iterator");
    Require(database_->Write(leveldb::WriteOptions(), &batch_), "Write");
  }

  assay::EngineSettings settings_;
  WatchedEnv env_;
  leveldb::ReadOptions read_options_;
  leveldb::WriteBatch batch_;
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::DB> database_;
};

}  // namespace

assay::EngineDescription assay::DescribeEngine() {
  const auto version = [](int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); };
  return {"LevelDB",
          version(leveldb::kMajorVersion, leveldb::kMinorVersion),
          version(leveldb_major_version(), leveldb_minor_version()),
          "libleveldb",
          {"default"}};
}

std::unique_ptr<assay::Engine> assay::MakeEngine(const EngineSettings& settings) {
  return std::make_unique<LevelDb>(settings);
}
