// Which rows of device memory are open. Addresses go round the channels in pieces of 256 B; the
// pieces of a channel fill its rows one after another. A channel keeps the 16 rows open that were
// touched last, one per bank: which bank a row is in is not public, so two rows never meet in one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpledger::memory {

struct RowsConfig {
  uint32_t channels = 0;  // 0: rows are not known, and none is counted
  uint32_t row_bytes = 0;
};

class OpenRows {
 public:
  explicit OpenRows(RowsConfig config);
  /// True when the line's row had to be opened.
  bool touch(uint32_t line);

 private:
  static constexpr size_t kBanks = 16;
  using Channel = std::array<uint32_t, kBanks>;  // rows, touched last first
  uint32_t pieces_per_row_;
  std::vector<Channel> channels_;
};

}  // namespace warpledger::memory
