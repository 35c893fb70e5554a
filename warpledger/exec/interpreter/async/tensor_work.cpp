#include "warpledger/exec/interpreter/async/tensor_work.h"

#include <algorithm>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/shared_use.h"

namespace warpledger::exec::reference {
namespace {

void run_first(Cta& cta, size_t works) {
  std::vector<TensorWork>& queue = cta.tensor.queue;
  std::vector<TensorWork> due(std::make_move_iterator(queue.begin()),
                              std::make_move_iterator(queue.begin() + static_cast<long>(works)));
  queue.erase(queue.begin(), queue.begin() + static_cast<long>(works));
  for (const TensorWork& work : due) {
    work.run();
    end_reads(cta.use, work.reads);
  }
}

}  // namespace

void finish_tensor_work(Engine& engine, Cta& owner, uint64_t barrier) {
  for (uint32_t rank = 0; rank < engine.cluster_size(); ++rank) {
    Cta* cta = rank == owner.rank ? &owner : peer_of(engine, owner, rank);
    if (cta == nullptr || cta->tensor.queue.empty()) continue;
    const std::vector<TensorWork>& queue = cta->tensor.queue;
    size_t due = 0;
    for (size_t i = 0; i < queue.size(); ++i) {
      if (queue[i].barrier == barrier && (queue[i].ranks >> owner.rank & 1) != 0) due = i + 1;
    }
    if (due != 0) run_first(*cta, due);
  }
}

const Step* writer_of(const Cta& cta, uint32_t column, uint32_t columns) {
  for (const TensorWork& work : cta.tensor.queue) {
    if (work.first_column < column + columns && column < work.first_column + work.columns)
      return work.step;
  }
  return nullptr;
}

}  // namespace warpledger::exec::reference
