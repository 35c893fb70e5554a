// The pipes of an SM: which one a machine instruction keeps busy, and for how long. The lists and
// the cycles are those with which opcode tables of 51 published reports (V100 to GH200) give their
// pipe percentages: ALU within 1 % in 50 of 51, XU in 19 of 19. The tables have no modifiers, so
// that wide multiplies (FMA) are told apart in few; FP64 and tensor cores were seen in three and
// one.
//
//   ALU      integer add, compare, logic, moves: half a cycle of an SM (64 lanes)
//   FMA      FP32 and integer multiply; where FP32 has 128 lanes, only half of them multiply
//            integers, and those of 64-bit results take them for two turns
//   XU       special functions, conversions, the check before a division: 2 cycles (16 lanes)
//
// Without machine code the PTX's own instructions stand for it; that is modeled.
#pragma once

#include "warpledger/profile/value/profile.h"
#include "warpledger/ptx/spelling.h"
#include "warpledger/sass/code.h"

namespace warpledger::profile {

/// Adds `times` executions of the instruction.
void add_work(const sass::Instruction& instruction, uint64_t times, PipeWork& work);

/// What a PTX instruction keeps busy.
[[nodiscard]] Pipe pipe_of(const ptx::Spelling& spelling);
/// The same of an instruction as printed, in a profile that was kept: "@%p1 fma.rn.f32 %f1, ...".
[[nodiscard]] Pipe pipe_of(std::string_view text);

/// Adds `times` executions of a PTX instruction.
void add_ptx_work(Pipe pipe, uint64_t times, PipeWork& work);

/// "rem.u32 ..." and "div.s64 ...": the GPU has no instruction for them.
[[nodiscard]] bool is_integer_division(Pipe pipe);

/// Of the machine code where it is known, else of the PTX.
[[nodiscard]] PipeWork pipe_work(const Profile& profile);

/// What the scheduler waits for when it waits for the instruction.
[[nodiscard]] ProgramInstruction::Result result_of(const sass::Instruction& instruction);

}  // namespace warpledger::profile
