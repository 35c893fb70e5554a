// Machine code as an SM executes it: what an instruction asks of which unit, and which block
// follows which how often.
#pragma once

#include <array>
#include <optional>

#include "warpledger/sass/witness/witness.h"
#include "warpledger/sm/hardware.h"
#include "warpledger/sm/paths.h"

namespace warpledger::sm {

enum class Kind : uint8_t {
  kFixed,  // nothing but its pipe; a result of variable latency where it sets a scoreboard
  kLoad,   // global, local, generic
  kStore,
  kAtomic,
  kReduction,
  kAsyncCopy,  // LDGSTS
  kSharedLoad,
  kSharedStore,
  kShuffle,  // and S2R of threadIdx: through the load/store unit
  kSpecial,
  kDouble,  // where the SM has one FP64 unit: through the MIO queue alone
  kSystem,  // S2R of blockIdx, LDC: through the MIO queue alone
  kFiller,  // @!PT LDS: the same, with nothing to do
  kBarrier,
  kArrive,  // BAR.ARV
  kFence,
  kBranch,
  kReconverge,  // BSYNC: where parted lanes meet
  kExit,
  kCommit,        // LDGDEPBAR: closes a group of asynchronous copies
  kAwait,         // DEPBAR.LE SB0, 1: until at most 1 group is under way
  kSync,          // has operations on mbarriers (Paths), or asks for a copy or a product
  kPhaseWait,     // SYNCS.PHASECHK: the answer comes when the phase has ended
  kGroupProduct,  // HGMMA and its kin
  kGroupAwait,    // WARPGROUP.DEPBAR: until at most so many groups of products are under way
};
enum class Pipe : uint8_t { kNone, kAlu, kFma, kFmaHeavy, kFp64, kUniform, kTensor, kMio };
inline constexpr size_t kPipes = 8;

/// What an instruction asks of memory, a mean over its requests.
struct Access {
  double active = 1;           // share of its executions with a lane on
  double tag_wavefronts = 1;   // passes of the tag stage
  double data_wavefronts = 1;  // passes of the data stage
  double writeback = 1;        // cycles of 128 B into registers
  double misses = 0;           // share of loads that go on to the L2
  double requests = 1;         // to the L2, of a load that misses
  double copy_lines = 0;       // of the L1, that a copy to shared memory that misses goes through
  double sectors = 0;          // of a load that misses; of a store
  double dram = 0;             // share of misses that go on to DRAM
  double dram_written = 0;     // sectors that a store leaves for DRAM
  double dram_fetched = 0;     // sectors of DRAM that a store of parts of them needs first
};

struct Instruction {
  Kind kind = Kind::kFixed;
  Pipe pipe = Pipe::kNone;
  uint8_t stall = 1, sets = 7, reads = 7, waits = 0;
  bool keeps = false;  // see sass::Control
  // Registers that it reads of each of the two banks, those in the operand cache apart.
  std::array<uint8_t, 2> bank_reads = {};
  uint8_t barrier = 0;         // its number, or the most groups that kAwait leaves
  uint32_t barrier_warps = 0;  // that take part; 0: all of the block
  uint32_t interval = 1;       // of its pipe
  double latency = 20;
  int32_t constant_line = -1;  // of 64 B; -1: no constant operand
  int32_t sync = -1;           // an index into Paths::instructions; -1: none
  bool closes_group = false;   // of products
  bool is_instant = false;     // nobody waits for what it starts
  Access access = {};
  [[nodiscard]] bool is_far() const {
    return (kind >= Kind::kLoad && kind <= Kind::kAsyncCopy) || kind == Kind::kPhaseWait;
  }
  [[nodiscard]] bool is_far_write() const {
    return kind == Kind::kStore || kind == Kind::kReduction;
  }
};

/// Where a block leads. A loop's branch is counted by each warp for itself, so that every warp runs
/// its trips; other branches part the warps of a block by their number.
struct Edge {
  uint32_t to = 0;
  double share = 1;  // of the executions that do not leave
};
struct Block {
  uint32_t first = 0, end = 0;  // instructions
  std::vector<Edge> next = {};
  double leaves = 0;           // share of executions that end the warp
  double executions = 0;       // of a warp
  int32_t stays_in_loop = -1;  // the edge of `next` that stays in the innermost loop; -1: none
};

/// Of warps that go the same way.
struct Role {
  std::vector<Block> blocks;
  /// By block: whose operations (SyncOp::stream) may come first from its start on; sorted.
  std::vector<std::vector<uint32_t>> first;
};

struct Program {
  std::vector<Instruction> code;
  std::vector<Block> blocks;  // of a mean warp
  uint32_t constant_lines = 0;
  // Where the launch's Paths are known; else empty.
  std::vector<Role> roles = {};
  std::vector<uint32_t> role_of = {};         // by warp
  std::vector<std::vector<SyncOp>> ops = {};  // by warp
  uint32_t barriers = 0;                      // mbarriers of a thread block
  [[nodiscard]] const Role& role(uint32_t warp) const { return roles[role_of[warp]]; }
  [[nodiscard]] const std::vector<Block>& blocks_of(uint32_t warp) const {
    return roles.empty() ? blocks : role(warp).blocks;
  }
};

/// One machine instruction; `access` where it touches memory. `before`: the one before it, whose
/// operands may stay in the operand cache; null: none.
[[nodiscard]] Instruction decode(const sass::Instruction& instruction,
                                 const sass::Instruction* before, const Access& access,
                                 const Hardware& hardware);

/// What a launch did, as far as the code of an SM depends on it.
struct Counts {
  std::vector<double> executions;  // of each block, by warps
  double warps = 1;
  std::vector<Access> accesses;  // of each instruction
  std::optional<Paths> paths = {};
  std::vector<int32_t> sync = {};  // of each instruction, where there are paths: Instruction::sync
};
/// Shares of edges come from the executions of blocks by iterative proportional fitting:
///   flow(u, v) >= 0, sum over v of flow(u, v) = executions(u), sum over u = executions(v)
[[nodiscard]] Program build_program(const std::vector<sass::Instruction>& code,
                                    const std::vector<sass::SassBlock>& blocks,
                                    const Counts& counts, const Hardware& hardware);

/// The same code where nobody waits for the results of the instructions that are marked; what they
/// ask of pipes and memory stays. Pre: a mark for each instruction.
[[nodiscard]] Program without_waits(Program program, const std::vector<bool>& marked);

}  // namespace warpledger::sm
