// What a CTA has asked for and not yet waited for: bulk copies, tensor-core work.
//
// Nothing here is done when it is issued. A copy into shared memory is read at once and written
// when somebody waits at its mbarrier; a copy out of shared memory is read and written when its
// group is waited for; tcgen05 works when the mbarrier of its commit is waited for. A kernel that
// forgets to wait finds the old bytes, one that writes over an operand too early is told so.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/semantics/warpgroup_product.h"
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

/// Pieces of 16 bytes of shared memory, by number, and the range in which they lie.
struct SharedPieces {
  std::vector<uint32_t> numbers;
  uint32_t first = UINT32_MAX, last = 0;

  void add(uint32_t number) {
    numbers.push_back(number);
    first = std::min(first, number), last = std::max(last, number);
  }
};

/// What reading an operand by its descriptor comes to: the same whenever the warp does it again.
struct KnownOperand {
  SharedOperand shape;
  std::vector<uint32_t> chunks;        // where its 16-byte pieces lie
  SharedPieces pieces;                 // the same, numbered as SharedUse has them
  std::vector<trace::Record> records;  // slots of the trace; none: another warp records it
  Statistics::Accesses counts;
  // The CTA and its SharedUse::mode_changes when the swizzle was last compared with the tile's.
  uint64_t compared_cta = UINT64_MAX, compared_modes = 0;
};
/// Of an instruction: A and B, where they lie in shared memory.
using KnownOperands = std::array<std::shared_ptr<const KnownOperand>, 2>;

/// By what a descriptor is found again. `shape`: what else the operand depends on.
struct OperandKey {
  const Step* step = nullptr;
  uint32_t operand = 0, shape = 0;
  uint64_t descriptor = 0;
  friend bool operator==(const OperandKey&, const OperandKey&) = default;
};
struct HashOperandKey {
  size_t operator()(const OperandKey& key) const {
    const uint64_t place = reinterpret_cast<uintptr_t>(key.step) ^ uint64_t { key.shape } << 32;
    return (place + key.operand + key.descriptor * 0x9E3779B97F4A7C15u) * 0xff51afd7ed558ccdu >> 16;
  }
};

/// What a wgmma.mma_async says: its product, but for whether it adds, and its register slots.
struct MatrixForm {
  WarpgroupProduct product;
  std::vector<uint32_t> results, operands;
};
/// One wgmma.mma_async of a warp that has not been waited for.
struct MatrixWork {
  const Step* step = nullptr;
  const MatrixForm* form = nullptr;
  std::vector<uint32_t> copies;  // slots to which a mov has copied a result
  KnownOperands reads;
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
  bool is_watched = true;   // no: no instruction can touch a register in flight
  std::unordered_map<const Step*, MatrixForm> forms;
  std::unordered_map<OperandKey, std::shared_ptr<KnownOperand>, HashOperandKey> known;
};

/// Tensor-core work in flight, and what it reads.
struct SharedReader {
  const Step* step = nullptr;
  const SharedPieces* pieces = nullptr;
};

/// What is known of a CTA's shared memory, by pieces of 16 bytes; empty until needed.
struct SharedUse {
  std::vector<uint8_t> mode;          // of the tile copy that wrote it (BulkBytes::mode)
  uint64_t mode_changes = 0;          // how often a byte of `mode` has changed
  std::vector<SharedReader> readers;  // in the order of their issue
  uint64_t spoiled = 0;               // of Slice::guessed, as bits: a dropped write touched them
  bool guesses = false;               // there are such: every write is looked at

  /// Whether it matters who writes there.
  [[nodiscard]] bool is_noted() const { return !readers.empty() || !mode.empty() || guesses; }
};

}  // namespace warpledger::exec::reference
