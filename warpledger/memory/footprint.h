// Which sectors device memory has been asked for: the traffic of a cache that never forgets, which
// no order of the same accesses can beat. Two sets, read and written, as bits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpledger::memory {

class Footprint {
 public:
  /// The sectors of the line (a mask of 4 bits) that were in no call before.
  uint8_t add_read(uint32_t line, uint8_t sectors) { return add(line, sectors); }
  uint8_t add_written(uint32_t line, uint8_t sectors) {
    return static_cast<uint8_t>(add(line, static_cast<uint8_t>(sectors << 4)) >> 4);
  }

 private:
  static constexpr uint32_t kPageBits = 15;
  using Page = std::array<uint8_t, 1u << kPageBits>;  // by line: read below, written above

  uint8_t add(uint32_t line, uint8_t bits) {
    const uint32_t number = line >> kPageBits;
    if (number >= pages_.size()) pages_.resize(number + 1);
    if (!pages_[number]) pages_[number] = std::make_unique<Page>();
    uint8_t& seen = (*pages_[number])[line & ((1u << kPageBits) - 1)];
    const auto fresh = static_cast<uint8_t>(bits & ~seen);
    seen |= bits;
    return fresh;
  }

  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace warpledger::memory
