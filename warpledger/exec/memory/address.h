// The address windows: what a generic address means, and the numbers of each state space.
//
//   generic           space     address in that space
//   kSharedWindow+x   .shared   x, byte offset in the CTA's shared memory
//   kLocalWindow+x    .local    x, byte offset in the thread's stack
//   kConstWindow+x    .const    x, byte offset in the module's constant bank
//   kParamWindow+x    .param    x, byte offset in the kernel's parameters
//   all others        .global   the same number
// A .param address of a device function's parameter is kStackParam + its offset in the local stack.
#pragma once

#include <cstdint>

#include "warpledger/ptx/spelling.h"

namespace warpledger::exec {

inline constexpr uint64_t kWindowBytes = 0x1'0000'0000;
inline constexpr uint64_t kSharedWindow = 1 * kWindowBytes;
inline constexpr uint64_t kLocalWindow = 2 * kWindowBytes;
inline constexpr uint64_t kConstWindow = 3 * kWindowBytes;
inline constexpr uint64_t kParamWindow = 4 * kWindowBytes;
inline constexpr uint64_t kStackParam = 0x1000'0000;

/// An address in a named space.
struct SpaceAddress {
  ptx::Space space = ptx::Space::kGlobal;
  uint64_t offset = 0;
};

/// kShared stands for kSharedCluster too: without clusters a CTA's window is the only one.
[[nodiscard]] SpaceAddress from_generic(uint64_t address);
[[nodiscard]] uint64_t to_generic(ptx::Space space, uint64_t offset);

/// The start of a space's window; 0 for .global.
[[nodiscard]] uint64_t window_of(ptx::Space space);

}  // namespace warpledger::exec
