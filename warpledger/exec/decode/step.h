// An instruction decoded for execution: registers are slots, variables addresses, literals bits.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "warpledger/exec/semantics/fragment_move.h"
#include "warpledger/exec/semantics/pure.h"
#include "warpledger/ptx/forward.h"
#include "warpledger/ptx/spelling.h"

namespace warpledger::exec::reference {

struct Context;
struct Inlined;
struct Step;

enum class Outcome : uint8_t {
  kNext,   // go on with the next instruction
  kStay,   // the fragment waits here, or has been replaced
  kMoved,  // the program counter was set
};
using Execute = Outcome (*)(Context& context, const Step& step);

/// Where an operand's value comes from or goes to.
struct Value {
  enum class Kind : uint8_t {
    kNone,
    kSink,       // _
    kRegister,   // slot
    kImmediate,  // value
    kSpecial,    // slot: SpecialRegister, component
    kFrame,      // the address of a local variable: frame base + value
    kIndirect,   // [register slot + value]
    kFixed,      // [value]
    kInFrame,    // [frame base + value]
    kList,       // count children from `slot` on, in Code::values
    kLabel,      // value: instruction
    kOther       // prototypes: looked up when needed; slot: index
  };
  Kind kind = Kind::kNone;
  ptx::Space space = ptx::Space::kGeneric;  // of a variable's address
  bool negated = false;
  uint8_t component = 0;
  uint16_t selector = 0;
  uint16_t bits = 64;  // of the register, or of what the instruction reads
  uint32_t slot = 0;
  uint32_t count = 0;
  uint64_t value = 0;
};

/// What an instruction of machine code has to do with where lanes that have parted go on
/// (exec/jit/analysis/by_address.h).
struct Convergence {
  enum class Kind : uint8_t {
    kNone,
    kOpen,     // BSSY
    kMeet,     // BSYNC, or WARPSYNC: then of barrier kNamedLanes
    kLeave,    // BREAK
    kName,     // WARPSYNC, before it waits: operand 1 says for whom
    kCall,     // comes back to the next block
    kJump,     // CALL that does not come back
    kReturn,   // RET
    kMissing,  // BRA.DIV: the result is whether lanes that operand 1 names are elsewhere
  };
  Kind kind = Kind::kNone;
  uint8_t barrier = 0;
  friend bool operator==(const Convergence&, const Convergence&) = default;
};
inline constexpr uint8_t kNamedLanes = 16;

struct Step {
  Execute run = nullptr;  // null: refused by name
  Pure pure = nullptr;    // of run_pure
  const Variant* variant = nullptr;
  const ptx::Instruction* instruction = nullptr;
  const FragmentMove* move = nullptr;  // of wmma.load and wmma.store, in Code::moves
  std::span<const Value> operands;
  uint32_t number = 0;  // of the instruction in the kernel (Code::first_number + index)
  uint32_t site = 0;    // its first trace site, when it has one
  uint32_t reconverge =
      UINT32_MAX;               // of a branch: where the sides meet; none: at the function's end
  uint32_t guard = UINT32_MAX;  // register slot
  bool guard_negated = false;
  bool polls = false;        // may be what a lane spins on
  bool gives_way = false;    // the other warps of the block run first (exec/decode/slice/turns.h)
  bool mark_before = false;  // a use mark of the trace stands before it, or after it
  bool mark_after = false;
  bool extra = false;     // made by inlining (inline.h): no instruction, counted nowhere
  bool dropped = false;   // address-only: nobody needs the values that it moves or computes,
  bool vanishes = false;  // and there is nothing else to it (exec/decode/slice/)
  /// Of machine code: scoreboards that its loads set, as bits, and those that it waits for. The
  /// first wait behind a load has a use mark before it.
  uint8_t loads = 0, waits = 0;
  bool names_all_here = false;  // shfl, vote: its lanes are those that execute it, whoever they are
  bool of_first_lane = false;   // mov: every lane gets the value of the first
  Convergence convergence;
  uint32_t loop_block = 0;  // of a loop's first step: the instructions of its basic block
  uint8_t still_reads = 0;  // of a dropped step: operands that it reads nevertheless, as bits

  [[nodiscard]] const ptx::Spelling& spelling() const { return *variant->spelling; }
};

/// A function decoded.
struct Code {
  const ptx::Function* function = nullptr;
  uint32_t index = 0;         // in the module
  uint32_t first_number = 0;  // of its first instruction
  uint32_t slots = 0;         // 64-bit words of registers per lane
  uint64_t frame_bytes = 0;
  std::vector<uint32_t> slot_of;    // by register
  std::vector<uint16_t> slot_bits;  // by slot: of the register that it holds, or is a word of
  std::vector<Value> values;
  std::vector<std::unique_ptr<const FragmentMove>> moves;
  std::vector<Step> steps;
  std::shared_ptr<const Inlined> inlined;  // null: its steps are those of `function`
  /// Lanes that have parted go on by address (exec/jit/analysis/by_address.h), not where PTX has
  /// them meet; and by slot: registers of which a warp has one.
  bool by_address = false;
  std::vector<bool> of_warp;
};

}  // namespace warpledger::exec::reference
