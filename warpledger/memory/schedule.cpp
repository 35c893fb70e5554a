#include "warpledger/memory/schedule.h"

namespace warpledger::memory {
namespace {

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15ull;

/// splitmix64 of a state, as a number from [0, 1).
double unit_of(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) / static_cast<double>(uint64_t{1} << 53);
}

}  // namespace

double Draw::next() { return unit_of(state_ += kGolden); }

double Schedule::pace(uint64_t cta) const {
  if (drift == 0.0) return 1.0;
  return 1.0 + drift * (2.0 * unit_of((cta + 1) * kGolden + seed * 0xD1B54A32D192ED03ull) - 1.0);
}

}  // namespace warpledger::memory
