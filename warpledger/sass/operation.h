// What a machine instruction does, in those classes of ncu's sass__thread_inst_executed_op counters
// that are known. NVIDIA does not publish which opcode is in which: the lists are those with which
// measured configurations of a convolution and of a point-in-polygon test on an RTX 2080 Ti agree
// (docs/validation.md, sweeps). Integers, control and the rest agree with no list that was tried.
#pragma once

#include "warpledger/sass/code.h"

namespace warpledger::sass {

enum class Operation : uint8_t { kOther, kFp16, kFp32, kFp64, kMemory };
[[nodiscard]] Operation operation_of(const Instruction& instruction);

}  // namespace warpledger::sass
