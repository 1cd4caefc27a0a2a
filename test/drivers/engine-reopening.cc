// Stores records in an engine, closes it at once, whatever it is still doing, and opens it again: `engine-reopening
// DIR` prints how many tables are open then, and how many there are.
#include <stdio.h>

#include <filesystem>
#include <string>
#include <vector>

#include "../../drivers/driver_main.h"
#include "../../drivers/engines/engine.h"
#include "../../drivers/engines/sequence.h"

// Files that are a table, or links to one.
int Tables(const std::string& directory) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::error_code none;
    const std::filesystem::path target = entry.is_symlink() ? read_symlink(entry.path(), none) : entry.path();
    if (target.extension() == ".ldb" || target.extension() == ".sst") count++;
  }
  return count;
}

int main(int argc, char** argv) {
  constexpr uint64_t kKeys = 20000, kBatch = 100;
  constexpr size_t kValueBytes = 1000;
  if (argc != 2) return 2;
  assay::EngineSettings settings = {};
  settings.path = argv[1];
  settings.cache_bytes = settings.write_buffer_bytes = 1 << 20;
  settings.value_bytes = kValueBytes;
  settings.data_bytes = kKeys * (assay::kKeyBytes + kValueBytes);
  settings.variant = assay::DescribeEngine().variants.front();
  const auto engine = assay::MakeEngine(settings);
  engine->Open();
  const assay::Order order(1, assay::Stream::kLoad, kKeys);
  std::vector<std::string> keys(kBatch), values(kBatch);
  for (uint64_t begin = 0; begin < kKeys; begin += kBatch) {
    std::vector<assay::Record> records;
    for (uint64_t i = 0; i < kBatch; i++) {
      keys[i] = assay::KeyOf(order.At(begin + i));
      values[i].resize(kValueBytes);
      assay::WriteValue(begin + i, values[i].data(), kValueBytes);
      records.push_back({keys[i], values[i]});
    }
    engine->Put(records.data(), kBatch);
  }
  engine->Close();
  engine->Open();
  engine->WaitUntilIdle();
  printf("%d of %d\n", Tables("/proc/self/fd"), Tables(argv[1]));
  engine->Close();
}
