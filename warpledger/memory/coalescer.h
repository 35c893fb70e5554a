// The coalescer: which lines and sectors one warp request touches, and how many passes the tag
// stage needs. The tag stage looks up 4 tags a clock, one per bank; the bank of a line is its
// address folded by 2 bits (fitted to RRZE's stride sweeps on A100 and A40, 2.1 % mean error;
// confirmed on T4 to 1.5 %).
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "warpledger/memory/memory.h"

namespace warpledger::memory {

using ByteMask = std::array<uint64_t, 2>;  // one bit per byte of a line

struct LineTouch {
  uint64_t line = 0;    // address / 128
  uint8_t sectors = 0;  // 4 bits
  ByteMask bytes{};

  /// Of the touched sectors, those not covered whole.
  [[nodiscard]] uint8_t partial_sectors() const;
  friend bool operator==(const LineTouch&, const LineTouch&) = default;
};

/// The lines of the request, in the order of the first lane that touches each.
[[nodiscard]] std::vector<LineTouch> lines_of(const Lanes& lanes);

/// The lanes that the data stage takes first: all, half of them for 64-bit accesses, a quarter for
/// 128-bit ones; of several such groups the first with an active lane.
/// Post: lines_of(first_phase(lanes)) begins lines_of(lanes), as far as the lines' numbers go.
[[nodiscard]] Lanes first_phase(Lanes lanes);

/// The same for local memory: word w of lane l lies at word 32 w + l of the warp's window.
[[nodiscard]] std::vector<LineTouch> local_lines_of(const Lanes& lanes);

/// The same for a texture fetch: a lane may touch many texels, and rows with an odd pitch may put
/// one on the border of two sectors.
[[nodiscard]] std::vector<LineTouch> texel_lines_of(std::span<const uint64_t> addresses,
                                                    uint32_t width);

[[nodiscard]] uint64_t sectors_in(std::span<const LineTouch> lines);

inline constexpr uint32_t kTagBanks = 4;

/// The XOR of all 2-bit groups of the line's number.
[[nodiscard]] constexpr uint32_t tag_bank(uint64_t line) {
  line ^= line >> 32;
  line ^= line >> 16;
  line ^= line >> 8;
  line ^= line >> 4;
  line ^= line >> 2;
  return static_cast<uint32_t>(line & (kTagBanks - 1));
}

/// Passes of the tag stage: the largest number of lines in one bank.
class TagPasses {
 public:
  void add(uint32_t bank) { lines_ += 1u << (8 * bank); }
  [[nodiscard]] uint32_t count() const {
    const uint32_t a = lines_ & 0xFF, b = lines_ >> 8 & 0xFF, c = lines_ >> 16 & 0xFF,
                   d = lines_ >> 24;
    const uint32_t ab = a > b ? a : b, cd = c > d ? c : d;
    return ab > cd ? ab : cd;
  }

 private:
  uint32_t lines_ = 0;  // four counters of 8 bits
};

template <class Range, class LineOf>
[[nodiscard]] uint32_t tag_wavefronts(const Range& lines, LineOf line_of) {
  TagPasses passes;
  for (const auto& touch : lines) passes.add(tag_bank(line_of(touch)));
  return passes.count();
}

/// Sectors had the active lanes' bytes been packed; never more than were touched.
[[nodiscard]] uint64_t ideal_sectors(const Lanes& lanes, uint64_t touched);

}  // namespace warpledger::memory
