// What an engine is to the study of engines (study.cc). One file each, ENGINE.cc, defines `DescribeEngine` and
// `MakeEngine`; a program is study.cc and one such file. Lines at its top say how it is built (docs/studies.md):
// // assay-engine: name=lmdb title=LMDB header=lmdb.h link=-llmdb package=liblmdb-dev
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../driver.h"

namespace assay {

// What is the same for each engine. Compression is off everywhere, and no commit waits for the device.
struct EngineSettings {
  std::string path;      // an existing directory for the engine alone
  uint64_t cache_bytes;  // of the engine's own cache; what the kernel caches is bounded by a cgroup, if by anything
  uint64_t write_buffer_bytes;  // of engines that collect writes in memory
  uint64_t data_bytes;          // of all keys and values
  uint64_t value_bytes;
  std::string variant;
  bool log;  // whether a write-ahead log is asked for
};

// What the library is, before anything is opened.
struct EngineDescription {
  std::string title;
  std::string headers;                // the version that was compiled against
  std::string library;                // the version that runs
  std::string object;                 // how the file of a shared library begins, such as "liblmdb"; empty: it has none
  std::vector<std::string> variants;  // the first is the default
};

// What an engine promises, and how it was set up. Reports print it beside the numbers.
struct Promises {
  bool log;               // whether it writes one, whatever was asked for
  std::string sync;       // when it waits for the device by itself: never, commit, checkpoint or close
  std::string checksums;  // of what, such as "each block"; or "none"
  bool cache_bounded;     // whether cache_bytes bounds what it keeps in memory
  bool direct_io;
  uint64_t background_threads;
  uint64_t write_buffer_bytes = 0;  // of writes that it collects in memory; 0 where it collects none
  std::string settled;              // what Settle leaves behind
  std::vector<std::pair<std::string, std::string>> settings;
};

struct Record {
  std::string_view key;
  std::string_view value;
};

class Engine {
 public:
  // Takes records in the order of their keys.
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void Take(std::string_view key, std::string_view value) = 0;
  };

  virtual ~Engine() = default;

  // All functions throw Failure where the engine reports an error. Opens what is there, tables included, or makes it.
  virtual void Open() = 0;
  // Stores new records, or new values of old ones, in one commit.
  virtual void Put(const Record* records, uint64_t count) = 0;
  // Copies a value into the buffer; false where there is no such key.
  virtual bool Get(std::string_view key, std::string& value) = 0;
  // The first `most` records from the first key that is not less than `from`.
  virtual void Scan(std::string_view from, uint64_t most, Sink& sink) = 0;
  // Does at once all that the engine has put off: memtables, level 0 and compactions that are due, checkpoints, syncs.
  virtual void Settle() = 0;
  // What Settle has left undone, as far as it can be seen from outside; else nothing.
  virtual std::string Unsettled() = 0;
  // Waits for what it does in threads of its own, where it does anything there that ends.
  virtual void WaitUntilIdle() {}
  // What the engine says of the shape of its tree.
  virtual std::vector<std::string> Shape() { return {}; }
  virtual Promises Declare() = 0;
  virtual void Close() = 0;
};

EngineDescription DescribeEngine();
// Opens nothing yet.
std::unique_ptr<Engine> MakeEngine(const EngineSettings& settings);

}  // namespace assay
