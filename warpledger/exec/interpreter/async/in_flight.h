// What a CTA has asked for and not yet waited for: bulk copies, tensor-core work.
//
// Nothing here is done when it is issued. A copy into shared memory is read at once and written
// when somebody waits at its mbarrier; a copy out of shared memory is read and written when its
// group is waited for; tcgen05 works when the mbarrier of its commit is waited for. A kernel that
// forgets to wait finds the old bytes, one that writes over an operand too early is told so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "warpledger/exec/decode/launch.h"
#include "warpledger/trace/trace.h"

namespace warpledger::exec::reference {

struct Step;

/// Bytes on their way into shared memory.
struct BulkBytes {
  struct Piece {
    uint32_t shared = 0;  // offset
    uint32_t from = 0;    // in `bytes`
    uint32_t size = 0;
  };
  std::vector<Piece> pieces;
  std::vector<std::byte> bytes;  // none: nobody needs their values
  uint8_t mode = 0;              // 1 + the swizzle's SharedMode; 0: no tile
  const Step* step = nullptr;
};

/// A copy that ends at an mbarrier of the CTA that holds this.
struct BulkArrival {
  uint64_t barrier = 0;  // offset
  uint32_t to_rank = 0;  // whose shared memory is written
  uint32_t transactions = 0;
  std::shared_ptr<const BulkBytes> what;
};

/// Bulk copies of one thread out of shared memory: not committed, then the groups, oldest first.
using BulkStore = std::function<void()>;
struct BulkGroups {
  std::vector<BulkStore> open;
  std::vector<std::vector<BulkStore>> groups;
};

/// What reading an operand by its descriptor comes to: the same whenever the warp does it again.
struct KnownOperand {
  std::vector<uint32_t> chunks;        // where its 16-byte pieces lie
  std::vector<uint32_t> pieces;        // the same, numbered as SharedUse has them
  std::vector<trace::Record> records;  // slots of the trace; none: another warp records it
  Statistics::Accesses counts;
};

/// One wgmma.mma_async of a warp that has not been waited for.
struct MatrixWork {
  const Step* step = nullptr;
  std::vector<uint32_t> results, operands;                 // register slots
  std::vector<std::shared_ptr<const KnownOperand>> reads;  // of shared memory
};
struct MatrixGroups {
  std::vector<MatrixWork> open;
  std::vector<std::vector<MatrixWork>> groups;  // that the warp has not waited for
  uint64_t committed = 0, read = 0;             // groups; those that no longer read shared memory
  struct Mark {
    const Step* step = nullptr;
    bool is_result = false;
  };
  std::vector<Mark> marks;  // by register slot; empty: nothing is in flight
  /// By instruction, without what is read.
  std::unordered_map<const Step*, MatrixWork> works;
  /// By instruction, operand and descriptor.
  std::map<std::tuple<const Step*, uint32_t, uint64_t>, std::shared_ptr<const KnownOperand>> known;
};

/// What is known of a CTA's shared memory, by pieces of 16 bytes; empty until needed.
struct SharedUse {
  std::vector<uint8_t> mode;           // of the tile copy that wrote it (BulkBytes::mode)
  std::vector<uint16_t> readers;       // works in flight that read it
  std::vector<const Step*> read_last;  // by which instruction
  uint64_t reading = 0;                // sum of readers
  uint64_t spoiled = 0;                // of Slice::guessed, as bits: a dropped write touched them
  bool guesses = false;                // there are such: every write is looked at

  /// Whether it matters who writes there.
  [[nodiscard]] bool is_noted() const { return reading != 0 || !mode.empty() || guesses; }
};

}  // namespace warpledger::exec::reference
