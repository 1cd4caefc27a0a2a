// What must be in an engine, and whether it is: each record, its whole value, and nothing else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../driver.h"
#include "engine.h"
#include "sequence.h"

namespace assay {

// The records after a load and some overwrites, in the orders of their streams.
class Contents {
 public:
  Contents(uint64_t seed, uint64_t keys, size_t value_bytes)
      : seed_(seed), keys_(keys), value_bytes_(value_bytes), overwrites_(seed, Stream::kOverwrites, keys) {}

  uint64_t Seed() const { return seed_; }
  uint64_t Keys() const { return keys_; }
  size_t ValueBytes() const { return value_bytes_; }
  // How many overwrites are done. The order of overwrites takes each key once before it takes one again.
  void Overwritten(uint64_t count) { overwritten_ = count; }
  const Order& Overwrites() const { return overwrites_; }
  // How many keys have been overwritten: the first ones in that order.
  uint64_t OverwrittenKeys() const { return std::min(overwritten_, keys_); }

  // What a record's value begins with.
  uint64_t Word(uint64_t index) const { return WordOf(seed_, index, VersionOf(index)); }
  // The whole value.
  void Value(uint64_t index, std::string& value) const {
    value.resize(value_bytes_);
    WriteValue(Word(index), value.data(), value_bytes_);
  }

 private:
  uint64_t VersionOf(uint64_t index) const {
    if (overwritten_ == 0) return 0;
    return overwritten_ / keys_ + (overwrites_.PlaceOf(index) < overwritten_ % keys_ ? 1 : 0);
  }

  uint64_t seed_;
  uint64_t keys_;
  size_t value_bytes_;
  Order overwrites_;
  uint64_t overwritten_ = 0;
};

// Takes all records in the order of their keys.
class ReadBack : public Engine::Sink {
 public:
  explicit ReadBack(const Contents& contents) : contents_(contents) {}

  void Take(std::string_view key, std::string_view value) override {
    taken_++;
    const std::optional<uint64_t> index = IndexOf(key);
    if (!index || *index >= contents_.Keys() || *index < next_) {
      return Note(extra_, std::string(key.substr(0, kKeyBytes)) + " should not be there");
    }
    Skip(*index);
    next_ = *index + 1;
    contents_.Value(*index, expected_);
    if (value != expected_) Note(wrong_, KeyOf(*index) + " has another value");
  }

  uint64_t Taken() const { return taken_; }

  // What is wrong with the records; nothing where they are as they must be. To be called once, at their end.
  std::string Wrong() {
    Skip(contents_.Keys());
    if (missing_ + extra_ + wrong_ == 0) return "";
    return std::to_string(missing_) + " missing, " + std::to_string(extra_) + " extra, " + std::to_string(wrong_) +
           " with another value; first: " + first_;
  }

 private:
  static std::optional<uint64_t> IndexOf(std::string_view key) {
    if (key.size() != kKeyBytes || key.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    uint64_t index = 0;
    for (const char digit : key) index = index * 10 + static_cast<uint64_t>(digit - '0');
    return index;
  }

  // The records before `index` that did not come are missing.
  void Skip(uint64_t index) {
    if (index <= next_) return;
    Note(missing_, KeyOf(next_) + " is missing");
    missing_ += index - next_ - 1;
  }

  void Note(uint64_t& count, const std::string& what) {
    count++;
    if (first_.empty()) first_ = what;
  }

  const Contents& contents_;
  std::string expected_;
  std::string first_;
  uint64_t next_ = 0;
  uint64_t taken_ = 0;
  uint64_t missing_ = 0;
  uint64_t extra_ = 0;
  uint64_t wrong_ = 0;
};

// Reads everything by one scan, and some records one by one: half of them such as have been overwritten, if there are
// so many, and the rest in an order of their own. Makes the checks `count_check`, of the number of records, and
// `check`, of each.
inline void CheckContents(Trial& trial, const std::string& count_check, const std::string& check, Engine& engine,
                          const Contents& contents, uint64_t gets) {
  ReadBack read(contents);
  engine.Scan(std::string_view(), UINT64_MAX, read);
  trial.CheckEqual(count_check, read.Taken(), contents.Keys(), "records in a scan of all");
  const std::string wrong = read.Wrong();
  trial.Check(check, wrong.empty(), wrong);

  std::string value, expected;
  const auto get = [&](uint64_t index) {
    contents.Value(index, expected);
    const bool found = engine.Get(KeyOf(index), value);
    trial.Check(check, found && value == expected,
                KeyOf(index) + (found ? " has another value" : " is not found") + " when it is read alone");
  };
  const uint64_t overwritten = std::min(contents.OverwrittenKeys(), gets / 2);
  for (uint64_t i = 0; i < overwritten; i++) get(contents.Overwrites().At(i));
  const Order order(contents.Seed(), Stream::kReadBack, contents.Keys());
  for (uint64_t i = 0; i < std::min(contents.Keys(), gets - overwritten); i++) get(order.At(i));
}

}  // namespace assay
