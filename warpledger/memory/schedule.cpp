#include "warpledger/memory/schedule.h"

namespace warpledger::memory {

double Schedule::pace(uint64_t cta) const {
  if (drift == 0.0) return 1.0;
  return 1.0 +
         drift *
             (2.0 * Draw::unit_of((cta + 1) * Draw::kGolden + seed * 0xD1B54A32D192ED03ull) - 1.0);
}

}  // namespace warpledger::memory
