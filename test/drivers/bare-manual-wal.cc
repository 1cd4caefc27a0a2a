// The timed loop of the workload write-manual-wal with nothing around it, to compare the driver with:
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

// A function of its own, so that its instructions can be counted.
extern "C" __attribute__((noinline)) bool bare_loop(rocksdb::DB* db, std::vector<rocksdb::WriteBatch>& batches,
                                                    long writes) {
  const rocksdb::WriteOptions options;
  size_t next = 0;
  for (long i = 0; i < writes; i++) {
    if (!db->Write(options, &batches[next]).ok()) return false;
    if (++next == batches.size()) next = 0;
  }
  return db->FlushWAL(false).ok();
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
  const long long start = Now();
  const bool ok = bare_loop(db, batches, writes);
  const long long end = Now();
  printf("{\"metrics\": {\"loop_ns\": %lld}, \"operations\": %ld}\n", end - start, writes);
  delete db;
  return ok ? 0 : 1;
}
