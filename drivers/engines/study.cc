// One trial of the study of engines: loads records, reads and overwrites them, and says what each step cost. It is
// compiled with one engine (engine.h) to one program. See --help.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../driver_main.h"
#include "accounting.h"
#include "engine.h"
#include "faults.h"
#include "histogram.h"
#include "page-cache.h"
#include "read-back.h"
#include "sequence.h"
#include "step.h"

namespace assay {

// Stores prepared records, `batch` in a commit. The latency is that of a commit with all that it stores.
struct Puts {
  Engine* engine;
  const Record* records;
  uint64_t count;
  uint64_t batch;
  Histogram* latencies;
};

// Reads prepared keys, and compares what tells the record and its version.
struct Gets {
  Engine* engine;
  const std::string_view* keys;
  const uint64_t* words;
  uint64_t count;
  size_t value_bytes;
  Histogram* latencies;
  std::string value;
  uint64_t wrong = 0;
};

// Reads `length` records from prepared keys on, and compares the same of each, and its key.
struct Ranges : Engine::Sink {
  void Take(std::string_view key, std::string_view value) override {
    copied_key.assign(key);
    copied_value.assign(value);
    if (copied_key != std::string_view(next_key, kKeyBytes) || copied_value.size() != contents->ValueBytes() ||
        !BeginsWith(copied_value, contents->Word(next))) {
      different++;
    }
    next++;
    NextKey(next_key);
  }

  Engine* engine;
  const Contents* contents;
  const std::string_view* keys;
  const uint64_t* indexes;
  uint64_t count;
  uint64_t length;
  Histogram* latencies;
  std::string copied_key, copied_value;
  uint64_t next = 0;
  char next_key[kKeyBytes];
  uint64_t different = 0;  // of one range
  uint64_t records = 0;
  uint64_t wrong = 0;  // ranges
};

}  // namespace assay

ASSAY_TIMED_REGION assay_timed_put(assay::Puts* work) {
  int64_t before = assay::MonotonicNs();
  for (uint64_t i = 0; i < work->count; i += work->batch) {
    work->engine->Put(work->records + i, std::min(work->batch, work->count - i));
    const int64_t now = assay::MonotonicNs();
    work->latencies->Add(now - before);
    before = now;
  }
}

ASSAY_TIMED_REGION assay_timed_get(assay::Gets* work) {
  int64_t before = assay::MonotonicNs();
  for (uint64_t i = 0; i < work->count; i++) {
    const bool found = work->engine->Get(work->keys[i], work->value);
    if (!found || work->value.size() != work->value_bytes || !assay::BeginsWith(work->value, work->words[i])) {
      work->wrong++;
    }
    const int64_t now = assay::MonotonicNs();
    work->latencies->Add(now - before);
    before = now;
  }
}

ASSAY_TIMED_REGION assay_timed_range(assay::Ranges* work) {
  int64_t before = assay::MonotonicNs();
  for (uint64_t i = 0; i < work->count; i++) {
    const uint64_t first = work->indexes[i];
    work->next = first;
    memcpy(work->next_key, work->keys[i].data(), assay::kKeyBytes);
    work->different = 0;
    work->engine->Scan(work->keys[i], work->length, *work);
    const uint64_t taken = work->next - first;
    work->records += taken;
    if (work->different > 0 || taken != std::min(work->length, work->contents->Keys() - first)) work->wrong++;
    const int64_t now = assay::MonotonicNs();
    work->latencies->Add(now - before);
    before = now;
  }
}

namespace assay {
namespace {

class Study {
 public:
  Study(const Arguments& arguments, Trial& trial)
      : arguments_(arguments),
        trial_(trial),
        directory_(arguments.Directory() + "/engine"),
        meter_(arguments.Text("device-stat")),
        contents_(arguments.Count("seed"), arguments.Count("keys"), arguments.Count("value-bytes")) {
    std::filesystem::create_directories(directory_);
    engine_ = MakeEngine(Settings());
    if constexpr (!IsFault(Fault::none)) engine_ = std::make_unique<Faulty>(std::move(engine_), contents_);
  }

  void Run() {
    trial_.Fact("bytes_source", meter_.Source());
    engine_->Open();
    DeclarePromises();
    Write("load", arguments_.Count("batch"), contents_.Keys());
    Reopen();
    CheckContents(trial_, "loaded", "read_back", *engine_, contents_, kGetsBeforePoints);
    OpenForStep();
    ReadPoints();
    OpenForStep();
    ReadRanges();
    OpenForStep();
    Write("overwrite", arguments_.Count("overwrite-batch"), arguments_.Count("overwrites"));
    Reopen();
    CheckContents(trial_, "overwritten", "overwritten", *engine_, contents_, kGetsAtEnd);
    engine_->Close();
    trial_.Operations(operations_);
  }

 private:
  // Few, for reads may change what they find, at nobody's cost: LevelDB compacts a table that 100 have looked into in
  // vain.
  static constexpr uint64_t kGetsBeforePoints = 90;
  static constexpr uint64_t kGetsAtEnd = 10000;

  EngineSettings Settings() const {
    // Small enough that a small database has several levels too.
    constexpr uint64_t kBuffersInData = 32, kSmallest = 1 << 20, kLargest = 64 << 20;
    EngineSettings settings;
    settings.path = directory_;
    settings.cache_bytes = arguments_.Count("cache-bytes");
    settings.value_bytes = contents_.ValueBytes();
    settings.data_bytes = contents_.Keys() * (kKeyBytes + contents_.ValueBytes());
    settings.write_buffer_bytes = std::clamp(settings.data_bytes / kBuffersInData, kSmallest, kLargest);
    settings.variant = arguments_.Choice("variant");
    settings.log = arguments_.Choice("log") == "on";
    return settings;
  }

  void DeclarePromises() {
    const Promises promises = engine_->Declare();
    trial_.Fact("variant", arguments_.Choice("variant"));
    trial_.Fact("log", std::string(promises.log ? "yes" : "none"));
    trial_.Fact("sync", promises.sync);
    trial_.Fact("checksums", promises.checksums);
    trial_.Fact("compression", std::string("off"));
    trial_.Fact("cache_bounded", promises.cache_bounded);
    trial_.Fact("direct_io", promises.direct_io);
    trial_.Fact("client_threads", 1);
    trial_.Fact("background_threads", promises.background_threads);
    trial_.Fact("settled", promises.settled);
    trial_.Fact("before_queries", std::string(IsCold() ? "cold" : "one scan of all"));
    if (promises.write_buffer_bytes > 0) trial_.Fact("write_buffer_bytes", promises.write_buffer_bytes);
    std::vector<std::string> settings;
    for (const auto& [name, value] : promises.settings) settings.push_back(name + "=" + value);
    trial_.Fact("settings", settings);
    trial_.Fact("key_bytes", kKeyBytes);
    trial_.Fact("load_latency_records", arguments_.Count("batch"));
    trial_.Fact("overwrite_latency_records", arguments_.Count("overwrite-batch"));
    trial_.Fact("latency_relative_error", std::string(Histogram::kRelativeError));
    if (const auto kb = ReadAheadKb(directory_)) trial_.Fact("read_ahead_kb", *kb);
  }

  // How many operations are prepared at once: about a mebibyte of records.
  uint64_t PieceOf(uint64_t batch) const {
    constexpr uint64_t kMost = 1000, kBytes = 1 << 20;
    const uint64_t piece = std::clamp<uint64_t>(kBytes / (kKeyBytes + contents_.ValueBytes()), 1, kMost);
    return (piece + batch - 1) / batch * batch;
  }

  // The load, which stores each record once, or overwrites.
  void Write(const std::string& name, uint64_t batch, uint64_t count) {
    const bool is_load = name == "load";
    const bool in_sequence = is_load && arguments_.Choice("order") == "sequence";
    const Order load(contents_.Seed(), Stream::kLoad, contents_.Keys());
    const Order& order = is_load ? load : contents_.Overwrites();
    const size_t value_bytes = contents_.ValueBytes();
    const uint64_t piece = std::min(PieceOf(batch), std::max<uint64_t>(count, 1));
    std::vector<Record> records(piece);
    std::string keys(piece * kKeyBytes, '\0'), values(piece * value_bytes, '\0');
    for (uint64_t i = 0; i < piece; i++) {
      records[i] = {{keys.data() + i * kKeyBytes, kKeyBytes}, {values.data() + i * value_bytes, value_bytes}};
    }
    Step step(trial_, name, directory_, meter_);
    for (uint64_t begin = 0; begin < count; begin += piece) {
      Puts puts{engine_.get(), records.data(), std::min(piece, count - begin), batch, step.Latencies()};
      step.Prepare([&] {
        for (uint64_t i = 0; i < puts.count; i++) {
          const uint64_t place = begin + i;
          const uint64_t index = in_sequence ? place : order.At(place);
          const uint64_t version = is_load ? 0 : 1 + place / contents_.Keys();
          const uint64_t word = WordOf(contents_.Seed(), index, version);
          WriteKey(index, keys.data() + i * kKeyBytes);
          WriteValue(word, values.data() + i * value_bytes, value_bytes);
          step.Sequence().Add(index ^ word);
        }
      });
      step.Time(assay_timed_put, &puts);
    }
    step.End();
    if (!is_load) contents_.Overwritten(count);
    step.Settle(*engine_);
    step.Account();
    step.Metric("_user_bytes", static_cast<int64_t>(count * (kKeyBytes + value_bytes)));
    step.Metric("_space_bytes", static_cast<int64_t>(SpaceBytes(directory_)));
    operations_ += step.Operations();
  }

  // Reads `count` keys in the order of a stream.
  template <typename Work>
  void Read(Step& step, Stream stream, uint64_t count, Work& work, void (*region)(Work*)) {
    const Order order(contents_.Seed(), stream, contents_.Keys());
    const uint64_t piece = std::min(PieceOf(1), std::max<uint64_t>(count, 1));
    std::vector<uint64_t> indexes(piece), words(piece);
    std::string keys(piece * kKeyBytes, '\0');
    std::vector<std::string_view> views(piece);
    for (uint64_t i = 0; i < piece; i++) views[i] = {keys.data() + i * kKeyBytes, kKeyBytes};
    for (uint64_t begin = 0; begin < count; begin += piece) {
      work.count = std::min(piece, count - begin);
      step.Prepare([&] {
        for (uint64_t i = 0; i < work.count; i++) {
          indexes[i] = order.At(begin + i);
          words[i] = contents_.Word(indexes[i]);
          WriteKey(indexes[i], keys.data() + i * kKeyBytes);
          step.Sequence().Add(indexes[i] ^ words[i]);
        }
        work.keys = views.data();
        if constexpr (std::is_same_v<Work, Gets>) work.words = words.data();
        if constexpr (std::is_same_v<Work, Ranges>) work.indexes = indexes.data();
      });
      step.Time(region, &work);
    }
    step.End();
    step.Rest(*engine_);
    step.Account();
    operations_ += step.Operations();
  }

  void ReadPoints() {
    Step step(trial_, "point", directory_, meter_);
    Gets gets{engine_.get(), nullptr, nullptr, 0, contents_.ValueBytes(), step.Latencies(), "", 0};
    Read(step, Stream::kPoints, arguments_.Count("points"), gets, assay_timed_get);
    trial_.CheckEqual("point", gets.wrong, 0, "point reads that did not find the record as written");
  }

  void ReadRanges() {
    Step step(trial_, "range", directory_, meter_);
    Ranges ranges;
    ranges.engine = engine_.get();
    ranges.contents = &contents_;
    ranges.length = arguments_.Count("range-length");
    ranges.latencies = step.Latencies();
    Read(step, Stream::kRanges, arguments_.Count("ranges"), ranges, assay_timed_range);
    step.Metric("_records", static_cast<int64_t>(ranges.records));
    trial_.CheckEqual("range", ranges.wrong, 0, "range reads that did not find the records as written");
  }

  void Reopen() {
    engine_->Close();
    engine_->Open();
  }

  // Where memory has a limit, records are to come from the device.
  bool IsCold() const { return !arguments_.Text("cgroup").empty(); }

  // Steps after the load begin alike for each engine, and find nothing that others left: with nothing in memory but
  // what opening reads, or else with what the caches can hold of a scan of everything.
  void OpenForStep() {
    struct Nothing : Engine::Sink {
      void Take(std::string_view, std::string_view) override {}
    } nothing;
    engine_->Close();
    if (IsCold()) DropFromPageCache(directory_);
    engine_->Open();
    if (!IsCold()) engine_->Scan(std::string_view(), UINT64_MAX, nothing);
    engine_->WaitUntilIdle();
  }

  const Arguments& arguments_;
  Trial& trial_;
  std::string directory_;
  TrafficMeter meter_;
  Contents contents_;
  std::unique_ptr<Engine> engine_;
  uint64_t operations_ = 0;
};

// What each latency has on top: a reading of the clock, of many the median.
int64_t ClockCostNs() {
  Histogram costs;
  int64_t before = MonotonicNs();
  for (int i = 0; i < 10000; i++) {
    const int64_t now = MonotonicNs();
    costs.Add(now - before);
    before = now;
  }
  return *costs.Quantile(500);
}

void RunStudy(const Arguments& arguments, Trial& trial) {
  const std::string& cgroup = arguments.Text("cgroup");
  if (!cgroup.empty()) EnterCgroup(cgroup);
  // Before the engine starts threads, whenever it does: all engines have the same CPUs.
  const PinnedThread pin(arguments.Cpu());
  trial.Fact("clock_ns", ClockCostNs());
  Study(arguments, trial).Run();
  trial.Metric("peak_resident_bytes", static_cast<int64_t>(PeakResidentBytes()));
  if (cgroup.empty()) return;
  if (const auto peak = CgroupPeakBytes(cgroup)) trial.Metric("peak_cgroup_bytes", static_cast<int64_t>(*peak));
}

// Headers and library of different versions are a fault of the build.
void EngineFacts(Trial& trial) {
  const EngineDescription engine = DescribeEngine();
  trial.Fact("engine", engine.title);
  trial.Fact("version", engine.library);
  trial.Check("library", engine.headers == engine.library,
              "compiled against " + engine.title + " " + engine.headers + ", running with " + engine.library);
  if (engine.object.empty()) return;
  if (const auto assertions = HasAssertions(FileOfLibrary(engine.object))) trial.Fact("assertions", *assertions);
}

Workload StudyOfEngine() {
  constexpr uint64_t kMostKeys = 10000000000;
  return {
      "study",
      "Loads records, reads single ones and ranges, overwrites some, and reads everything back after each change.",
      "the calls of the engine in each step, by pieces of up to 1,000 operations, and settling after load and "
      "overwrite. Not making keys and values, opening, closing or reading back.",
      {
          Count("keys", 100000, "keys", "records of the load, with keys of 16 bytes", 1, kMostKeys),
          Count("value-bytes", 100, "bytes", "of each value, which do not compress", kWordBytes, 1 << 20),
          Count("cache-bytes", 64 << 20, "bytes", "of the engine's own cache", 1 << 20, uint64_t{1} << 40),
          Count("batch", 100, "records", "in a commit of the load", 1, 100000),
          Count("points", 10000, "reads", "of single records", 0, kMostKeys),
          Count("ranges", 1000, "reads", "of adjacent records", 0, kMostKeys),
          Count("range-length", 10, "records", "of a range read", 1, 100000),
          Count("overwrites", 10000, "records", "that get new values of the same size", 0, kMostKeys),
          Count("overwrite-batch", 1, "records", "in a commit of the overwrites", 1, 100000),
          Count("seed", 1, "seed", "of all sequences", 0, UINT64_MAX),
          Choice("order", {"random", "sequence"}, "of the load"),
          Choice("variant", DescribeEngine().variants, "of the engine"),
          Choice("log", {"off", "on"}, "whether writes are logged ahead, where the engine leaves the choice"),
          OptionalText("device-stat", "FILE", "/sys/block/NAME/stat of a device that only the trial uses"),
          OptionalText("cgroup", "DIR", "of version 1 or 2, which the trial enters before it opens the engine"),
      },
      {
          "writes that wait for the device",
          "several clients at once",
          "values that compress",
          "skewed reads, in which few records are asked for often",
      },
      RunStudy,
  };
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  return assay::DriverMain(argc, argv, {assay::StudyOfEngine()}, assay::EngineFacts);
}
