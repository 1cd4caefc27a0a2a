// A driver in slices that does nothing: what is left is the cost of a turn.
#include "../../drivers/slices.h"

int main(int argc, char** argv) {
  assay::Slices slices;
  uint64_t done = 0;
  slices.work = [&](uint64_t operations) { done += operations; };
  if (!assay::IsServing(argc, argv)) return 2;
  const std::optional<uint64_t> asked = assay::Serve(slices);
  return asked ? assay::PrintResult(*asked, {{"count", done == *asked, ""}}) : 1;
}
