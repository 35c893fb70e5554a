// Which unit of an SM executes a machine instruction. The lists are those with which opcode tables
// of 51 published reports (V100 to GH200) give their pipe percentages (docs/validation.md).
#pragma once

#include "warpledger/sass/code.h"

namespace warpledger::sass {

enum class Unit : uint8_t {
  kNone,  // branches, barriers' kin, what no list names
  kAlu,
  kFma,
  kMultiply,      // IMAD
  kWideMultiply,  // IMAD.WIDE, IMAD.HI
  kXu,            // special functions and conversions
  kFp64,
  kTensor,
  kUniform,
  kBarrier,
  kLsu,  // memory, shuffles, S2R of what a thread is
};
[[nodiscard]] Unit unit_of(const Instruction& instruction);

/// Whether an opcode (Instruction::base()) is among the names.
[[nodiscard]] bool is_any(std::string_view base, std::initializer_list<std::string_view> names);

/// Multiply-adds of a warp on tensor cores, weighed as FP16 ones: "HMMA.16816.F32" is 16 x 8 x 16.
/// Formats with fewer bits than 16 run so much faster, wider ones slower. 0 for warp groups
/// (GMMA), whose shape the opcode does not tell.
[[nodiscard]] uint64_t tensor_work(const Instruction& instruction);

/// Shuffles, and reads of threadIdx; blockIdx comes another way. Reports with data-stage wavefronts
/// and no shared memory: one per warp and component of threadIdx on T4, RTX 3080, RTX 4090.
[[nodiscard]] bool passes_lsu_without_memory(const Instruction& instruction);

}  // namespace warpledger::sass
