// Which kernels may run their CTAs in any order, told from the PTX alone.
//
// CTAs may communicate, and are then run by one thread in a defined order, where the kernel
//   * uses the result of an atomic on global memory, or swaps, compares, increments or decrements;
//   * adds floating-point numbers to global memory: the sum depends on the order;
//   * loads global memory .volatile, .relaxed, .acquire or stronger: it may wait for another CTA;
//   * calls a function: printf's output and malloc's addresses depend on the order;
//   * reads %smid or another register that tells where or when the CTA runs.
// Generic addresses count as global. Integer reductions (add, min, max, and, or, xor) commute: they
// are done under a lock and leave the order free. What remains, a plain load of what another CTA
// stores plainly, is a race: undefined in PTX as here.
#pragma once

#include "warpledger/exec/decode/program.h"

namespace warpledger::exec::reference {

[[nodiscard]] bool may_communicate(const Program& program);

}  // namespace warpledger::exec::reference
