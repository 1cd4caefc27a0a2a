// SQLite: one table, as its documentation advises: of short rows WITHOUT ROWID, a B-tree by its key; of long ones in
// the order of their insertion, with an index of the keys. With a log it is in WAL mode; without one nothing can be
// rolled back, and a crash in a commit leaves a broken file.
// assay-engine: name=sqlite title=SQLite header=sqlite3.h link=-lsqlite3 package=libsqlite3-dev
// assay-engine: variants=default log=off,on
#include <sqlite3.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "engine.h"
#include "random-reads.h"
#include "sequence.h"

namespace {

using assay::Record;

constexpr uint64_t kPageBytes = 4096;
// Interior pages of a table WITHOUT ROWID hold whole rows: longer ones leave too few on each (withoutrowid.html).
constexpr uint64_t kLongestRow = kPageBytes / 20;

class Sqlite : public assay::Engine {
 public:
  explicit Sqlite(const assay::EngineSettings& settings)
      : settings_(settings), file_(settings.path + "/records.sqlite") {}
  ~Sqlite() override { Release(); }

  void Open() override {
    Require(sqlite3_open(file_.c_str(), &database_), "sqlite3_open");
    Set("page_size", std::to_string(kPageBytes), std::to_string(kPageBytes));
    Set("locking_mode", "EXCLUSIVE", "exclusive");
    Set("synchronous", "OFF", "0");
    Set("mmap_size", "0", "0");
    const std::string cache = "-" + std::to_string(settings_.cache_bytes / 1024);
    Set("cache_size", cache, cache);
    // Some builds write zeros over what is replaced.
    Set("secure_delete", "OFF", "0");
    Set("journal_mode", settings_.log ? "WAL" : "OFF", settings_.log ? "wal" : "off");
    Run("CREATE TABLE IF NOT EXISTS " + Table());
    // In place, where the key is there.
    put_ = Prepared("INSERT INTO records VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = excluded.value");
    assay::AdviseRandomReads(file_);
    get_ = Prepared("SELECT value FROM records WHERE key = ?1");
    scan_ = Prepared("SELECT key, value FROM records WHERE key >= ?1 ORDER BY key LIMIT ?2");
    begin_ = Prepared("BEGIN");
    commit_ = Prepared("COMMIT");
  }

  void Put(const Record* records, uint64_t count) override {
    if (count > 1) Finish(begin_);
    for (const Record* record = records; record != records + count; record++) {
      Bind(put_, 1, record->key);
      Bind(put_, 2, record->value);
      Finish(put_);
    }
    if (count > 1) Finish(commit_);
  }

  bool Get(std::string_view key, std::string& value) override {
    Bind(get_, 1, key);
    const bool found = Step(get_);
    if (found) value.assign(Column(get_, 0));
    Require(sqlite3_reset(get_), "sqlite3_reset");
    return found;
  }

  void Scan(std::string_view from, uint64_t most, Sink& sink) override {
    Bind(scan_, 1, from);
    Require(sqlite3_bind_int64(scan_, 2, most > INT64_MAX ? -1 : static_cast<int64_t>(most)), "sqlite3_bind_int64");
    while (Step(scan_)) sink.Take(Column(scan_, 0), Column(scan_, 1));
    Require(sqlite3_reset(scan_), "sqlite3_reset");
  }

  void Settle() override {
    if (settings_.log) Run("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  std::string Unsettled() override {
    struct stat log;
    return stat((file_ + "-wal").c_str(), &log) == 0 && log.st_size > 0 ? "the log is not empty" : "";
  }

  std::vector<std::string> Shape() override {
    return {HasLongRows() ? "a table in the order of insertion, and an index" : "a table in the order of its keys",
            std::to_string(Number("PRAGMA page_count")) + " pages of " + std::to_string(Number("PRAGMA page_size")) +
                " bytes, " + std::to_string(Number("PRAGMA freelist_count")) + " of them free"};
  }

  assay::Promises Declare() override {
    assay::Promises promises;
    promises.log = settings_.log;
    promises.sync = "never";
    promises.checksums = settings_.log ? "log only" : "none";
    promises.cache_bounded = true;
    promises.direct_io = false;
    promises.background_threads = 0;
    promises.settled = settings_.log ? "log checkpointed and emptied" : "nothing is put off but what the kernel caches";
    promises.settings = {{"journal_mode", settings_.log ? "WAL" : "OFF"},
                         {"synchronous", "OFF"},
                         {"locking_mode", "EXCLUSIVE"},
                         {"secure_delete", "OFF"},
                         {"page_size", std::to_string(kPageBytes)},
                         {"table", "WITHOUT ROWID of rows up to " + std::to_string(kLongestRow) +
                                       " bytes, else with an index of the keys"},
                         {"reads", "advised as random"}};
    return promises;
  }

  void Close() override {
    Finalize();
    Require(sqlite3_close(database_), "sqlite3_close");
    database_ = nullptr;
  }

 private:
  void Require(int result, const std::string& what) {
    if (result == SQLITE_OK) return;
    throw assay::Failure(what + ": " + (database_ == nullptr ? sqlite3_errstr(result) : sqlite3_errmsg(database_)));
  }

  void Run(const std::string& sql) { Require(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr), sql); }

  bool HasLongRows() const { return assay::kKeyBytes + settings_.value_bytes > kLongestRow; }

  std::string Table() const {
    return HasLongRows() ? "records(key BLOB NOT NULL UNIQUE, value BLOB NOT NULL)"
                         : "records(key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID";
  }

  // What SQLite cannot or will not do it leaves as it was, without an error.
  void Set(const std::string& setting, const std::string& value, const std::string& expected) {
    Run("PRAGMA " + setting + "=" + value);
    sqlite3_stmt* const statement = Prepared("PRAGMA " + setting);
    const std::string found(Step(statement) ? Column(statement, 0) : "");
    sqlite3_finalize(statement);
    if (found != expected) throw assay::Failure("PRAGMA " + setting + "=" + value + ": it stays " + found);
  }

  int64_t Number(const std::string& sql) {
    sqlite3_stmt* statement = Prepared(sql);
    const int64_t number = Step(statement) ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return number;
  }

  sqlite3_stmt* Prepared(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    Require(sqlite3_prepare_v3(database_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr), sql);
    return statement;
  }

  void Bind(sqlite3_stmt* statement, int parameter, std::string_view text) {
    // A null pointer would be bound as NULL, which no key is at least as great as.
    const char* const data = text.data() == nullptr ? "" : text.data();
    Require(sqlite3_bind_blob64(statement, parameter, data, text.size(), SQLITE_STATIC), "sqlite3_bind_blob64");
  }

  // Whether there is another row.
  bool Step(sqlite3_stmt* statement) {
    const int result = sqlite3_step(statement);
    if (result != SQLITE_ROW && result != SQLITE_DONE) Require(result, "sqlite3_step");
    return result == SQLITE_ROW;
  }

  void Finish(sqlite3_stmt* statement) {
    while (Step(statement)) {
    }
    Require(sqlite3_reset(statement), "sqlite3_reset");
  }

  static std::string_view Column(sqlite3_stmt* statement, int column) {
    const void* const data = sqlite3_column_blob(statement, column);
    return {static_cast<const char*>(data), static_cast<size_t>(sqlite3_column_bytes(statement, column))};
  }

  void Finalize() {
    for (sqlite3_stmt** statement : {&put_, &get_, &scan_, &begin_, &commit_}) {
      sqlite3_finalize(*statement);
      *statement = nullptr;
    }
  }

  void Release() {
    Finalize();
    sqlite3_close(database_);
    database_ = nullptr;
  }

  assay::EngineSettings settings_;
  std::string file_;
  sqlite3* database_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
  sqlite3_stmt* get_ = nullptr;
  sqlite3_stmt* scan_ = nullptr;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
};

}  // namespace

assay::EngineDescription assay::DescribeEngine() {
  return {"SQLite", SQLITE_VERSION, sqlite3_libversion(), "libsqlite3", {"default"}};
}

std::unique_ptr<assay::Engine> assay::MakeEngine(const EngineSettings& settings) {
  return std::make_unique<Sqlite>(settings);
}
