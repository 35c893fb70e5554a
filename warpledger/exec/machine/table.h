// One row for each opcode that runs: what it may carry, what it does, which pipe executes it.
#pragma once

#include <bitset>
#include <string_view>

#include "warpledger/exec/machine/lane.h"

namespace warpledger::exec::machine {

/// The pipes of ncu's "inst_executed_pipe" metrics.
enum class Pipe : uint8_t { kAlu, kFma, kFp16, kFp64, kXu, kTensor, kLsu, kUniform, kCbu, kAdu };

enum class MemoryClass : uint8_t { kNone, kGeneric, kShared, kLocal, kConstant };

using LaneFunction = void (*)(Lane& lane, const Instruction& instruction);
using WarpFunction = void (*)(Context& context, const Instruction& instruction, Lanes lanes);

struct Row {
  std::string_view opcode;
  LaneFunction lane = nullptr;  // called for each lane; or
  WarpFunction warp = nullptr;  // called once
  Pipe pipe = Pipe::kAlu;
  MemoryClass memory = MemoryClass::kNone;
  bool is_uniform = false;  // executed once, on uniform registers
  bool is_float = false;    // its immediates are floating-point numbers
  bool is_half = false;     // of half precision: an immediate is a pair
  std::bitset<static_cast<size_t>(Modifier::kCount)> modifiers = {};
  [[nodiscard]] bool allows(Modifier one) const { return modifiers[static_cast<size_t>(one)]; }
};

/// Null when the opcode is not on the list.
[[nodiscard]] const Row* find_row(std::string_view opcode);

/// Sets operands 0 and 1 of a comparison to its result and the opposite, each combined with the
/// predicate that is operand 4 (.AND, .OR, .XOR).
void set_combined(Lane& lane, const Instruction& instruction, bool result);

// What the rows name, by family.
#define WL_LANE(opcode, function, ...) void function(Lane& lane, const Instruction& instruction);
#define WL_UNIFORM(opcode, function, ...) void function(Lane& lane, const Instruction& instruction);
#define WL_WARP(opcode, function, ...) \
  void function(Context& context, const Instruction& instruction, Lanes lanes);
#include "warpledger/exec/machine/opcodes.def"
#undef WL_LANE
#undef WL_UNIFORM
#undef WL_WARP

}  // namespace warpledger::exec::machine
