// The workloads of the RocksDB driver, one source file each.
#pragma once

#include "../driver.h"

assay::Workload WriteBatchConstruct();
assay::Workload WriteManualWal();
assay::Workload WriteFull();
assay::Workload BackupLoop();
assay::Workload Resume();
