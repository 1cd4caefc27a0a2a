// The timed loop of the workload write-batch-construct with nothing around it, to compare the driver with:
//   bare-batch-construct DIR KEYS
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using Families = std::vector<rocksdb::ColumnFamilyHandle*>;
static long long Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// A function of its own, so that its instructions can be counted.
extern "C" __attribute__((noinline)) bool bare_loop(std::vector<rocksdb::WriteBatch>& batches, const Families& families,
                                                    const std::vector<std::string>& keys, const std::string& value) {
  for (size_t j = 0; j < keys.size();) {
    rocksdb::WriteBatch& batch = batches.emplace_back();
    for (const size_t end = std::min(j + 256, keys.size()); j < end; j++) {
      if (!batch.Put(families[j % families.size()], keys[j], value).ok()) return false;
    }
  }
  return true;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  if (!rocksdb::DB::Open(options, argv[1], &db).ok()) return 1;
  Families families{db->DefaultColumnFamily()};
  for (int i = 1; i < 20; i++) {
    rocksdb::ColumnFamilyHandle* family = nullptr;
    if (!db->CreateColumnFamily({}, "family" + std::to_string(i), &family).ok()) return 1;
    families.push_back(family);
  }
  std::vector<std::string> keys(atol(argv[2]));
  for (size_t j = 0; j < keys.size(); j++) {
    char key[32];
    snprintf(key, sizeof key, "key_exit:%09d", static_cast<int>(j));
    keys[j] = key;
  }
  const std::string value(16, 'v');
  std::vector<rocksdb::WriteBatch> batches;
  batches.reserve(keys.size() / 256 + 1);
  const long long start = Now();
  const bool ok = bare_loop(batches, families, keys, value);
  const long long end = Now();
  printf("{\"metrics\": {\"loop_ns\": %lld}, \"operations\": %zu}\n", end - start, keys.size());
  for (rocksdb::ColumnFamilyHandle* family : families) db->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  delete db;
  return ok ? 0 : 1;
}
