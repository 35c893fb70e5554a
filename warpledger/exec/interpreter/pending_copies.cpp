#include "warpledger/exec/interpreter/pending_copies.h"

#include <cstring>

namespace warpledger::exec::reference {

PendingCopies::Copy& PendingCopies::add(Lanes lanes, uint32_t bytes) {
  Copy& copy = copies_.emplace_back();
  copy.lanes = lanes;
  copy.bytes = bytes;
  copy.group = committed_;
  return copy;
}

void PendingCopies::commit(Lanes lanes) {
  for_each_lane(lanes, [&](int lane) { ++committed_[static_cast<size_t>(lane)]; });
}

template <class IsDue>
void PendingCopies::finish_due(std::span<std::byte> shared, Lanes lanes, IsDue is_due) {
  for (Copy& copy : copies_) {
    for_each_lane(copy.lanes & lanes, [&](int lane) {
      const auto at = static_cast<size_t>(lane);
      if (!is_due(copy, at)) return;
      // In a launch that goes on after bad accesses, the place may not be there.
      const bool is_there =
          copy.bytes <= shared.size() && copy.to[at] <= shared.size() - copy.bytes;
      if (is_there) std::memcpy(shared.data() + copy.to[at], copy.data[at], copy.bytes);
      copy.lanes &= ~(Lanes{1} << lane);
    });
  }
  std::erase_if(copies_, [](const Copy& copy) { return copy.lanes == 0; });
}

void PendingCopies::finish(std::span<std::byte> shared, Lanes lanes, uint64_t left) {
  finish_due(shared, lanes, [&](const Copy& copy, size_t lane) {
    return committed_[lane] - copy.group[lane] > left;
  });
}

void PendingCopies::finish_all(std::span<std::byte> shared, Lanes lanes) {
  finish_due(shared, lanes, [](const Copy&, size_t) { return true; });
}

void PendingCopies::clear() {
  copies_.clear();
  committed_ = {};
}

}  // namespace warpledger::exec::reference
