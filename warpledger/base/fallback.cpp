#include "warpledger/base/fallback.h"

#include <algorithm>

namespace warpledger {

bool take_way(std::vector<FallbackWay>& ways, const Diagnostic& refusal) {
  if (refusal.fallback == Fallback::kNone) return false;
  for (;;) {
    const auto answers = [&](const FallbackWay& way) {
      return std::find(way.after.begin(), way.after.end(), refusal.fallback) != way.after.end();
    };
    const auto found = std::find_if(ways.begin(), ways.end(), answers);
    if (found == ways.end()) return false;
    const FallbackWay way = *std::move(found);
    ways.erase(found);
    if (way.take(refusal)) return true;
  }
}

}  // namespace warpledger
