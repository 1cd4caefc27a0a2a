// The database that is to recover: how it is opened, and what must happen to it.
#pragma once

#include <rocksdb/statistics.h>
#include <rocksdb/utilities/transaction_db.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "database.h"
#include "failing-file-system.h"
#include "faults.h"
#include "recovery-watch.h"
#include "verification.h"

// What is to happen once a recovery.
struct Expected {
  explicit Expected(const assay::Arguments& arguments) {
    const bool table = arguments.Choice("fault") == "sst";
    const bool atomic = arguments.Flag("atomic-flush");
    operation = table ? Operation::kTableCreation : Operation::kLogSync;
    reason = table ? "kFlushNoWAL" : "kFlush";
    severity = table ? "kSoftError" : "kHardError";
    flush = table ? "kErrorRecoveryRetryFlush" : "kErrorRecovery";
    // A flush of all families tries to make a table for each that has records.
    injected = table && atomic ? std::min(arguments.Count("families"), arguments.Count("records")) : 1;
    // How often a failed sync is reported is a matter of the version, but does not change.
    if (table) reported = 1;
  }
  Operation operation;
  std::string reason, severity, flush;
  uint64_t injected;
  std::optional<uint64_t> reported;
};

// All that lives as long as the database does.
struct Engine {
  explicit Engine(const assay::Arguments& arguments)
      : injector(std::make_shared<ErrorInjector>(IsFault(Fault::other_error) ? Operation::kTableCreation
                                                                             : Expected(arguments).operation)),
        env(injector),
        watch(std::make_shared<RecoveryWatch>()),
        statistics(rocksdb::CreateDBStatistics()) {
    options.env = &env;
    options.listeners.push_back(watch);
    options.statistics = statistics;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.two_write_queues = true;
    options.atomic_flush = arguments.Flag("atomic-flush");
    options.max_bgerror_resume_count = 0;  // nobody but the driver resumes
    options.allow_fallocate = false;       // preallocating each new log would take longer than the recovery
    options.avoid_flush_during_shutdown = true;
    options.recycle_log_file_num = 0;
    options.stats_dump_period_sec = 0;  // no thread that wakes up in the timed region
    options.stats_persist_period_sec = 0;
    transactions.write_policy = rocksdb::TxnDBWritePolicy::WRITE_UNPREPARED;
    transactions.default_write_batch_flush_threshold =
        IsFault(Fault::nothing_unprepared) ? 0 : static_cast<int64_t>(arguments.Count("flush-threshold"));
    rocksdb::ColumnFamilyOptions family;
    family.write_buffer_size = size_t{64} << 20;
    family.compression = rocksdb::kNoCompression;
    family.disable_auto_compactions = true;
    AllowMemtableWrites(family);
    families = FamilyDescriptors(arguments.Count("families"), family);
  }
  std::shared_ptr<ErrorInjector> injector;
  FailingEnv env;
  std::shared_ptr<RecoveryWatch> watch;
  std::shared_ptr<rocksdb::Statistics> statistics;
  rocksdb::DBOptions options;
  rocksdb::TransactionDBOptions transactions;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
};
