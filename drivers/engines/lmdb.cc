// LMDB: a copy-on-write B-tree in a file that is mapped into memory. It has no log, and no cache of its own.
// assay-engine: name=lmdb title=LMDB header=lmdb.h link=-llmdb package=liblmdb-dev
// assay-engine: variants=default log=off
#include <lmdb.h>

#include <algorithm>
#include <memory>
#include <string>

#include "engine.h"

namespace {

using assay::Record;

void Require(int result, const std::string& what) {
  if (result != MDB_SUCCESS) throw assay::Failure(what + ": " + mdb_strerror(result));
}

MDB_val ValueOf(std::string_view text) {
  return {text.size(), const_cast<char*>(text.data())};
}

std::string_view ViewOf(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

class Lmdb : public assay::Engine {
 public:
  explicit Lmdb(const assay::EngineSettings& settings) : settings_(settings) {}
  ~Lmdb() override { Release(); }

  void Open() override {
    // No commit waits for the device; read-ahead would read what nobody asked for.
    constexpr unsigned kFlags = MDB_NOSYNC | MDB_NORDAHEAD;
    Require(mdb_env_create(&environment_), "mdb_env_create");
    Require(mdb_env_set_mapsize(environment_, MapBytes()), "mdb_env_set_mapsize");
    Require(mdb_env_open(environment_, settings_.path.c_str(), kFlags, 0644), "mdb_env_open");
    MDB_txn* transaction = nullptr;
    Require(mdb_txn_begin(environment_, nullptr, 0, &transaction), "mdb_txn_begin");
    Require(mdb_dbi_open(transaction, nullptr, 0, &table_), "mdb_dbi_open");
    Require(mdb_txn_commit(transaction), "mdb_txn_commit");
    Require(mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &reader_), "mdb_txn_begin");
    Require(mdb_cursor_open(reader_, table_, &cursor_), "mdb_cursor_open");
    mdb_txn_reset(reader_);
  }

  void Put(const Record* records, uint64_t count) override {
    MDB_txn* transaction = nullptr;
    Require(mdb_txn_begin(environment_, nullptr, 0, &transaction), "mdb_txn_begin");
    for (const Record* record = records; record != records + count; record++) {
      MDB_val key = ValueOf(record->key), value = ValueOf(record->value);
      const int result = mdb_put(transaction, table_, &key, &value, 0);
      if (result != MDB_SUCCESS) mdb_txn_abort(transaction);
      Require(result, "mdb_put");
    }
    Require(mdb_txn_commit(transaction), "mdb_txn_commit");
  }

  bool Get(std::string_view key, std::string& value) override {
    const Reading reading(*this);
    MDB_val sought = ValueOf(key), found;
    const int result = mdb_get(reader_, table_, &sought, &found);
    if (result == MDB_NOTFOUND) return false;
    Require(result, "mdb_get");
    value.assign(ViewOf(found));
    return true;
  }

  void Scan(std::string_view from, uint64_t most, Sink& sink) override {
    const Reading reading(*this);
    Require(mdb_cursor_renew(reader_, cursor_), "mdb_cursor_renew");
    MDB_val key = ValueOf(from), value;
    int result = mdb_cursor_get(cursor_, &key, &value, from.empty() ? MDB_FIRST : MDB_SET_RANGE);
    for (uint64_t taken = 0; taken < most && result == MDB_SUCCESS; taken++) {
      sink.Take(ViewOf(key), ViewOf(value));
      if (taken + 1 < most) result = mdb_cursor_get(cursor_, &key, &value, MDB_NEXT);
    }
    if (result != MDB_NOTFOUND) Require(result, "mdb_cursor_get");
  }

  void Settle() override { Require(mdb_env_sync(environment_, 1), "mdb_env_sync"); }

  // A commit leaves nothing but dirty pages, which cannot be seen from here.
  std::string Unsettled() override { return ""; }

  std::vector<std::string> Shape() override {
    MDB_stat found;
    Require(mdb_env_stat(environment_, &found), "mdb_env_stat");
    return {"depth " + std::to_string(found.ms_depth) + ", " + std::to_string(found.ms_branch_pages) +
            " branch pages, " + std::to_string(found.ms_leaf_pages) + " leaf pages of " +
            std::to_string(found.ms_psize) + " bytes"};
  }

  assay::Promises Declare() override {
    assay::Promises promises;
    promises.log = false;
    promises.sync = "never";
    promises.checksums = "none";
    promises.cache_bounded = false;
    promises.direct_io = false;
    promises.background_threads = 0;
    promises.settled = "all pages synced";
    promises.settings = {{"flags", "MDB_NOSYNC|MDB_NORDAHEAD"},
                         {"map_bytes", std::to_string(MapBytes())},
                         // No engine is told in which order a load comes.
                         {"MDB_APPEND", "no"}};
    return promises;
  }

  void Close() override { Release(); }

 private:
  // A snapshot for as long as it lives. A longer one would keep pages from being used again.
  class Reading {
   public:
    explicit Reading(Lmdb& lmdb) : reader_(lmdb.reader_) { Require(mdb_txn_renew(reader_), "mdb_txn_renew"); }
    ~Reading() { mdb_txn_reset(reader_); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    MDB_txn* reader_;
  };

  // Address space and nothing more: half-filled and freed pages take several times the data.
  size_t MapBytes() const { return std::max<uint64_t>(uint64_t{1} << 30, 16 * settings_.data_bytes); }

  void Release() {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
    if (reader_ != nullptr) mdb_txn_abort(reader_);
    if (environment_ != nullptr) mdb_env_close(environment_);
    cursor_ = nullptr;
    reader_ = nullptr;
    environment_ = nullptr;
  }

  assay::EngineSettings settings_;
  MDB_env* environment_ = nullptr;
  MDB_dbi table_ = 0;
  MDB_txn* reader_ = nullptr;
  MDB_cursor* cursor_ = nullptr;
};

}  // namespace

assay::EngineDescription assay::DescribeEngine() {
  int major = 0, minor = 0, patch = 0;
  mdb_version(&major, &minor, &patch);
  const auto version = [](int a, int b, int c) {
    return std::to_string(a) + "." + std::to_string(b) + "." + std::to_string(c);
  };
  return {"LMDB",
          version(MDB_VERSION_MAJOR, MDB_VERSION_MINOR, MDB_VERSION_PATCH),
          version(major, minor, patch),
          "liblmdb",
          {"default"}};
}

std::unique_ptr<assay::Engine> assay::MakeEngine(const EngineSettings& settings) {
  return std::make_unique<Lmdb>(settings);
}
