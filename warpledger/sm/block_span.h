// When a thread block was on the simulated SM.
#pragma once

#include <cstdint>

namespace warpledger::sm {

struct BlockSpan {
  uint32_t number = 0;         // in the order in which the SM starts them
  uint32_t place = 0;          // of those that it holds at a time
  int64_t begin = 0, end = 0;  // cycles
  friend bool operator==(const BlockSpan&, const BlockSpan&) = default;
};

}  // namespace warpledger::sm
