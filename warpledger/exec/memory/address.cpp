#include "warpledger/exec/memory/address.h"

namespace warpledger::exec {

using ptx::Space;

uint64_t window_of(Space space) {
  switch (space) {
    case Space::kShared:
    case Space::kSharedCluster:
      return kSharedWindow;
    case Space::kLocal:
      return kLocalWindow;
    case Space::kConst:
      return kConstWindow;
    case Space::kParam:
      return kParamWindow;
    default:
      return 0;
  }
}

SpaceAddress from_generic(uint64_t address) {
  for (const Space space : {Space::kShared, Space::kLocal, Space::kConst, Space::kParam}) {
    const uint64_t window = window_of(space);
    if (address >= window && address - window < kWindowBytes) return {space, address - window};
  }
  return {Space::kGlobal, address};
}

uint64_t to_generic(Space space, uint64_t offset) { return window_of(space) + offset; }

}  // namespace warpledger::exec
