// idle-driver [bare] --serve: a driver in slices that does nothing, so that what is left is the cost of a turn. With
// `bare` it does not even measure, and answers as the other side of ping-pong does.
#include <string>

#include "../../drivers/slices.h"

int main(int argc, char** argv) {
  if (!assay::IsServing(argc, argv)) return 2;
  if (argc == 3 && std::string(argv[1]) == "bare") {
    char line[64];
    if (write(4, "ready 1 unit=1\n", 15) != 15) return 1;
    while (read(3, line, sizeof line) > 0 && line[0] != 'f') {
      if (write(4, "done 1 40 40 0 0 idle\n", 22) != 22) return 1;
    }
    return 0;
  }
  assay::Slices slices;
  uint64_t done = 0;
  slices.work = [&](uint64_t operations) { done += operations; };
  const std::optional<uint64_t> asked = assay::Serve(slices);
  return asked ? assay::PrintResult(*asked, {{"count", done == *asked, ""}}) : 1;
}
