// Faults that tests put into the driver, to see that its checks find them: -DASSAY_FAULT=lost_write. By default there
// is none, and what is guarded by IsFault is not compiled into the program.
#pragma once

#include <filesystem>
#include <string>

#ifndef ASSAY_FAULT
#define ASSAY_FAULT none
#endif

enum class Fault {
  none,
  wrong_headers,       // compiled against the headers of another version
  failed_status,       // a write in the timed region fails
  lost_write,          // one operation is left out
  written_twice,       // one operation is done twice
  late_write,          // a record is written again after the first verification
  wrong_key,           // one record has another key
  wrong_value,         // one record has another value
  wrong_batch,         // a batch is one record short, the next one long
  unflushed_family,    // one column family is not flushed before closing
  flush_in_region,     // a flush between two timed writes
  sealed_in_region,    // a memtable sealed between two timed writes, but not flushed
  unflushed_wal,       // the timed region ends without FlushWAL
  lost_wal,            // the log is gone when the database is opened again
  flush_on_recovery,   // opening again flushes
  sealed_on_recovery,  // opening again seals the memtable
  lost_backup,         // one backup is not made
  corrupt_backup,      // a byte of a backed-up table is changed
  missing_error,       // one flush does not fail
  other_error,         // another operation fails than the one that was asked for
  nothing_unprepared,  // transactions are written when they are committed, not before
  sealed_backwards,    // a sealed memtable is reported with a sequence number that was passed long ago
  table_backwards,     // a flushed table is
  late_commit,         // a prepared transaction is committed after the recovery, not during it
  idle_writers,        // the writers of the backlog write nothing
  flush_at_close,      // a flush between the last write and closing
};

constexpr bool IsFault(Fault fault) {
  return fault == Fault::ASSAY_FAULT;
}

// The fault lost_wal: empties the logs of a database that is closed.
inline void LoseWal(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".log") std::filesystem::resize_file(entry.path(), 0);
  }
}
