// The parts of the study of engines, by themselves: `engine-parts PART …` prints what the test holds against the truth.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "../../drivers/driver_main.h"
#include "../../drivers/engines/accounting.h"
#include "../../drivers/engines/histogram.h"
#include "../../drivers/engines/page-cache.h"
#include "../../drivers/engines/random-reads.h"
#include "../../drivers/engines/sequence.h"

namespace {

// The largest relative error of a histogram of one value, in millionths, over values up to an hour.
int64_t LargestError() {
  double largest = 0;
  for (double value = 1; value < 3.6e12; value *= 1.0007) {
    assay::Histogram one;
    one.Add(static_cast<int64_t>(value));
    const double truth = static_cast<double>(static_cast<int64_t>(value));
    const double error = static_cast<double>(*one.Quantile(990)) / truth - 1;
    largest = std::max(largest, error < 0 ? -error : error);
  }
  return static_cast<int64_t>(largest * 1e6);
}

// Of a mixed lot of values, the largest relative error of some quantiles, in millionths.
int64_t LargestQuantileError() {
  assay::Histogram histogram;
  std::vector<int64_t> values;
  for (uint64_t i = 0; i < 9973; i++) {
    values.push_back(static_cast<int64_t>(assay::Mixed(i) >> (20 + i % 40)));
    histogram.Add(values.back());
  }
  std::sort(values.begin(), values.end());
  double largest = 0;
  for (uint64_t per_mille = 1; per_mille <= 1000; per_mille++) {
    const double truth = static_cast<double>(values[(values.size() * per_mille + 999) / 1000 - 1]);
    const double error = truth == 0 ? static_cast<double>(*histogram.Quantile(per_mille))
                                    : static_cast<double>(*histogram.Quantile(per_mille)) / truth - 1;
    largest = std::max(largest, error < 0 ? -error : error);
  }
  return static_cast<int64_t>(largest * 1e6);
}

void PrintHistogram() {
  assay::Histogram extreme;
  const bool empty = !extreme.Quantile(500);
  extreme.Add(INT64_MAX);
  extreme.Add(-1);
  printf("%lld %lld %d %lld %d\n", static_cast<long long>(LargestError()),
         static_cast<long long>(LargestQuantileError()), empty, static_cast<long long>(*extreme.Quantile(1)),
         *extreme.Quantile(1000) > INT64_MAX / 128 * 126);
}

// Each index once, and each where PlaceOf says; in the next round again.
bool IsOrder(const assay::Order& order, uint64_t count) {
  std::vector<bool> seen(count);
  for (uint64_t place = 0; place < count; place++) {
    const uint64_t index = order.At(place);
    if (index >= count || seen[index] || order.PlaceOf(index) != place || order.At(place + count) != index)
      return false;
    seen[index] = true;
  }
  return true;
}

void PrintOrders() {
  for (const uint64_t count : {1, 2, 3, 4, 5, 16, 17, 1000, 65536, 65537}) {
    for (const uint64_t seed : {0, 1, 77}) {
      if (!IsOrder(assay::Order(seed, assay::Stream::kPoints, count), count)) {
        printf("no order of %llu by seed %llu\n", static_cast<unsigned long long>(count),
               static_cast<unsigned long long>(seed));
        return;
      }
    }
  }
  printf("orders\n");
}

// How many places of two streams, and of two seeds, have the same index, and how many neighbours are adjacent.
void PrintLikeness() {
  constexpr uint64_t kCount = 10000;
  const assay::Order points(1, assay::Stream::kPoints, kCount), ranges(1, assay::Stream::kRanges, kCount),
      other(2, assay::Stream::kPoints, kCount);
  int streams = 0, seeds = 0, adjacent = 0;
  for (uint64_t i = 0; i < kCount; i++) {
    streams += points.At(i) == ranges.At(i);
    seeds += points.At(i) == other.At(i);
    adjacent += points.At(i) + 1 == points.At(i + 1);
  }
  printf("%d %d %d\n", streams, seeds, adjacent);
}

void PrintTraffic(const std::optional<assay::Traffic>& traffic) {
  if (!traffic) {
    printf("none\n");
    return;
  }
  const auto count = [](const std::optional<uint64_t>& value) { return value ? std::to_string(*value) : "none"; };
  printf("%s %s %s %s\n", std::to_string(traffic->read_bytes).c_str(), std::to_string(traffic->written_bytes).c_str(),
         count(traffic->reads).c_str(), count(traffic->writes).c_str());
}

// How many of the file's pages the kernel keeps.
int ResidentPages(const std::string& path, size_t bytes) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const int file = open(path.c_str(), O_RDONLY);
  void* const map = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  std::vector<unsigned char> pages(bytes / page);
  const bool ok = mincore(map, bytes, pages.data()) == 0;
  munmap(map, bytes);
  close(file);
  return ok ? static_cast<int>(std::count_if(pages.begin(), pages.end(), [](unsigned char c) { return c & 1; })) : -1;
}

void PrintDropped(const std::string& directory) {
  constexpr size_t kBytes = 1 << 20;
  const std::string path = directory + "/below/file";
  std::ofstream(path) << std::string(kBytes, 'x');
  const int before = ResidentPages(path, kBytes);
  assay::DropFromPageCache(directory);
  printf("%d %d\n", before, ResidentPages(path, kBytes));
}

// How many pages of a file of 1,024 are in memory: once all have been dropped, then when a few were read one after the
// other. That makes the kernel read ahead, unless it is told that they were random.
void PrintReadAhead(const std::string& path, bool advised) {
  constexpr size_t kPages = 1024, kRead = 8;
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  const std::string contents(page, 'x');
  bool ok = true;
  for (size_t i = 0; i < kPages; i++) ok &= write(file, contents.data(), page) > 0;
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  const int dropped = ResidentPages(path, kPages * page);
  if (advised) assay::AdviseRandomReads(path);
  std::string read(page, '\0');
  for (size_t i = 0; i < kRead; i++) ok &= pread(file, read.data(), page, static_cast<off_t>(i * page)) > 0;
  if (ok) printf("%d %d\n", dropped, ResidentPages(path, kPages * page));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "", text = argc > 2 ? argv[2] : "";
  if (part == "histogram") PrintHistogram();
  if (part == "orders") PrintOrders();
  if (part == "likeness") PrintLikeness();
  if (part == "device-stat") PrintTraffic(assay::ParseDeviceStat(text));
  if (part == "process-io") PrintTraffic(assay::ParseProcessIo(text));
  if (part == "dropped") PrintDropped(text);
  if (part == "space") printf("%s\n", std::to_string(assay::SpaceBytes(text)).c_str());
  if (part == "assertions") printf("%d\n", assay::HasAssertions(text).value());
  if (part == "read-ahead") PrintReadAhead(text, false);
  if (part == "random-reads") PrintReadAhead(text, true);
  if (part == "unopened") {
    try {
      assay::AdviseRandomReads(text);
    } catch (const assay::Failure& failure) {
      fprintf(stderr, "%s\n", failure.what());
    }
  }
  if (part == "value") {
    std::string value(100003, '\0');
    assay::WriteValue(assay::WordOf(1, 2, 3), value.data(), value.size());
    fwrite(value.data(), 1, value.size(), stdout);
  }
  if (part == "words") {
    std::string value(8, '\0');
    assay::WriteValue(assay::WordOf(1, 2, 3), value.data(), value.size());
    for (const uint64_t word : {assay::WordOf(1, 2, 3), assay::WordOf(1, 2, 4), assay::WordOf(1, 3, 3),
                                assay::WordOf(2, 2, 3), assay::WordOf(1, 3, 2)}) {
      printf("%d", assay::BeginsWith(value, word));
    }
    printf("%d\n", assay::BeginsWith(value.substr(0, 7), assay::WordOf(1, 2, 3)));
  }
  return 0;
}
