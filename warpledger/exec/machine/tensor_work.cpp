#include "warpledger/exec/machine/tensor_work.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "warpledger/exec/machine/bulk_copy.h"
#include "warpledger/exec/machine/shared.h"

namespace warpledger::exec::machine {
namespace {

bool commits_to(const TensorWork& work, uint32_t rank, uint32_t offset) {
  return work.barrier == offset && (work.ranks >> rank & 1) != 0;
}

const TensorWork* writer_of(const Block& block, uint32_t column, uint32_t columns) {
  const auto& queue = block.tensor_queue;
  const auto found = std::find_if(queue.begin(), queue.end(), [&](const TensorWork& work) {
    return work.first_column < column + columns && column < work.first_column + work.columns;
  });
  return found == queue.end() ? nullptr : &*found;
}

}  // namespace

/// 32 bytes, as what ptxas makes of tcgen05.alloc uses them: at 8 the mbarrier by which the blocks
/// of a pair hand an address on, at 16 the parity of its next wait, at 20 the units that are
/// allocated, at 24 where an allocation begins, at 28 whether the block has given up allocating.
/// The even block of a pair waits first for the odd one to have taken the last address, so that its
/// parity begins as that of the phase before the first (assumed: no program sees what the driver
/// writes there).
void begin_books(Block& block) {
  constexpr uint32_t kBytes = 32, kBarrierAt = 8, kParityAt = 16;
  if (block.books.end - block.books.begin < kBytes || block.books.end > block.shared.size()) return;
  std::byte* books = block.shared.data() + block.books.begin;
  const uint64_t barrier = pack({.expected = 1, .pending = 1});
  std::memcpy(books + kBarrierAt, &barrier, sizeof barrier);
  books[kParityAt] = std::byte{(block.rank & 1) == 0};
}

void finish_tensor_work(const PhasePlace& place) {
  for (Block* block : place.owner->cluster->blocks) {
    if (block == nullptr) continue;
    std::vector<TensorWork>& queue = block->tensor_queue;
    const auto last = std::find_if(queue.rbegin(), queue.rend(), [&](const TensorWork& work) {
      return commits_to(work, place.owner->rank, place.offset);
    });
    const std::vector<TensorWork> due(std::make_move_iterator(queue.begin()),
                                      std::make_move_iterator(last.base()));
    queue.erase(queue.begin(), last.base());
    for (const TensorWork& work : due) work.run();
  }
}

bool has_commit(const Block& owner, uint32_t offset) {
  const auto& blocks = owner.cluster->blocks;
  return std::any_of(blocks.begin(), blocks.end(), [&](const Block* block) {
    return block != nullptr && std::any_of(block->tensor_queue.begin(), block->tensor_queue.end(),
                                           [&](const TensorWork& work) {
                                             return commits_to(work, owner.rank, offset);
                                           });
  });
}

bool is_quiet(Context& context, const Instruction& instruction, uint32_t column, uint32_t columns) {
  const TensorWork* writer = writer_of(*context.block, column, columns);
  const Block* peer = find_peer(context, context.block->rank ^ 1);
  if (writer == nullptr && peer != nullptr) {
    const TensorWork* other = writer_of(*peer, column, columns);
    if (other != nullptr && other->writes_pair) writer = other;
  }
  if (writer == nullptr) return true;
  context.stop({.message = instruction.text + " touches tensor memory that '" + writer->text +
                           "' still writes",
                .hint = "a tcgen05.commit and a wait on its mbarrier must come first",
                .code = "tensor-work-in-flight"});
  return false;
}

Block* find_pair(Context& context, const Instruction& instruction) {
  Block* peer = find_peer(context, context.block->rank ^ 1);
  if (peer == nullptr)
    context.stop(instruction.text + " needs a cluster with both blocks of the pair",
                 "bad-cluster-rank");
  return peer;
}

TensorAddress tensor_address(const Context& context, const Operand& operand) {
  return TensorAddress::of(static_cast<uint32_t>(uniform_word(context, operand) +
                                                 static_cast<uint64_t>(operand.offset)));
}

}  // namespace warpledger::exec::machine
