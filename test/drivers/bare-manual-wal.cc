// The timed loop of the workload write-manual-wal with nothing around it, to compare the driver's time with:
//   bare-manual-wal DIR WRITES BATCHES
#include <rocksdb/db.h>
#include <rocksdb/memtablerep.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

static long long Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const long writes = atol(argv[2]);
  std::vector<rocksdb::WriteBatch> batches(atol(argv[3]));

  rocksdb::Options options;
  options.create_if_missing = true;
  options.memtable_factory = std::make_shared<rocksdb::VectorRepFactory>(0);
  options.allow_concurrent_memtable_write = false;
  options.write_buffer_size = size_t{1} << 30;
  options.compression = rocksdb::kNoCompression;
  options.disable_auto_compactions = true;
  options.manual_wal_flush = true;
  options.avoid_flush_during_shutdown = true;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  rocksdb::DB* db = nullptr;
  if (!rocksdb::DB::Open(options, argv[1], &db).ok()) return 1;
  for (size_t i = 0; i < batches.size(); i++) {
    char key[32];
    snprintf(key, sizeof key, "k%09d", static_cast<int>(i));
    if (!batches[i].Put(key, "").ok()) return 1;
  }

  const rocksdb::WriteOptions write_options;
  const long long start = Now();
  size_t next = 0;
  for (long i = 0; i < writes; i++) {
    if (!db->Write(write_options, &batches[next]).ok()) return 1;
    if (++next == batches.size()) next = 0;
  }
  if (!db->FlushWAL(false).ok()) return 1;
  const long long end = Now();

  printf("%lld\n", end - start);
  delete db;
  return 0;
}
