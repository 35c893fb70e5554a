// How device memory is divided: channels that work side by side, and rows, one of which a bank has
// open at a time. An access to another row closes it and opens ("activates") that one; a channel
// begins at most one activation in `activation_ns` (tRRD), whatever the banks.
#pragma once

#include <optional>

#include "warpledger/gpu/gpu.h"

namespace warpledger {

struct DramRows {
  int64_t channels = 0;
  int64_t row_bytes = 0;
  double activation_ns = 0;  // of one channel, from one to the next
};

/// By the type of memory and the width of the bus; nothing where a file does not give them, or for
/// a type whose rows are not known.
[[nodiscard]] std::optional<DramRows> dram_rows(const Gpu& gpu);

}  // namespace warpledger
