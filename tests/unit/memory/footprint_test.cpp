#include "warpledger/memory/footprint.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/law.h"
#include "warpledger/memory/dram.h"

namespace warpledger::memory {
namespace {

LAW(Footprint, CountsEachSectorOnce) {
  Dram dram(rng.coin());
  std::set<uint64_t> read, written;
  for (int64_t n = rng.between(0, 4 * rng.size()); n > 0; --n) {
    const auto line = static_cast<uint32_t>(rng.between(0, 20) << rng.between(0, 20));
    const auto sectors = static_cast<uint8_t>(rng.between(0, 15));
    const int64_t what = rng.between(0, 2);
    for (uint64_t i = 0; i < 4; ++i) {
      if (sectors >> i & 1) (what == 0 ? read : written).insert(uint64_t{line} * 4 + i);
    }
    if (what == 0) dram.read(line, sectors);
    if (what == 1) dram.write(line, sectors);
    if (what == 2) dram.leave_dirty(line, sectors);
  }
  EXPECT_EQ(dram.counters().unique_read_sectors, read.size());
  EXPECT_EQ(dram.counters().unique_written_sectors, written.size());
}

}  // namespace
}  // namespace warpledger::memory
