// Tensor memory of a CTA (semantics/tensor_memory.h) and the work of the tensor core on it that
// nobody has waited for yet.
#pragma once

#include <functional>

#include "warpledger/exec/interpreter/async/in_flight.h"
#include "warpledger/exec/semantics/tensor_memory.h"

namespace warpledger::exec::reference {

struct Step;

/// A tcgen05.mma or .cp in the queue, or the arrival of a commit.
struct TensorWork {
  const Step* step = nullptr;
  std::function<void()> run;
  uint32_t first_column = 0, columns = 0;  // that it writes; none of a commit
  std::optional<uint64_t> barrier;         // of a commit: the mbarrier's offset
  uint32_t ranks = 0;                      // of a commit: in which CTAs of the cluster, as bits
  KnownOperands reads;                     // of shared memory
};

struct TensorUnit : TensorMemory {
  std::vector<TensorWork> queue;
  int cta_group = 0;  // 1 or 2 once an instruction has said so
};

}  // namespace warpledger::exec::reference
