// WiredTiger: a B-tree whose pages are written anew by checkpoints.
// assay-engine: name=wiredtiger title=WiredTiger header=wiredtiger.h link=-lwiredtiger package=libwiredtiger-dev
// assay-engine: variants=default log=off,on
#include <wiredtiger.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string>

#include "engine.h"
#include "random-reads.h"

namespace {

using assay::Record;

constexpr const char* kTable = "file:records.wt";
// Of the size that the other engines read at once; keys are whole on each page, as they are in other B-trees.
constexpr const char* kTableConfiguration =
    "key_format=u,value_format=u,checksum=on,block_compressor=none,leaf_page_max=4KB,internal_page_max=4KB";
constexpr int kEvictionThreads = 1;

void Require(int result, const std::string& what) {
  if (result != 0) throw assay::Failure(what + ": " + wiredtiger_strerror(result));
}

uint64_t Threads() {
  return static_cast<uint64_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

WT_ITEM ItemOf(std::string_view text) {
  WT_ITEM item = {};
  item.data = text.data();
  item.size = text.size();
  return item;
}

std::string_view ViewOf(const WT_ITEM& item) {
  return {static_cast<const char*>(item.data), item.size};
}

class WiredTiger : public assay::Engine {
 public:
  explicit WiredTiger(const assay::EngineSettings& settings) : settings_(settings) {}
  ~WiredTiger() override {
    if (connection_ != nullptr) connection_->close(connection_, nullptr);
  }

  void Open() override {
    const std::string configuration =
        "create,mmap=false,statistics=(fast),cache_size=" + std::to_string(settings_.cache_bytes) +
        ",eviction=(threads_min=" + std::to_string(kEvictionThreads) +
        ",threads_max=" + std::to_string(kEvictionThreads) + ")" +
        // Without the latter commits stay in the process.
        (settings_.log ? ",log=(enabled=true),transaction_sync=(enabled=true,method=none)" : "");
    const uint64_t threads = Threads();
    Require(wiredtiger_open(settings_.path.c_str(), nullptr, configuration.c_str(), &connection_), "wiredtiger_open");
    Require(connection_->open_session(connection_, nullptr, nullptr, &session_), "open_session");
    Require(session_->create(session_, kTable, kTableConfiguration), "create");
    Require(session_->open_cursor(session_, kTable, nullptr, nullptr, &cursor_), "open_cursor");
    // Its own hint (access_pattern_hint) it takes back when it opens a tree that is there.
    assay::AdviseRandomReads(settings_.path + "/records.wt");
    threads_ = Threads() - threads;
  }

  void Put(const Record* records, uint64_t count) override {
    if (count > 1) Require(session_->begin_transaction(session_, nullptr), "begin_transaction");
    for (const Record* record = records; record != records + count; record++) {
      const WT_ITEM key = ItemOf(record->key), value = ItemOf(record->value);
      cursor_->set_key(cursor_, &key);
      cursor_->set_value(cursor_, &value);
      Require(cursor_->insert(cursor_), "insert");
    }
    if (count > 1) Require(session_->commit_transaction(session_, nullptr), "commit_transaction");
  }

  bool Get(std::string_view key, std::string& value) override {
    const WT_ITEM sought = ItemOf(key);
    cursor_->set_key(cursor_, &sought);
    const int result = cursor_->search(cursor_);
    if (result == WT_NOTFOUND) return false;
    Require(result, "search");
    WT_ITEM found;
    Require(cursor_->get_value(cursor_, &found), "get_value");
    value.assign(ViewOf(found));
    Require(cursor_->reset(cursor_), "reset");
    return true;
  }

  void Scan(std::string_view from, uint64_t most, Sink& sink) override {
    int result = First(from);
    for (uint64_t taken = 0; taken < most && result == 0; taken++) {
      WT_ITEM key, value;
      Require(cursor_->get_key(cursor_, &key), "get_key");
      Require(cursor_->get_value(cursor_, &value), "get_value");
      sink.Take(ViewOf(key), ViewOf(value));
      if (taken + 1 < most) result = cursor_->next(cursor_);
    }
    if (result != WT_NOTFOUND) Require(result, "next");
    Require(cursor_->reset(cursor_), "reset");
  }

  // What its thread evicts during a checkpoint may make pages dirty that this has done with.
  void Settle() override {
    constexpr int kMostCheckpoints = 10;
    int checkpoints = 0;
    do Require(session_->checkpoint(session_, nullptr), "checkpoint");
    while (++checkpoints < kMostCheckpoints && DirtyBytes() > 0);
  }

  std::string Unsettled() override {
    const uint64_t dirty = DirtyBytes();
    return dirty == 0 ? "" : std::to_string(dirty) + " bytes of the cache are not in the file";
  }

  std::vector<std::string> Shape() override {
    const std::string table = std::string("statistics:") + kTable;
    return {"depth " + std::to_string(Statistic(table, WT_STAT_DSRC_BTREE_MAXIMUM_DEPTH)) + ", " +
            std::to_string(Statistic(table, WT_STAT_DSRC_BLOCK_SIZE)) + " bytes of file, " +
            std::to_string(Statistic(table, WT_STAT_DSRC_BLOCK_REUSE_BYTES)) + " of them free"};
  }

  assay::Promises Declare() override {
    assay::Promises promises;
    promises.log = settings_.log;
    promises.sync = "checkpoint";
    promises.checksums = settings_.log ? "each page, and the log" : "each page";
    promises.cache_bounded = true;
    promises.direct_io = false;
    promises.background_threads = threads_;
    promises.settled = "a checkpoint of everything";
    promises.settings = {{"table", kTableConfiguration}, {"mmap", "false"}, {"reads", "advised as random"}};
    if (settings_.log) promises.settings.push_back({"log", "files of 100 MB, made before they are used"});
    return promises;
  }

  void Close() override {
    WT_CONNECTION* const connection = std::exchange(connection_, nullptr);
    Require(connection->close(connection, nullptr), "close");
  }

 private:
  // Moves to the first record that is not less.
  int First(std::string_view from) {
    if (from.empty()) return cursor_->next(cursor_);
    const WT_ITEM sought = ItemOf(from);
    cursor_->set_key(cursor_, &sought);
    int order = 0;
    const int result = cursor_->search_near(cursor_, &order);
    return result == 0 && order < 0 ? cursor_->next(cursor_) : result;
  }

  uint64_t DirtyBytes() { return Statistic("statistics:", WT_STAT_CONN_CACHE_BYTES_DIRTY); }

  uint64_t Statistic(const std::string& source, int key) {
    WT_CURSOR* statistics = nullptr;
    Require(session_->open_cursor(session_, source.c_str(), nullptr, nullptr, &statistics), source);
    statistics->set_key(statistics, key);
    Require(statistics->search(statistics), source);
    const char* description = nullptr;
    const char* printed = nullptr;
    uint64_t value = 0;
    Require(statistics->get_value(statistics, &description, &printed, &value), source);
    Require(statistics->close(statistics), source);
    return value;
  }

  assay::EngineSettings settings_;
  WT_CONNECTION* connection_ = nullptr;
  WT_SESSION* session_ = nullptr;
  WT_CURSOR* cursor_ = nullptr;
  uint64_t threads_ = 0;
};

}  // namespace

assay::EngineDescription assay::DescribeEngine() {
  int major = 0, minor = 0, patch = 0;
  wiredtiger_version(&major, &minor, &patch);
  const auto version = [](int a, int b, int c) {
    return std::to_string(a) + "." + std::to_string(b) + "." + std::to_string(c);
  };
  return {"WiredTiger",
          version(WIREDTIGER_VERSION_MAJOR, WIREDTIGER_VERSION_MINOR, WIREDTIGER_VERSION_PATCH),
          version(major, minor, patch),
          "libwiredtiger",
          {"default"}};
}

std::unique_ptr<assay::Engine> assay::MakeEngine(const EngineSettings& settings) {
  return std::make_unique<WiredTiger>(settings);
}
