// Which numbers of a GPU nobody published or measured for it.
#pragma once

#include "warpledger/gpu/gpu.h"

namespace warpledger {

/// How many facts the GPU's own file has, and how many of them are assumed.
struct FactCount {
  int64_t facts = 0, assumed = 0;
};
[[nodiscard]] FactCount count_facts(const Gpu& gpu);

/// Which numbers of each GPU's own file are assumed, and what they were taken from: one line a
/// source.
[[nodiscard]] Table assumed_of(const std::vector<Gpu>& gpus);

}  // namespace warpledger
