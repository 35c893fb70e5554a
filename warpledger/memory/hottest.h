// The sector that gets most atomics: they are done one after another, wherever they come from.
//
// Counted without a table of all sectors: each of a few places keeps a candidate and a balance
// (Boyer and Moore's majority vote); a sector that gets more than half of what falls on its place
// ends there, counted from when it took the place. Where no sector stands out the answer is small.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace warpledger::memory {

class Hottest {
 public:
  void note(uint64_t sector) {
    Place& place = places_[(sector * kSpread) >> kShift];
    if (place.sector != sector) {
      if (place.balance > 0) {
        --place.balance;
        return;
      }
      place = {.sector = sector};
    }
    ++place.balance;
    ++place.count;
  }
  [[nodiscard]] uint64_t most() const {
    uint64_t most = 0;
    for (const Place& place : places_) most = std::max(most, place.count);
    return most;
  }

 private:
  static constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  static constexpr unsigned kShift = 64 - 8;
  struct Place {
    uint64_t sector = UINT64_MAX;
    uint64_t balance = 0;
    uint64_t count = 0;
  };
  std::array<Place, 256> places_ = {};
};

}  // namespace warpledger::memory
