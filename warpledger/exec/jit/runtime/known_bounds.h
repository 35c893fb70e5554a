// What compiled code may rely on after an access that the runtime looked at: lanes that lie the
// same way find themselves in bounds without asking (SiteWindow).
#pragma once

#include <utility>

#include "warpledger/exec/jit/runtime/runtime.h"

namespace warpledger::exec::jit {

/// An access that was in bounds.
struct Known {
  uint32_t window = 0;
  ptx::Space space = ptx::Space::kGlobal;
  uint32_t lanes = 0;
  uint32_t element = 4, count = 4;
  bool by_windows = false;  // it, or another one of its group, may be a load by windows
  std::pair<int64_t, int64_t> span = {0, 0};  // Analysis::span
};

/// `scalar`: the uniform part of the addresses.
void remember(RunningWarp& warp, const Known& known, const int64_t (&address)[32], uint64_t scalar);

/// How many were noted so far. An access among which there was one is not remembered.
[[nodiscard]] uint64_t bad_accesses(const RunningWarp& warp);

}  // namespace warpledger::exec::jit
