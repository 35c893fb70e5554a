// The table of opcodes: what PTX has, what each form of it takes, and how far we run it.
//
// The table is opcodes/*.def, one file per family. Two kinds of rows:
//
//   OPCODE(Add, "add", kArithmetic, kNone)
//     one meaning: Op::kAdd; its name, which names the semantics in exec/ as well; its family; what
//     it does to memory. The FORM rows below it are its spellings.
//
//   FORM(1, 86, 100, "add{.<rnd>}{.ftz}.f32x2", "=0,0,0")
//     tier, first PTX version times ten, first sm (A(90): only for sm_90a, or the 'a' or 'f'
//     variant of a later one), pattern, operands.
//
// A pattern is the spelling: `.word` required, `{.word}` optional, `.(a|b)` one of, `.<set>` one of
// a set of sets.def. Types must come in the order of the pattern; other modifiers may come in any
// order, since ptxas takes them so, but two of one slot keep theirs (.shared::cluster.global).
//
// Operands, separated by commas, `{,x}` for those that may be left out, `=` for those written:
//   - `0` `1` `2`: a value of the instruction's first, second, third type
//   - `w0`: of the first type widened (mul.wide)
//   - `x0`: a register that may be wider (cvt)
//   - `v0`: of loads and stores: a scalar, or a vector where .v2 .v4 .v8 says so; may be wider
//   - `m0`: of mov: anything that has that size, also vectors and addresses
//   - `n0` `n*`: a value, or the address of a variable
//   - `y0`: a byte in a .b8 or .b16 register
//   - `b32` ...: a value of that type
//   - `p`: a predicate, perhaps negated
//   - `#`: an integer constant
//   - `[]`: an address; `[t]`: an address with coordinates, [map, {x, y}]
//   - `r*` `s*` `*`: a register or a list of them; a video operand with its selector; anything
//   - `@`: a label or a list of targets; `call`: what call takes
//   - `0|p`: two results in one, d|p, the second may be left out
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace warpledger::ptx {

enum class Op : uint16_t {
#define OPCODE(op, name, family, memory) k##op,
#define FORM(tier, ptx, sm, pattern, operands)
#include "warpledger/ptx/opcodes.def"
#undef OPCODE
#undef FORM
};

enum class Family : uint8_t {
  kArithmetic,
  kLogic,
  kConversion,
  kMemory,
  kAtomic,
  kBarrier,
  kWarp,
  kControl,
  kTensorCore,
  kAsyncCopy,
  kTcgen05,
  kTexture,
  kVideo,
  kMisc,
};

enum class MemoryKind : uint8_t {
  kNone,
  kLoad,
  kStore,
  kAtomic,     // reads, writes and answers
  kReduction,  // reads and writes, answers nothing
  kAsync,      // moves bytes later: cp.async, bulk and tensor copies, wgmma reading its operands
  kBarrierObject,  // an mbarrier in shared memory
  kHint,           // prefetches and priorities: no value moves
  kFence,
  kTexture,
  kTensorMemory,
};

/// How far we run a form.
enum class Tier : uint8_t {
  kParsed = 0,   // read and printed; refused by name when it would run
  kSamples = 1,  // what the CUDA samples need
  kAmpere = 2,   // asynchronous copies and tensor cores up to sm_80's
  kHopper = 3,   // TMA, wgmma, clusters, tcgen05
};

struct OpcodeInfo {
  std::string_view name;
  Family family;
  MemoryKind memory;
};

/// A row as written in the .def file. `sm` >= kArchSpecific: only the 'a' or 'f' variants.
inline constexpr uint16_t kArchSpecific = 1000;
struct FormRow {
  Op op;
  Tier tier;
  uint16_t ptx;
  uint16_t sm;
  std::string_view pattern;
  std::string_view operands;
};

[[nodiscard]] const OpcodeInfo& info(Op op);
[[nodiscard]] std::span<const OpcodeInfo> opcodes();
[[nodiscard]] std::span<const FormRow> form_rows();

[[nodiscard]] std::string_view to_text(Family family);
[[nodiscard]] std::string_view to_text(MemoryKind memory);
[[nodiscard]] std::string_view to_text(Tier tier);

}  // namespace warpledger::ptx
