// A database with transactions, and what has been committed to it.
#pragma once

#include <rocksdb/metadata.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "database.h"
#include "faults.h"
#include "verification.h"

class TransactionDatabase {
 public:
  // Creates what is missing, if the options say so. Throws Failure.
  TransactionDatabase(const rocksdb::DBOptions& options, const rocksdb::TransactionDBOptions& transactions,
                      const std::string& path, const std::vector<rocksdb::ColumnFamilyDescriptor>& families) {
    rocksdb::TransactionDB* db = nullptr;
    const rocksdb::Status status = rocksdb::TransactionDB::Open(options, transactions, path, families, &handles_, &db);
    db_.reset(db);
    Require(status, "open");
  }
  ~TransactionDatabase() { DestroyHandles(); }
  TransactionDatabase(const TransactionDatabase&) = delete;
  TransactionDatabase& operator=(const TransactionDatabase&) = delete;

  rocksdb::TransactionDB* operator->() const { return db_.get(); }
  const std::vector<rocksdb::ColumnFamilyHandle*>& Families() const { return handles_; }

  // The sum of a property of the families.
  uint64_t Sum(const std::string& property) const {
    uint64_t sum = 0;
    for (rocksdb::ColumnFamilyHandle* family : handles_) {
      uint64_t value = 0;
      if (!db_->GetIntProperty(family, property, &value)) throw assay::Failure("no property " + property);
      sum += value;
    }
    return sum;
  }

  // Throws Failure where closing fails.
  void Close() {
    DestroyHandles();
    Require(db_->Close(), "close");
    db_.reset();
  }

 private:
  void DestroyHandles() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    handles_.clear();
  }

  std::unique_ptr<rocksdb::TransactionDB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

// The shape of transactions: record r of one goes to family r % families.
struct Shape {
  size_t records;
  size_t value_bytes;

  static std::string Key(const std::string& transaction, size_t record) {
    return transaction + "/" + std::to_string(record);
  }
  // The key again and again.
  std::string Value(const std::string& key) const {
    std::string value;
    while (value.size() < value_bytes) value += key;
    value.resize(value_bytes);
    return value;
  }
};

// Begins a transaction and puts its records. Part of them is written at once, unprepared.
inline rocksdb::Status PutAll(const TransactionDatabase& database, const Shape& shape, const std::string& name,
                              std::unique_ptr<rocksdb::Transaction>& transaction) {
  transaction.reset(database->BeginTransaction(rocksdb::WriteOptions()));
  rocksdb::Status status = transaction->SetName(name);
  for (size_t r = 0; r < shape.records && status.ok(); r++) {
    const std::string key = Shape::Key(name, r);
    const bool wrong = IsFault(Fault::wrong_value) && key == "dirty-1-0/0";
    status =
        transaction->Put(database.Families()[r % database.Families().size()], key, wrong ? "wrong" : shape.Value(key));
  }
  return status;
}

// Keys that were committed, by family. Values follow from keys.
class Committed {
 public:
  Committed(size_t families, const Shape& shape) : shape_(shape), keys_(families) {}

  void Add(const std::string& transaction) {
    for (size_t r = 0; r < shape_.records; r++) keys_[r % keys_.size()].push_back(Shape::Key(transaction, r));
  }

  // Reads each family once: all that was committed is there, and nothing else.
  void Check(assay::Trial& trial, const std::string& check, const TransactionDatabase& database) {
    for (size_t i = 0; i < keys_.size(); i++) {
      std::sort(keys_[i].begin(), keys_[i].end());
      const std::unique_ptr<rocksdb::Iterator> iterator(
          database->NewIterator(rocksdb::ReadOptions(), database.Families()[i]));
      const std::string wrong = Wrong(*iterator, keys_[i]);
      trial.Check(check, wrong.empty(), "family " + database.Families()[i]->GetName() + ": " + wrong);
    }
  }

 private:
  std::string Wrong(rocksdb::Iterator& iterator, const std::vector<std::string>& keys) const {
    size_t j = 0;
    for (iterator.SeekToFirst(); iterator.Valid(); iterator.Next(), j++) {
      const std::string found = iterator.key().ToString();
      if (j >= keys.size() || found < keys[j]) return found + " should not be there";
      if (found != keys[j]) return keys[j] + " is missing";
      if (iterator.value() != shape_.Value(found)) return found + " has the value " + iterator.value().ToString();
    }
    if (!iterator.status().ok()) return iterator.status().ToString();
    return j < keys.size() ? keys[j] + " is missing" : "";
  }

  const Shape shape_;
  std::vector<std::vector<std::string>> keys_;
};

// The flushed tables of a family do not overlap in sequence numbers, and none is above the database's.
inline void CheckTables(assay::Trial& trial, const std::string& check, const TransactionDatabase& database) {
  std::vector<rocksdb::LiveFileMetaData> tables;
  database->GetLiveFilesMetaData(&tables);
  // Compaction, which makes the tables of other levels, drops sequence numbers.
  tables.erase(std::remove_if(tables.begin(), tables.end(), [](const auto& table) { return table.level != 0; }),
               tables.end());
  std::sort(tables.begin(), tables.end(), [](const auto& a, const auto& b) {
    return std::tie(a.column_family_name, a.smallest_seqno) < std::tie(b.column_family_name, b.smallest_seqno);
  });
  if (IsFault(Fault::table_backwards)) tables.back().smallest_seqno = 1;
  for (size_t i = 0; i < tables.size(); i++) {
    const bool first = i == 0 || tables[i].column_family_name != tables[i - 1].column_family_name;
    trial.Check(check, first || tables[i].smallest_seqno > tables[i - 1].largest_seqno,
                tables[i].name + " begins with sequence number " + std::to_string(tables[i].smallest_seqno) +
                    ", the table before it ends above that");
    trial.Check(check, tables[i].largest_seqno <= database->GetLatestSequenceNumber(),
                tables[i].name + " ends above the database's sequence number");
  }
}
