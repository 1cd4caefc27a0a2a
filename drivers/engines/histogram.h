// How long single operations took, in buckets that grow with the time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace assay {

// Each power of two is cut into 64 buckets of the same width, so that a bucket's middle is within 1/128 of whatever
// lies in it. Below 64 ns each value has its own.
class Histogram {
 public:
  static constexpr const char* kRelativeError = "1/128";

  void Add(int64_t value) {
    counts_[BucketOf(value < 0 ? 0 : static_cast<uint64_t>(value))]++;
    count_++;
  }

  uint64_t Count() const { return count_; }

  // The value that a share of `per_mille` of all values do not exceed; none where nothing was added.
  std::optional<int64_t> Quantile(uint64_t per_mille) const {
    if (count_ == 0) return std::nullopt;
    const uint64_t rank = (count_ * per_mille + 999) / 1000;
    uint64_t seen = 0;
    size_t bucket = 0;
    while ((seen += counts_[bucket]) < rank || seen == 0) bucket++;
    return MiddleOf(bucket);
  }

 private:
  static constexpr unsigned kBits = 6;
  static constexpr uint64_t kCut = uint64_t{1} << kBits;

  static size_t BucketOf(uint64_t value) {
    if (value < kCut) return value;
    const unsigned power = 63 - static_cast<unsigned>(__builtin_clzll(value));
    const unsigned shift = power - kBits;
    return (size_t{shift} + 1) * kCut + ((value >> shift) - kCut);
  }

  static int64_t MiddleOf(size_t bucket) {
    if (bucket < kCut) return static_cast<int64_t>(bucket);
    const unsigned shift = static_cast<unsigned>(bucket / kCut) - 1;
    const uint64_t first = (kCut + bucket % kCut) << shift;
    return static_cast<int64_t>(first + ((uint64_t{1} << shift) / 2));
  }

  std::array<uint64_t, (64 - kBits + 1) * kCut> counts_{};
  uint64_t count_ = 0;
};

}  // namespace assay
