// Stores records in an engine and closes it at once, whatever it is still doing: `engine-closing DIR`.
#include <algorithm>
#include <string>
#include <vector>

#include "../../drivers/driver_main.h"
#include "../../drivers/engines/engine.h"
#include "../../drivers/engines/sequence.h"

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
}
