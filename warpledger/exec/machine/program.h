// exec/machine/: machine code, executed. The room reads a kernel's cubin through nvdisasm's listing
// (sass/, toolchain/), lays out what the driver would (constant banks, relocations, shared and
// local memory) and interprets the instructions, one of one warp at a time, lane by lane. It knows
// opcodes of sm_75 to sm_120, registers and convergence barriers. It must not know the PTX
// interpreter, which is its oracle in tests, nor what a launch is profiled for.
//
//   program.h   the instructions, decoded         opcodes.def    every opcode that runs, in one
//   table loader.h    what the driver would lay out     bank_layout.h  where, by architecture
//   lane.h      operands, read and written        state.h        registers, blocks and warps
//   warp.h      which lanes run next              engine.h       a launch
//   record.h    what the trace shows of it        spellings.h    what has run in equal kernels
//
// A spelling that is not in the table, or has not run in a kernel whose memory was equal to its
// PTX's, stops the launch by its name: nothing unknown runs.
//
// This file: a kernel's instructions.
#pragma once

#include <map>
#include <string>

#include "warpledger/exec/machine/listing.h"
#include "warpledger/exec/machine/modifier.h"
#include "warpledger/sass/code.h"
#include "warpledger/sass/cubin/cubin.h"

namespace warpledger::exec::machine {

enum class OperandKind : uint8_t {
  kRegister,          // R4, RZ
  kUniform,           // UR4, URZ
  kPredicate,         // P0, !PT
  kUniformPredicate,  // UP0
  kConstant,          // c[0x0][0x160], c[0x3][R2+0x10]
  kImmediate,
  kAddress,  // [R2.64+UR4+0x10], desc[UR4][R2.64]: what describes the memory does not matter;
             // tmem[UR4+0x20]
  kSpecial,  // SR_TID.X
  kTarget,   // `(.L_x_1)
  kBarrier,  // B0: a convergence barrier
  kNamed,    // PR, SB0: what only some opcodes take
};

inline constexpr uint8_t kZeroRegister = 255, kTruePredicate = 7;
inline constexpr int16_t kNoRegister = -1;

struct Operand {
  OperandKind kind = OperandKind::kRegister;
  uint8_t index = kZeroRegister;  // of a register, predicate or barrier
  bool negated = false;           // -R4
  bool absolute = false;          // |R4|
  bool inverted = false;          // ~R4, !P0
  bool wide = false;              // [R2.64]: a pair
  bool base_is_32 = false;        // [R2.U32+UR4]: a 32-bit register, a pair of uniform ones
  bool index_is_uniform = false;  // c[0x3][UR4]
  uint8_t bank = 0;
  int16_t base = kNoRegister, uniform = kNoRegister;  // of an address or a constant
  uint8_t scale = 1;
  int64_t offset = 0;
  uint32_t immediate = 0;
  uint32_t upper = 0;         // the upper half of an immediate, where the instruction has 64 bits
  std::string selector = {};  // "H1_H1", "B1"
  std::string text = {};      // as printed, of kSpecial and kNamed
};

struct Row;  // of opcodes.def

/// "64x32x16": of wgmma.
struct Shape {
  uint32_t m = 0, n = 0, k = 0;
};

inline constexpr uint32_t kNoSite = ~0U;

struct Instruction {
  uint64_t address = 0;      // in device code: the section's base and its offset there
  const Row* row = nullptr;  // null: it is not on the list
  Modifiers modifiers = {};
  Shape shape = {};  // where kMxNxK is one of them
  std::vector<Operand> operands = {};
  std::optional<uint64_t> target = {};  // an address like its own
  uint8_t guard = kTruePredicate;
  bool guard_inverted = false, guard_is_uniform = false;
  sass::Control control = {};
  uint32_t site = kNoSite;  // the first of its sites in the trace
  std::string text = {};
  [[nodiscard]] bool has(Modifier modifier) const { return modifiers.has(modifier); }
};

/// The code of a kernel and of what it may call. Sections of the cubin lie one after another from
/// kMachineCode on.
struct Program {
  std::vector<Instruction> instructions = {};  // section by section, the kernel's first
  std::map<uint16_t, uint64_t> sections = {};  // addresses, by section number
  std::vector<uint32_t> index = {};            // of instructions, by their place in the code
  /// The number of the instruction at that address; nothing where there is no code.
  [[nodiscard]] std::optional<uint32_t> find(uint64_t address) const;
};
inline constexpr uint64_t kMachineCode = 0x7'0000'0000;
inline constexpr uint64_t kInstructionBytes = 16;

/// Where the sections of code of a cubin lie.
[[nodiscard]] std::map<uint16_t, uint64_t> place_code(const sass::Cubin& cubin);

/// The section of a kernel in a listing of the cubin (`nvdisasm -c`), decoded, and those of all
/// functions that are not kernels; `listing` gets what was decoded. `bytes_of` gives a section's
/// bytes after relocation: immediates that a listing rounds or names are read there. What is not in
/// the table, or has an operand that cannot be read, keeps no row: executing it stops the launch.
[[nodiscard]] Program decode(const sass::Cubin& cubin, const std::vector<sass::Function>& printed,
                             uint16_t kernel, const std::map<uint16_t, std::string>& bytes_of,
                             Listing& listing);

/// One operand as printed. `immediate`: bits 32 to 63 of the instruction. `is_float`: immediates
/// are floating-point numbers, so that the text is not exact.
[[nodiscard]] std::optional<Operand> read_operand(std::string_view text, uint32_t immediate,
                                                  bool is_float);

}  // namespace warpledger::exec::machine
