#include "warpledger/memory/schedule.h"

namespace warpledger::memory {

double Schedule::pace(uint64_t cta) const {
  if (drift == 0.0) return 1.0;
  uint64_t x = (cta + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;  // splitmix64
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  x ^= x >> 31;
  const double unit = static_cast<double>(x >> 11) / static_cast<double>(uint64_t{1} << 53);
  return 1.0 + drift * (2.0 * unit - 1.0);
}

}  // namespace warpledger::memory
