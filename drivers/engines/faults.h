// Faults that tests put between the study and an engine, to see that its checks find them, whatever the engine:
// -DASSAY_FAULT=lost_record. By default there is none, and nothing of this is compiled into the program.
#pragma once

#ifndef ASSAY_FAULT
#define ASSAY_FAULT none
#endif

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine.h"
#include "read-back.h"

namespace assay {

enum class Fault {
  none,
  lost_record,        // one record is not stored by the load
  extra_record,       // one more is
  wrong_key,          // one has another key
  wrong_value,        // the last byte of one value is another
  lost_overwrite,     // one overwrite is left out
  wrong_overwrite,    // the last byte of an overwritten value is another
  missing_get,        // one record is not found when it is asked for
  stale_get,          // one record has the value of another version
  stale_overwrite,    // once it is overwritten
  short_range,        // range reads that hold one record end before it
  wrong_range,        // range reads have one value that is another
  wrong_range_key,    // range reads have one key that is another
  lost_on_reopening,  // one record is gone once the engine is opened again
  skipped_settle,     // nothing is settled
};

constexpr bool IsFault(Fault fault) {
  return fault == Fault::ASSAY_FAULT;
}

// An engine with the fault, which befalls the record that is overwritten first.
class Faulty : public Engine {
 public:
  Faulty(std::unique_ptr<Engine> engine, const Contents& contents)
      : engine_(std::move(engine)), key_(KeyOf(contents.Overwrites().At(0))) {}

  void Open() override {
    engine_->Open();
    opened_++;
  }

  void Put(const Record* records, uint64_t count) override {
    std::vector<Record> kept;
    std::string key, value;
    for (uint64_t i = 0; i < count; i++) {
      Record record = records[i];
      if (record.key == key_) {
        stored_++;
        const bool load = stored_ == 1;
        if (IsFault(Fault::lost_record) && load) continue;
        if (IsFault(Fault::lost_overwrite) && !load) continue;
        if (IsFault(Fault::extra_record) && load) kept.push_back({"extra", record.value});
        if (IsFault(Fault::wrong_key) && load) record.key = "other key";
        if ((IsFault(Fault::wrong_value) && load) || (IsFault(Fault::wrong_overwrite) && !load)) {
          value = record.value;
          value.back() ^= 1;
          record.value = value;
        }
      }
      kept.push_back(record);
    }
    if (!kept.empty()) engine_->Put(kept.data(), kept.size());
  }

  bool Get(std::string_view key, std::string& value) override {
    const bool found = engine_->Get(key, value);
    if (key != key_) return found;
    if (IsFault(Fault::missing_get) || IsLost()) return false;
    if (IsFault(Fault::stale_get) || (IsFault(Fault::stale_overwrite) && stored_ > 1)) value.front() ^= 1;
    return found;
  }

  void Scan(std::string_view from, uint64_t most, Sink& sink) override {
    struct Between : Sink {
      Between(const Faulty& faulty, Sink& to, bool is_range) : faulty(faulty), to(to), is_range(is_range) {}
      void Take(std::string_view key, std::string_view value) override {
        const bool hit = key == faulty.key_;
        if (ended || (hit && faulty.IsLost())) return;
        ended = IsFault(Fault::short_range) && is_range && hit;
        if (ended) return;
        std::string changed(value);
        if (IsFault(Fault::wrong_range) && is_range && hit) changed.front() ^= 1;
        to.Take(IsFault(Fault::wrong_range_key) && is_range && hit ? "9999999999999999" : key, changed);
      }
      const Faulty& faulty;
      Sink& to;
      const bool is_range;
      bool ended = false;
    } between(*this, sink, most != UINT64_MAX);
    engine_->Scan(from, most, between);
  }

  void Settle() override {
    if constexpr (!IsFault(Fault::skipped_settle)) engine_->Settle();
  }

  std::string Unsettled() override { return engine_->Unsettled(); }
  void WaitUntilIdle() override { engine_->WaitUntilIdle(); }
  std::vector<std::string> Shape() override { return engine_->Shape(); }
  Promises Declare() override { return engine_->Declare(); }
  void Close() override { engine_->Close(); }

 private:
  bool IsLost() const { return IsFault(Fault::lost_on_reopening) && opened_ > 1; }

  std::unique_ptr<Engine> engine_;
  std::string key_;
  uint64_t stored_ = 0;
  uint64_t opened_ = 0;
};

}  // namespace assay
