// Tags of a set-associative, sectored cache: up to 16 ways of 128 B lines with 4 valid and 4 dirty
// sectors, replaced by age. The memory of both cache levels; what they do with it is theirs.
// A set's tags fill one cache line of the host, so that a look-up is one compare of 16 tags.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace warpledger::memory {

/// Spreads consecutive numbers evenly over `count` sets and strided ones pseudo-randomly:
/// n = q count + r goes to (r + mix(q)) mod count. Evenness is measured: a random hash makes an
/// RTX 3080 matmul whose matrices nearly fill the L2 read 37.9 MB from DRAM, even spreading 8.6 MB,
/// the report 8.6 MB; low bits alone are refuted by strided row sums on V100.
class SetIndex {
 public:
  explicit SetIndex(uint32_t count) : count_(count), magic_(~uint64_t{0} / count + 1) {}
  [[nodiscard]] uint32_t operator()(uint32_t n) const {
    __extension__ using Wide = unsigned __int128;
    const auto q = count_ == 1 ? n : static_cast<uint32_t>(Wide{magic_} * n >> 64);
    const uint32_t r = n - q * count_;
    const uint32_t mixed = (q ^ q >> 15) * 0x9E3779B1u;
    const auto shift = static_cast<uint32_t>(uint64_t{mixed} * count_ >> 32);
    return r + shift < count_ ? r + shift : r + shift - count_;
  }

 private:
  uint32_t count_;
  uint64_t magic_;  // 2^64 / count, rounded up: exact quotients of 32-bit numbers
};

class TagArray {
 public:
  static constexpr uint32_t kWays = 16;
  static constexpr uint32_t kNoLine = 0xFFFFFFFF;

  struct alignas(64) Set {
    std::array<uint32_t, kWays> tag;
    std::array<uint32_t, kWays> stamp;  // when last touched; unused ways: never the oldest
    std::array<uint8_t, kWays> valid;
    std::array<uint8_t, kWays> dirty;

    /// The way that holds `line`, or kWays.
    [[nodiscard]] uint32_t find(uint32_t line) const;
    [[nodiscard]] uint32_t oldest() const;
  };

  TagArray(uint32_t sets, uint32_t ways);
  [[nodiscard]] Set& operator[](uint32_t set) { return sets_[set]; }
  [[nodiscard]] const std::vector<Set>& sets() const { return sets_; }

 private:
  std::vector<Set> sets_;
};

inline uint32_t TagArray::Set::find(uint32_t line) const {
#if defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(line));
  const auto* tags = reinterpret_cast<const __m128i*>(tag.data());
  const __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(tags), wanted),
                                      _mm_cmpeq_epi32(_mm_load_si128(tags + 1), wanted));
  const __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(tags + 2), wanted),
                                       _mm_cmpeq_epi32(_mm_load_si128(tags + 3), wanted));
  const auto hits = static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
  return static_cast<uint32_t>(std::countr_zero(hits | 1u << kWays));
#else
  uint32_t way = 0;
  while (way < kWays && tag[way] != line) ++way;
  return way;
#endif
}

inline uint32_t TagArray::Set::oldest() const {
  uint32_t way = 0;
  for (uint32_t other = 1; other < kWays; ++other) way = stamp[other] < stamp[way] ? other : way;
  return way;
}

}  // namespace warpledger::memory
