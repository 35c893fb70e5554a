// How many blocks, threads and warps a launch has.
#pragma once

#include "interpose/work.h"

namespace warpledger::cuda {

[[nodiscard]] inline uint64_t volume(const exec::Extent& extent) {
  return uint64_t{extent[0]} * extent[1] * extent[2];
}

[[nodiscard]] inline uint64_t warps_of(const LaunchRequest& request) {
  return volume(request.grid) * ((volume(request.block) + 31) / 32);
}

}  // namespace warpledger::cuda
