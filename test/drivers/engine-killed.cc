// Whether an engine's log keeps what was committed when its process is killed: `killed write DIR` stores records, each
// in a commit of its own, and ends by SIGKILL; `killed read DIR` opens what is there, and prints how many it finds.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <string>

#include "../../drivers/engines/engine.h"

int main(int argc, char** argv) {
  constexpr int kRecords = 500;
  if (argc != 3) return 2;
  assay::EngineSettings settings;
  settings.path = argv[2];
  settings.cache_bytes = settings.write_buffer_bytes = settings.data_bytes = 1 << 20;
  settings.value_bytes = 100;
  settings.variant = assay::DescribeEngine().variants.front();
  settings.log = true;
  const auto engine = assay::MakeEngine(settings);
  engine->Open();
  const auto key = [](int i) { return std::to_string(1000 + i); };
  std::string value(settings.value_bytes, 'x');
  if (argv[1] == std::string("write")) {
    for (int i = 0; i < kRecords; i++) {
      const std::string one = key(i);
      const assay::Record record = {one, value};
      engine->Put(&record, 1);
    }
    kill(getpid(), SIGKILL);
  }
  int found = 0;
  for (int i = 0; i < kRecords; i++) found += engine->Get(key(i), value) ? 1 : 0;
  engine->Close();
  printf("%d\n", found);
  return 0;
}
