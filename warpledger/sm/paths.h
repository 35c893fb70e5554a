// Which warp of a thread block goes where, and what it does with mbarriers: recorded of one block
// of the launch. Warps that play different roles (one copies, the others multiply) take different
// ways through the code, and whose arrival ends whose wait follows from the barriers they name.
#pragma once

#include <cstdint>
#include <vector>

namespace warpledger::sm {

/// What one execution of an instruction does to one mbarrier, or asks of the tensor cores.
struct SyncOp {
  enum class Kind : uint8_t {
    kInit,     // count: arrivals of each phase
    kArrive,   // count arrivals, and bytes that are announced
    kWait,     // for the phase of that parity
    kCopy,     // brings `bytes`
    kProduct,  // count: elements of D
    kCommit,   // arrives when the block's products so far are done
  };
  Kind kind = Kind::kInit;
  bool parity = false;
  bool continues = false;  // the execution of the one before it, to another barrier
  uint32_t stream = 0;     // which instruction: an index into Paths::instructions
  uint32_t barrier = 0;    // 0, 1, 2, ... of its thread block
  uint32_t count = 0;
  int64_t bytes = 0;
  friend bool operator==(const SyncOp&, const SyncOp&) = default;
};

struct Paths {
  static constexpr uint32_t kEnd = UINT32_MAX;  // no further operation

  std::vector<uint32_t> role;                   // of each warp
  std::vector<std::vector<double>> executions;  // of each role: of each block of code, by one warp
  std::vector<uint32_t> instructions;           // that have operations, as the profile numbers them
  std::vector<std::vector<SyncOp>> ops;         // of each warp, in its order
  uint32_t barriers = 0;
  friend bool operator==(const Paths&, const Paths&) = default;
};

}  // namespace warpledger::sm
