// The SASS witness: what ptxas made of each PTX memory instruction, told by the line tables of the
// machine code itself. ptxas merges scalar loads into wide ones, forwards stores to loads, unrolls
// again and spills; without the witness shared requests and local traffic come out wrong.
//
// Two tables that refer to each other, both complete: every SASS memory instruction has a class
// (what no rule explains is kMismapped, never left out), every PTX memory instruction has a fate.
// docs/sass-mapping.md has the rules and what they were checked on.
#pragma once

#include <string>

#include "warpledger/sass/assemble.h"
#include "warpledger/sass/witness/access.h"
#include "warpledger/sass/witness/place.h"

namespace warpledger::sass {

/// Why a SASS memory instruction is there. The rules are tried in this order.
enum class AccessClass : uint8_t {
  kFiller,      // @!PT: issues, moves nothing
  kKept,        // its line has a fitting PTX memory instruction
  kSpill,       // LDL or STL of a register that found no room
  kCalleeSave,  // the same in a device function, at its entry or return
  kExpansion,   // part of an asynchronous, fence, tensor-memory or call instruction
  kSunk,        // one store made of several, at the line where their ways meet
  kMismapped,   // none of these: reported
};
[[nodiscard]] std::string_view to_text(AccessClass access_class);

/// How the neighbors in a widened access were found; the first three are proofs by address.
enum class MergeRule : uint8_t {
  kNone,           // not widened
  kSameBlock,      // M1: neighbors of one block cover it byte by byte
  kAcrossBlocks,   // M2: as M1, in several blocks of the function
  kWithHole,       // M3: loads with a hole between them: some bytes are read for nothing
  kOtherVariable,  // M4: shared variables that ptxas laid side by side (heuristic)
  kOwnCopies,      // M5: unrolled copies of one instruction, or of several (heuristic)
  kUnexplained,    // widened by nobody we found: reported
};
[[nodiscard]] std::string_view to_text(MergeRule rule);

/// One SASS memory instruction.
struct SassAccess {
  uint32_t index = 0;  // in KernelWitness::code
  MemoryAccess access = {};
  AccessClass access_class = AccessClass::kMismapped;
  Place place = {};  // the PTX instruction of its line
  MergeRule merge = MergeRule::kNone;
  /// The PTX instructions (of place.function) whose work it does, in order of their addresses;
  /// more than the one at `place` when widened or sunk.
  std::vector<uint32_t> members = {};
};

/// What became of a PTX memory instruction.
enum class FateKind : uint8_t {
  kKept,        // one SASS instruction
  kDuplicated,  // several: unrolled, or in both arms of a branch
  kWidened,     // its SASS instruction is wider and does its neighbors' work
  kMerged,      // done by a neighbor's wider instruction
  kSunk,        // stores that became one behind the join
  kDropped,     // no SASS instruction
  kElsewhere,   // not of the load/store unit (bulk copy, mbarrier, constants): not judged
};
[[nodiscard]] std::string_view to_text(FateKind kind);

/// Why a dropped one may be missing. None of these was verified by reachability.
enum class DropReason : uint8_t {
  kNone,
  kPromoted,     // local memory: taken to live in registers
  kSameAddress,  // another access of the function has its address: forwarded, or redundant
  kUnusedValue,  // a load whose result nobody reads
  kBlockGone,    // no instruction of its block has any SASS
  kUnexplained,  // reported
};
[[nodiscard]] std::string_view to_text(DropReason reason);

struct Fate {
  Place place = {};  // place.instruction as trace::Site::instruction counts
  FateKind kind = FateKind::kDropped;
  DropReason reason = DropReason::kNone;
  /// Which KernelWitness::accesses do its work. For kMerged and kSunk: the neighbor's.
  std::vector<uint32_t> accesses = {};
};

/// Instructions [first, end) of the code, entered at the first alone, left after the last alone.
struct SassBlock {
  uint32_t first = 0;
  uint32_t end = 0;
  std::vector<uint32_t> successors = {};
  std::vector<uint32_t> predecessors = {};
  bool leaves = false;                  // EXIT, RET or a trap, perhaps predicated
  bool has_unknown_successors = false;  // a branch whose targets the cubin does not tell
  bool is_reachable = true;             // from the start of its function
};

/// A function in the code of a kernel: the kernel itself first, then what ptxas did not inline.
struct SassFunction {
  std::string name;
  uint32_t first = 0;  // instructions [first, end)
  uint32_t end = 0;
  bool is_entry = false;
  uint64_t spill_store_bytes = 0, spill_load_bytes = 0;  // of one thread, each instruction once
  uint64_t save_store_bytes = 0, save_load_bytes = 0;    // callee saves
};

/// One section of code: a kernel, or a device function that is visible from outside.
struct KernelWitness {
  std::string name;
  bool is_entry = false;
  uint32_t function = Place::kCompilerMade;  // of the module
  std::optional<uint32_t> registers = {};
  std::optional<uint32_t> frame_bytes = {};      // its stack frame
  std::optional<uint32_t> min_stack_bytes = {};  // with what it calls
  uint64_t static_shared_bytes = 0;
  std::vector<Instruction> code;
  std::vector<Place> places;  // of each instruction of the code
  std::vector<SassFunction> functions;
  std::vector<SassBlock> blocks;
  std::vector<SassAccess> accesses;
  std::vector<Fate> fates;                // by place; of every function that the code holds
  std::vector<uint32_t> unknown_opcodes;  // instructions that look like memory and are not known
};

struct Witness {
  std::string arch;
  std::string ptxas;
  std::vector<KernelWitness> kernels;  // in the order of the module
  [[nodiscard]] const KernelWitness* find(std::string_view name) const;
};

/// What the assembled code tells. Fails where it carries no table of PTX lines.
[[nodiscard]] Result<Witness> witness(const Assembly& assembly);

/// Assembles `module` for `arch` first.
[[nodiscard]] Result<Witness> witness(const ptx::Module& module, const std::string& arch);

}  // namespace warpledger::sass
