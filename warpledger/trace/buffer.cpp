#include "warpledger/trace/buffer.h"

#include <algorithm>
#include <new>

namespace warpledger::trace {

void Buffer::grow(size_t slots) {
  const size_t kept = held().size();
  const auto capacity = static_cast<size_t>(limit_ - storage_.get());
  if (kept + slots <= capacity / 2) {  // the front is mostly taken: move down
    std::memmove(static_cast<void*>(storage_.get()), begin_, kept * sizeof(Record));
  } else {
    const size_t larger = std::max<size_t>(256, 2 * (kept + slots));
    auto* place =
        static_cast<Record*>(::operator new[](larger * sizeof(Record), std::align_val_t{64}));
    if (kept) std::memcpy(static_cast<void*>(place), begin_, kept * sizeof(Record));
    storage_.reset(place);
    limit_ = place + larger;
  }
  begin_ = storage_.get();
  end_ = begin_ + kept;
}

}  // namespace warpledger::trace
