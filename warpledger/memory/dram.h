// Device memory: counts 32 B sectors. With ECC kept inline (GDDR parts with ECC on), 32 bytes of
// check bits cover 256 bytes of data and travel with them: a stream pays 1/8 more, scattered
// sectors up to one more each (T4 reports: 1.10 to 1.12, and 1.7 to 2.0). The sectors of check bits
// fetched last are kept: 16 KB of them, where two-dimensional tiles come out as reported.
#pragma once

#include <vector>

#include "warpledger/memory/footprint.h"
#include "warpledger/memory/memory.h"
#include "warpledger/memory/open_rows.h"

namespace warpledger::memory {

class Dram {
 public:
  explicit Dram(bool inline_ecc, RowsConfig rows = {});
  void read(uint32_t line, uint8_t sectors);
  void write(uint32_t line, uint8_t sectors);
  void leave_dirty(uint32_t line, uint8_t sectors);
  [[nodiscard]] const DramCounters& counters() const { return counters_; }

 private:
  static constexpr uint32_t kEccBlocks = 512;  // fitted: t4_matadd_2d_1 and _2
  /// True when the check bits of the line's 256 B block had to be fetched.
  bool touch_ecc(std::vector<uint32_t>& kept, uint32_t line);

  DramCounters counters_;
  Footprint footprint_;
  OpenRows rows_;
  std::vector<uint32_t> ecc_read_, ecc_written_;  // block held in each place; empty without ECC
};

}  // namespace warpledger::memory
