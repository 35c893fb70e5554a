#include "tests/unit/exec/jit/fence.h"

#ifdef WL_SANITIZED

namespace warpledger::exec {
Fence::Fence(size_t) {}
Fence::~Fence() = default;
}  // namespace warpledger::exec

#else

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

namespace {

constexpr size_t kPage = 4096, kRoom = size_t{256} << 10, kSlot = kRoom + kPage, kSlots = 1 << 14;
constexpr int kCanary = 0x5a;

thread_local size_t least = SIZE_MAX;

/// Slots of addresses, each with a page behind it that is never there. A slot is used again for as
/// many pages as it was opened for.
class Yard {
 public:
  constexpr Yard() { std::fill(std::begin(free_), std::end(free_), kNone); }

  void* take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    const size_t pages = (bytes + kPage - 1) / kPage;
    if (free_[pages] == kNone && !open(pages)) return nullptr;
    const uint32_t slot = free_[pages];
    free_[pages] = next_[slot];
    std::byte* const end = base_ + slot * kSlot + kRoom;
    std::byte* const made = end - (bytes + 15) / 16 * 16;
    front_[slot] = static_cast<uint32_t>(made - (end - pages * kPage));
    std::memset(made - front_[slot], kCanary, front_[slot]);
    return made;
  }
  /// False: it is not ours.
  bool give_back(void* pointer) {
    auto* const at = static_cast<std::byte*>(pointer);
    if (base_ == nullptr || at < base_ || at >= base_ + kSlot * kSlots) return false;
    const std::lock_guard lock(mutex_);
    const auto slot = static_cast<uint32_t>(static_cast<size_t>(at - base_) / kSlot);
    // All bytes are the first, and it is the canary.
    const std::byte* const front = at - front_[slot];
    const bool whole = front_[slot] == 0 || (front[0] == static_cast<std::byte>(kCanary) &&
                                             std::memcmp(front, front + 1, front_[slot] - 1) == 0);
    if (!whole) {
      static_cast<void>(!write(STDERR_FILENO, "written in front of memory\n", 27));
      raise(SIGSEGV);
    }
    const auto room = static_cast<size_t>(base_ + slot * kSlot + kRoom - front);
    next_[slot] = free_[room / kPage];
    free_[room / kPage] = slot;
    return true;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  bool open(size_t pages) {
    if (base_ == nullptr) {
      void* const made = mmap(nullptr, kSlot * kSlots, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (made == MAP_FAILED) return false;
      base_ = static_cast<std::byte*>(made);
    }
    if (opened_ == kSlots) return false;
    std::byte* const end = base_ + opened_ * kSlot + kRoom;
    if (mprotect(end - pages * kPage, pages * kPage, PROT_READ | PROT_WRITE) != 0) return false;
    next_[opened_] = kNone;
    free_[pages] = opened_++;
    return true;
  }

  std::mutex mutex_;
  std::byte* base_ = nullptr;
  uint32_t next_[kSlots] = {}, front_[kSlots] = {};
  uint32_t free_[kRoom / kPage + 1] = {};
  uint32_t opened_ = 0;
};

constinit Yard yard;

}  // namespace

void* operator new(size_t bytes) {
  void* made = bytes >= least && bytes <= kRoom ? yard.take(bytes) : nullptr;
  if (made == nullptr) made = std::malloc(bytes == 0 ? 1 : bytes);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
void operator delete(void* pointer) noexcept {
  if (!yard.give_back(pointer)) std::free(pointer);
}
void operator delete(void* pointer, size_t) noexcept { operator delete(pointer); }

namespace warpledger::exec {

Fence::Fence(size_t bytes) { least = bytes; }
Fence::~Fence() { least = SIZE_MAX; }

}  // namespace warpledger::exec

#endif
