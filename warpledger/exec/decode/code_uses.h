// How often compiled code was at hand: for those who ask where the time went.
#pragma once

#include <cstdint>

namespace warpledger::exec {

/// Kernels that this process asked the cache of a folder for, by where they were found.
struct CodeUses {
  uint64_t compiled = 0;   // nowhere
  uint64_t on_disk = 0;    // kept by an earlier process
  uint64_t in_memory = 0;  // by an earlier launch
};

}  // namespace warpledger::exec
