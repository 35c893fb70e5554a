// How many threads each machine instruction had: the lanes of its PTX instruction, as far as that
// tells it. All of it is modeled.
//
//   without a guard   the lanes of its PTX instruction; where that has a guard, or there is none,
//                     those of the instructions without guards in its block
//   with a guard      the lanes for which its PTX instruction ran; ptxas turns short branches into
//                     guards, so that warps execute it which skipped the PTX instruction
#pragma once

#include <optional>

#include "warpledger/profile/value/profile.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::profile {

/// A machine instruction, as far as its threads depend on it.
struct GuardedLine {
  uint64_t executions = 0;
  uint32_t number = UINT32_MAX;  // of its PTX instruction, in Profile::code
  bool has_guard = false;
};

/// Threads of all its executions; absent where nothing tells.
struct LineThreads {
  std::optional<uint64_t> active = {}, on = {};  // on: not predicated off
};

/// Pre: `blocks` lie within `lines`.
/// Post: on <= active <= 32 * executions, where they are known.
[[nodiscard]] std::vector<LineThreads> count_threads(const std::vector<CodeLine>& code,
                                                     const std::vector<sass::SassBlock>& blocks,
                                                     const std::vector<GuardedLine>& lines);

/// The kernel's machine instructions, counted by threads. One that nothing tells of has as many as
/// the others have in the mean. Pre: `program` is the kernel's, block by block.
[[nodiscard]] ThreadWork thread_work(const sass::KernelWitness& kernel, const Program& program,
                                     const std::vector<CodeLine>& code);

}  // namespace warpledger::profile
