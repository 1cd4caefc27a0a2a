// Which keys a step takes, in which order, and which values they have: the same for each engine, by the seed alone.
// Nothing is kept in memory: what must be there is computed again.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace assay {

// Of 64 bits, one to one: the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
inline uint64_t Mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// Steps have orders of their own, so that one does not warm the caches for the next.
enum class Stream : uint64_t { kLoad = 1, kReadBack, kPoints, kRanges, kOverwrites };

// A seeded order of 0 … count − 1: a Feistel network of four rounds over the least even number of bits that holds them,
// walked until it comes back below `count` (Black and Rogaway 2002).
class Order {
 public:
  Order(uint64_t seed, Stream stream, uint64_t count) : count_(count) {
    while (half_bits_ < 32 && (uint64_t{1} << (2 * half_bits_)) < count) half_bits_++;
    mask_ = (uint64_t{1} << half_bits_) - 1;
    for (uint64_t round = 0; round < kRounds; round++) {
      keys_[round] = Mixed(Mixed(seed) ^ (static_cast<uint64_t>(stream) << 8 | round));
    }
  }

  // What comes at `place`; after the last the order begins again.
  uint64_t At(uint64_t place) const {
    uint64_t x = place % count_;
    do {
      uint64_t left = x >> half_bits_, right = x & mask_;
      for (const uint64_t key : keys_) {
        const uint64_t next = left ^ (Mixed(right ^ key) & mask_);
        left = right;
        right = next;
      }
      x = left << half_bits_ | right;
    } while (x >= count_);
    return x;
  }

  // Where `index` comes first.
  uint64_t PlaceOf(uint64_t index) const {
    uint64_t x = index;
    do {
      uint64_t left = x >> half_bits_, right = x & mask_;
      for (size_t round = kRounds; round-- > 0;) {
        const uint64_t before = right ^ (Mixed(left ^ keys_[round]) & mask_);
        right = left;
        left = before;
      }
      x = left << half_bits_ | right;
    } while (x >= count_);
    return x;
  }

 private:
  static constexpr size_t kRounds = 4;
  uint64_t count_;
  unsigned half_bits_ = 1;
  uint64_t mask_ = 0;
  uint64_t keys_[kRounds];
};

constexpr size_t kKeyBytes = 16;

// Decimal digits, so that the order of bytes is that of the numbers.
inline void WriteKey(uint64_t index, char* key) {
  for (size_t i = kKeyBytes; i-- > 0; index /= 10) key[i] = static_cast<char>('0' + index % 10);
}

// Makes of a key that of the next index.
inline void NextKey(char* key) {
  size_t digit = kKeyBytes - 1;
  while (key[digit] == '9' && digit > 0) key[digit--] = '0';
  key[digit]++;
}

inline std::string KeyOf(uint64_t index) {
  std::string key(kKeyBytes, '0');
  WriteKey(index, key.data());
  return key;
}

// The first 64 bits of a value: they tell record, version and seed.
inline uint64_t WordOf(uint64_t seed, uint64_t index, uint64_t version) {
  return Mixed(Mixed(seed ^ Mixed(version)) ^ index);
}

constexpr size_t kWordBytes = sizeof(uint64_t);

inline bool BeginsWith(std::string_view value, uint64_t word) {
  return value.size() >= kWordBytes && memcmp(value.data(), &word, kWordBytes) == 0;
}

// The whole value, which no compression makes smaller.
inline void WriteValue(uint64_t word, char* value, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kWordBytes, word = Mixed(word)) {
    memcpy(value + at, &word, bytes - at < kWordBytes ? bytes - at : kWordBytes);
  }
}

// What all engines must have been asked for alike: a digest of a step's sequence of keys and words.
class Digest {
 public:
  void Add(uint64_t value) { state_ = Mixed(state_ ^ value); }
  std::string Hex() const {
    std::string text(16, '0');
    for (size_t i = 0; i < 16; i++) text[i] = "0123456789abcdef"[state_ >> (60 - 4 * i) & 15];
    return text;
  }

 private:
  uint64_t state_ = 0;
};

}  // namespace assay
