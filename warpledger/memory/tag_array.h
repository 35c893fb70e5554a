// Tags of a set-associative, sectored cache: up to 16 ways of 128 B lines with 4 valid and 4 dirty
// sectors, replaced by age. The L2's memory.
// A set is two cache lines of the host: a look-up compares 16 tags at once, and the order of age is
// one word, so that neither a hit nor a replacement walks over the ways.
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
  [[nodiscard]] uint32_t count() const { return count_; }

 private:
  uint32_t count_;
  uint64_t magic_;  // 2^64 / count, rounded up: exact quotients of 32-bit numbers
};

/// The way that holds `line`, of 16 tags, or 16.
[[nodiscard]] inline uint32_t find_way(const uint32_t* tags, uint32_t line) {
#if defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(line));
  const auto* vectors = reinterpret_cast<const __m128i*>(tags);
  const auto same = [&](int i) { return _mm_cmpeq_epi32(_mm_loadu_si128(vectors + i), wanted); };
  const __m128i low = _mm_packs_epi32(same(0), same(1)), high = _mm_packs_epi32(same(2), same(3));
  const auto hits = static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
  return static_cast<uint32_t>(std::countr_zero(hits | 1u << 16));
#else
  uint32_t way = 0;
  while (way < 16 && tags[way] != line) ++way;
  return way;
#endif
}

/// One set: tags in one cache line of the host, the rest in the next.
struct alignas(64) TagSet {
  static constexpr uint32_t kWays = 16;
  static constexpr uint32_t kNoLine = 0xFFFFFFFF;

  std::array<uint32_t, kWays> tag;
  uint64_t order;  // 4 bits a way, the one touched last lowest
  std::array<uint8_t, kWays> valid;
  std::array<uint8_t, kWays> dirty;
  uint16_t first;  // ways to be replaced before all others, lowest first: never used, or streamed
  uint8_t last;    // where `order` holds the way touched longest ago, in bits

  /// The way that holds `line`, or kWays.
  [[nodiscard]] uint32_t find(uint32_t line) const { return find_way(tag.data(), line); }
  [[nodiscard]] uint32_t newest() const { return static_cast<uint32_t>(order & 15); }
  /// The way to be replaced next.
  [[nodiscard]] uint32_t oldest() const {
    return first ? static_cast<uint32_t>(std::countr_zero(first))
                 : static_cast<uint32_t>(order >> last & 15);
  }
  void touch(uint32_t way) {
    if (newest() != way) move_to_front(way);
    if (first) first = static_cast<uint16_t>(first & ~(1u << way));
  }
  void replace_first(uint32_t way) { first = static_cast<uint16_t>(first | 1u << way); }

  void add_valid(uint32_t way, uint8_t sectors) {
    valid[way] = static_cast<uint8_t>(valid[way] | sectors);
  }
  void add_dirty(uint32_t way, uint8_t sectors) {
    dirty[way] = static_cast<uint8_t>(dirty[way] | sectors);
  }
  /// The way holds `line` from now on, and nothing of it yet.
  void assign(uint32_t way, uint32_t line) {
    tag[way] = line;
    valid[way] = 0;
  }

 private:
  void move_to_front(uint32_t way);
};

/// Sets of up to 16 ways.
class TagArray {
 public:
  TagArray(uint32_t sets, uint32_t ways);
  [[nodiscard]] TagSet& operator[](uint32_t set) { return sets_[set]; }
  [[nodiscard]] const std::vector<TagSet>& sets() const { return sets_; }

 private:
  std::vector<TagSet> sets_;
};

/// What a look-up of a line finds: its way, or the way that it would take and whose it is.
struct Look {
  uint32_t set = 0, way = 0;
  bool is_there = false;
  uint8_t valid = 0;                  // sectors of the line; 0 where it is not there
  uint32_t victim = TagSet::kNoLine;  // who has to go; kNoLine: nobody
  uint8_t victim_dirty = 0;           // sectors that are written back then
  friend bool operator==(const Look&, const Look&) = default;
};

/// Changes nothing.
[[nodiscard]] Look look_at(const TagArray& tags, uint32_t set, uint32_t line);

/// Finds the way's 4 bits (the lowest group that is zero after the XOR) and moves those below up.
inline void TagSet::move_to_front(uint32_t way) {
  constexpr uint64_t kOnes = 0x1111111111111111;
  const uint64_t apart = order ^ kOnes * way;
  const uint64_t found = (apart - kOnes) & ~apart & kOnes << 3;
  const uint64_t below = (found & (~found + 1)) - 1;  // the bits under the group's highest
  const uint64_t younger = below >> 3, moved = below << 1 | 1;
  order = (order & ~moved) | (order & younger) << 4 | way;
}

}  // namespace warpledger::memory
