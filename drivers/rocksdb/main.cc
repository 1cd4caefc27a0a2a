// One trial of a RocksDB workload: see --help.
#include <rocksdb/version.h>

#include "../driver_main.h"
#include "faults.h"
#include "workloads.h"

namespace {

// Headers and library of different versions are a fault of the build.
void EngineFacts(assay::Trial& trial) {
  trial.Fact("engine", "RocksDB");
  std::string headers =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + "." + std::to_string(ROCKSDB_PATCH);
  if constexpr (IsFault(Fault::wrong_headers)) headers = "0.0.0";
  const std::string library = rocksdb::GetRocksVersionAsString(true);
  trial.Fact("rocksdb", library);
  trial.Check("library", headers == library, "compiled against RocksDB " + headers + ", running with " + library);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<assay::Workload> workloads = {WriteBatchConstruct(), WriteManualWal(), WriteFull(), BackupLoop(),
                                                  Resume()};
  return assay::DriverMain(argc, argv, workloads, EngineFacts);
}
