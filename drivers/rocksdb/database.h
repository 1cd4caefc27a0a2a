// Opening and closing databases with any version of RocksDB from 7.8 to 11, by the public headers.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "../driver.h"

// Throws Failure where `status` is not ok. `what` is what was tried, such as "open".
inline void Require(const rocksdb::Status& status, const std::string& what) {
  if (!status.ok()) throw assay::Failure(what + ": " + status.ToString());
}

// Whether `Db`::Open fills a `Pointer`: rocksdb::DB* is gone in 11.0, std::unique_ptr<rocksdb::DB> exists from 9.11.
template <typename Db, typename Pointer, typename = void>
struct OpensInto : std::false_type {};
template <typename Db, typename Pointer>
struct OpensInto<Db, Pointer,
                 std::void_t<decltype(Db::Open(
                     std::declval<const rocksdb::DBOptions&>(), std::declval<const std::string&>(),
                     std::declval<const std::vector<rocksdb::ColumnFamilyDescriptor>&>(),
                     std::declval<std::vector<rocksdb::ColumnFamilyHandle*>*>(), std::declval<Pointer*>()))>>
    : std::true_type {};

// Says that memtables may be written, where the library has an option for it (10.x): the default, made explicit.
template <typename Options, typename = void>
struct HasDisallowMemtableWrites : std::false_type {};
template <typename Options>
struct HasDisallowMemtableWrites<Options, std::void_t<decltype(std::declval<Options&>().disallow_memtable_writes)>>
    : std::true_type {};
template <typename Options>
void AllowMemtableWrites(Options& options) {
  if constexpr (HasDisallowMemtableWrites<Options>::value) options.disallow_memtable_writes = false;
}

// An open database and its column families, of which the first is the default one.
class Database {
 public:
  // Creates what is missing, if the options say so. Throws Failure.
  Database(const rocksdb::DBOptions& options, const std::string& path,
           const std::vector<rocksdb::ColumnFamilyDescriptor>& families) {
    Require(Open<rocksdb::DB>(options, path, families), "open");
  }
  ~Database() { DestroyHandles(); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  rocksdb::DB* operator->() const { return db_.get(); }
  rocksdb::DB* get() const { return db_.get(); }
  const std::vector<rocksdb::ColumnFamilyHandle*>& Families() const { return handles_; }

  // Throws Failure where closing fails.
  void Close() {
    DestroyHandles();
    Require(db_->Close(), "close");
    db_.reset();
  }

 private:
  template <typename Db>
  rocksdb::Status Open(const rocksdb::DBOptions& options, const std::string& path,
                       const std::vector<rocksdb::ColumnFamilyDescriptor>& families) {
    if constexpr (OpensInto<Db, std::unique_ptr<Db>>::value) {
      return Db::Open(options, path, families, &handles_, &db_);
    } else {
      static_assert(OpensInto<Db, Db*>::value, "this version of RocksDB opens databases in a way not known here");
      Db* db = nullptr;
      rocksdb::Status status = Db::Open(options, path, families, &handles_, &db);
      db_.reset(db);
      return status;
    }
  }

  void DestroyHandles() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    handles_.clear();
  }

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};
