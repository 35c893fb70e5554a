#include "warpledger/memory/hottest.h"

#include <map>

#include "tests/support/law.h"

namespace warpledger::memory {
namespace {

LAW(Hottest, NeverCountsMoreThanThereWere) {
  Hottest hottest;
  std::map<uint64_t, uint64_t> counts;
  uint64_t most = 0;
  for (int64_t i = rng.between(0, 1000); i > 0; --i) {
    const auto sector = static_cast<uint64_t>(rng.between(0, rng.size() * 10));
    most = std::max(most, ++counts[sector]);
    hottest.note(sector);
  }
  EXPECT_LE(hottest.most(), most);
}
LAW(Hottest, FindsTheOneThatStandsOut) {
  Hottest hottest;
  uint64_t others = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    hottest.note(7);
    if (rng.coin()) {
      hottest.note(1000 + i);
      ++others;
    }
  }
  EXPECT_GE(hottest.most(), 1000 - others);
  EXPECT_GE(hottest.most(), 900U);
}

}  // namespace
}  // namespace warpledger::memory
