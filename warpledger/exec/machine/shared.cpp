#include "warpledger/exec/machine/shared.h"

namespace warpledger::exec::machine {

Block* find_peer(const Context& context, uint32_t rank) {
  const std::vector<Block*>& blocks = context.block->cluster->blocks;
  return rank < blocks.size() ? blocks[rank] : nullptr;
}

SharedPlace find_shared(const Context& context, uint32_t address) {
  return {find_peer(context, address >> kRankShift), address & kOffsetMask};
}

std::byte* shared_bytes(const SharedPlace& place, uint64_t bytes) {
  if (place.owner == nullptr) return nullptr;
  const Range& books = place.owner->books;
  const bool in_books = place.offset >= books.begin && place.offset + bytes <= books.end;
  if (place.offset < place.owner->shared_begin && !in_books) return nullptr;
  std::vector<std::byte>& shared = place.owner->shared;
  if (place.offset > shared.size() || bytes > shared.size() - place.offset) return nullptr;
  return shared.data() + place.offset;
}

}  // namespace warpledger::exec::machine
