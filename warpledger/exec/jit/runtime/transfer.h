// What is left of wmma.load and wmma.store in an address-only launch: bounds and records. Where the
// lanes of their requests lie follows from the stride alone, so that is worked out once for each
// stride, and an execution adds its base.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "warpledger/exec/jit/analysis/analysis.h"
#include "warpledger/trace/shape.h"

namespace warpledger::exec::jit {

/// A transfer at one stride, from the address of its matrix.
struct TransferShape {
  struct Request {
    uint64_t first = 0;  // offset of the first lane that takes part
    uint32_t shape = 0;  // of the trace's table
    uint32_t lanes = 0;
  };
  uint64_t stride = 0;
  uint64_t bytes = 0;    // from the first byte to the end of the last
  uint64_t element = 1;  // bytes, what the address must be a multiple of
  std::vector<Request> requests;
};

/// The transfers of a kernel, by step. find() may be called from several threads.
class TransferTable {
 public:
  TransferTable(const Analysis& analysis, trace::ShapeTable& shapes);

  /// Null when there is no telling at once: a stride of which lines lie far apart, one more than
  /// the table has room for, a form that is refused. `stride` counts elements.
  [[nodiscard]] const TransferShape* find(uint32_t pc, uint64_t stride);

 private:
  struct Entry {
    std::atomic<const TransferShape*> recent = nullptr;
    std::vector<std::unique_ptr<const TransferShape>> all = {};
  };
  [[nodiscard]] std::unique_ptr<const TransferShape> make(const FragmentMove& move,
                                                          uint64_t stride);

  const Analysis& analysis_;
  trace::ShapeTable& shapes_;
  std::vector<std::unique_ptr<Entry>> entries_;  // by step; null: no transfer
  std::mutex mutex_;                             // of Entry::all; shapes, once made, do not change
};

}  // namespace warpledger::exec::jit
