// LevelDB. It always writes a log. It has no way to be asked what it has put off, which is seen through its Env.
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
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "background-work.h"
#include "engine.h"

namespace {

using assay::Record;

constexpr int kBloomBits = 10;
constexpr uint64_t kWindowBytes = 256 << 10;

leveldb::Slice SliceOf(std::string_view text) {
  return {text.data(), text.size()};
}

std::string_view ViewOf(const leveldb::Slice& slice) {
  return {slice.data(), slice.size()};
}

void Require(const leveldb::Status& status, const std::string& what) {
  if (!status.ok()) throw assay::Failure(what + ": " + status.ToString());
}

// Read by pread: mapped, as LevelDB would have it, each read of a block drags the device's whole read-ahead in. Only
// compactions, which go through tables block by block, read ahead.
class RandomFile : public leveldb::RandomAccessFile {
 public:
  RandomFile(std::string name, int file) : name_(std::move(name)), file_(file) {}
  ~RandomFile() override { close(file_); }

  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result, char* scratch) const override {
    if (assay::BackgroundWork::IsHere()) ReadAhead(offset, offset + n);
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
  // What goes beyond the window that was read ahead last begins the next one.
  void ReadAhead(uint64_t begin, uint64_t end) const {
    const uint64_t window = window_;
    if (begin >= window && end <= window + kWindowBytes) return;
    readahead(file_, static_cast<off64_t>(begin), kWindowBytes);
    window_ = begin;
  }

  std::string name_;
  int file_;
  mutable std::atomic<uint64_t> window_{UINT64_MAX - kWindowBytes};  // beyond any file
};

// Also knows whether background work is going on.
class WatchedEnv : public leveldb::EnvWrapper {
 public:
  WatchedEnv() : EnvWrapper(leveldb::Env::Default()) {}
  ~WatchedEnv() override { background_.WaitUntilIdle(); }

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
    background_.Scheduled();
    target()->Schedule(Run, new Work{&background_, function, argument});
  }

  const assay::BackgroundWork& Background() const { return background_; }

 private:
  struct Work {
    assay::BackgroundWork* background;
    void (*function)(void*);
    void* argument;
  };

  static void Run(void* data) {
    const std::unique_ptr<Work> work(static_cast<Work*>(data));
    work->background->Run(work->function, work->argument);
  }

  assay::BackgroundWork background_;
};

class LevelDb : public assay::Engine {
 public:
  explicit LevelDb(const assay::EngineSettings& settings) : settings_(settings) {
    read_options_.verify_checksums = true;  // as the other engines do
  }

  void Open() override {
    OpenDatabase();
    OpenTables();
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
    if (!env_.Background().IsIdle()) return "compactions are going on";
    if (LevelZeroTables() > 0) return "tables are in level 0";
    for (const auto& entry : std::filesystem::directory_iterator(settings_.path)) {
      if (entry.path().extension() == ".log" && entry.file_size() > 0) return "records are in the log";
    }
    return "";
  }

  void WaitUntilIdle() override { env_.Background().WaitUntilIdle(); }

  std::vector<std::string> Shape() override { return Lines("leveldb.stats"); }

  assay::Promises Declare() override {
    assay::Promises promises;
    promises.log = true;
    promises.sync = "checkpoint";
    promises.checksums = "each block, and the log";
    promises.cache_bounded = false;  // indexes and filters of open tables lie outside
    promises.direct_io = false;
    promises.background_threads = 1;
    promises.write_buffer_bytes = settings_.write_buffer_bytes;
    // Nor has LevelDB an option by which reads would not.
    promises.settled =
        "memtable flushed by opening again, level 0 empty, no table beyond its level's size; reads compact tables that "
        "they often look into in vain";
    promises.settings = {
        {"bloom_bits", std::to_string(kBloomBits)},
        {"max_file_size", std::to_string(settings_.write_buffer_bytes)},
        {"paranoid_checks", "true"},
        {"reads", "pread, POSIX_FADV_RANDOM; of compactions, ahead by " + std::to_string(kWindowBytes)}};
    return promises;
  }

  // What a compaction has written until then would be lost.
  void Close() override {
    WaitUntilIdle();
    database_.reset();
  }

 private:
  void OpenDatabase() {
    cache_.reset(leveldb::NewLRUCache(settings_.cache_bytes));
    filter_.reset(leveldb::NewBloomFilterPolicy(kBloomBits));
    leveldb::Options options;
    options.create_if_missing = true;
    options.paranoid_checks = true;  // of what compactions read, as RocksDB does
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

  // As RocksDB does by itself; else the first read that needs a table would open it. To say how far into a table a key
  // is, LevelDB opens it, with index and filter, and reads nothing else.
  void OpenTables() {
    // Each is listed as NUMBER:BYTES['FIRST KEY' @ … .. 'LAST KEY' @ …].
    for (const std::string& line : Lines("leveldb.sstables")) {
      const size_t begin = line.find("['");
      if (begin == std::string::npos) continue;
      const std::string first = line.substr(begin + 2, line.find('\'', begin + 2) - begin - 2);
      const std::string inside = first + '\0';  // before the first key itself there is nothing to look for
      const leveldb::Range range(first, inside);
      uint64_t bytes = 0;
      database_->GetApproximateSizes(&range, 1, &bytes);
    }
  }

  void Reopen() {
    Close();
    OpenDatabase();
    WaitUntilIdle();
  }

  std::vector<std::string> Lines(const std::string& property) {
    std::string text;
    if (!database_->GetProperty(property, &text)) return {};
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
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
