// LLVM. The memory safety of what the emitters wrote, looked for in the IR itself.
//
// A kernel's function may touch, and nothing else (warp_context.h says what each of them is):
//   its frame          constant places in variables; the stack of masks by an index
//   the context        constant places; an element of `data` by an index of five bits
//   a pattern          reads, at constant places
//   the trace          up to four records from the next free one
//   windows, counts, the interpreter's registers, parameters: constant places inside of them;
//                      parameters are read only
//   device memory      at s + d + o from global, shared or constants, where a branch on
//                          windows[i].pattern == p  and  rotate(s - windows[i].base) < bound
//                      leads to every path that touches it; d is within the span of the group that
//                      window i is checked for, and o is a field of that p, or smaller than a
//                      lane's widest access. Constants are read only.
// Runtime functions that believe addresses (wl_jit_queue_copy, wl_jit_move_known_rows) are called
// under such a branch as well.
//
// The lanes of a gather or scatter lie at s + c + lanes, where p was looked up by the same lanes.
// Blocks that no path leads to never run, and are not looked at.
//
// What it does not look at: whether the optimizer keeps this (LLVM's own claim), and whether the
// runtime writes windows that are right (tests/unit/exec/jit).
#pragma once

#include <llvm/IR/Module.h>

#include <optional>
#include <string>

#include "warpledger/exec/jit/analysis/analysis.h"

namespace warpledger::exec::jit {

/// An instruction that breaks the rules, with why; nothing when there is none. Pre: the module is
/// valid, not yet optimized, and the kernel's function is `name`.
[[nodiscard]] std::optional<std::string> find_unchecked(llvm::Module& module,
                                                        const Analysis& analysis,
                                                        const std::string& name);

}  // namespace warpledger::exec::jit
