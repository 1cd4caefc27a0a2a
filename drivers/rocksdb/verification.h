// Checks that several workloads make. Expected values come from the input, never from the engine.
#pragma once

#include <rocksdb/listener.h>
#include <rocksdb/options.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "../driver.h"
#include "database.h"

// `format` has one %09d. In ascending order of their bytes, too.
std::vector<std::string> NumberedKeys(const char* format, uint64_t count);

// The default family and `count` − 1 others, all with the same options.
std::vector<rocksdb::ColumnFamilyDescriptor> FamilyDescriptors(uint64_t count,
                                                               const rocksdb::ColumnFamilyOptions& options);

// Reads each family once: key j, for all j, is in family j % families with `value`, and nothing else is anywhere.
void CheckContents(assay::Trial& trial, const std::string& check, const Database& database,
                   const std::vector<std::string>& keys, const std::string& value);

// Whether no flush or compaction is running or waiting.
bool IsIdle(const Database& database);

// Makes the check `statuses`, and ends the trial where it fails.
void RequireStatus(assay::Trial& trial, const rocksdb::Status& status, const std::string& what);

// Counts flushes and sealed memtables.
class FlushWatch : public rocksdb::EventListener {
 public:
  void OnFlushBegin(rocksdb::DB*, const rocksdb::FlushJobInfo&) override { flushes_++; }
  void OnMemTableSealed(const rocksdb::MemTableInfo&) override { sealed_++; }
  uint64_t Flushes() const { return flushes_; }
  uint64_t Sealed() const { return sealed_; }

 private:
  std::atomic<uint64_t> flushes_{0};
  std::atomic<uint64_t> sealed_{0};
};

// Options under which data stays in one VectorRep memtable a family, whatever happens: nothing is flushed, neither at
// closing nor when the log is read again, nothing is compacted or compressed.
rocksdb::DBOptions UnflushedDbOptions(const std::shared_ptr<FlushWatch>& watch);
rocksdb::ColumnFamilyOptions UnflushedFamilyOptions();

// All that was written is in the active memtables: key j of `entries` in family j % families. Makes the checks
// `entries`, `sequence`, `immutable` and `flushes`, with a prefix.
void CheckUnflushed(assay::Trial& trial, const std::string& prefix, const Database& database, const FlushWatch& watch,
                    uint64_t entries, const std::string& path);
