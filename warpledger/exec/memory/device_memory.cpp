#include "warpledger/exec/memory/device_memory.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include "warpledger/base/number.h"
#include "warpledger/base/page.h"

namespace warpledger::exec {
namespace {

constexpr uint64_t kSlack = 64;  // between two, so that a step past the end is seen

uint64_t aligned(uint64_t address, uint64_t alignment) {
  return (address + alignment - 1) & ~(alignment - 1);
}

std::string described(const Allocation& allocation) {
  const std::string name =
      allocation.name.empty() ? "an allocation" : fmt::format("'{}'", allocation.name);
  return fmt::format("{} ({} bytes at {:#x})", name,
                     group_thousands(static_cast<int64_t>(allocation.bytes)), allocation.address);
}

// Large arrays are walked with strides of pages: in pages of 4 KB every step would miss the TLB.
void ask_for_large_pages(std::byte* at, uint64_t bytes) {
  constexpr uint64_t kLarge = uint64_t{1} << 21;
  if (bytes < kLarge) return;
  const auto first = reinterpret_cast<uintptr_t>(at) / kLarge * kLarge + kLarge;
  const auto last = (reinterpret_cast<uintptr_t>(at) + bytes) / kLarge * kLarge;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace

DeviceMemory::DeviceMemory(uint64_t capacity, HostRange place) : capacity_(capacity) {
  const bool same = place == HostRange::kSameAddress;
  void* const wanted = same ? reinterpret_cast<void*>(kGlobalBase) : nullptr;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (same ? MAP_FIXED_NOREPLACE : 0);
  // Pages are given out on first touch; a machine that refuses so large a reservation gets less.
  for (; capacity_ >= (uint64_t{1} << 24); capacity_ /= 2) {
    void* range = mmap(wanted, capacity_, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (range == MAP_FAILED) continue;
    if (same && range != wanted) {  // qemu-user takes the address for a hint
      munmap(range, capacity_);
      continue;
    }
    host_ = static_cast<std::byte*>(range);
    return;
  }
  capacity_ = 0;
}

DeviceMemory::~DeviceMemory() {
  if (host_ != nullptr) munmap(host_, capacity_);
}

Result<uint64_t> DeviceMemory::allocate(uint64_t bytes, std::string name, uint64_t alignment) {
  const uint64_t address = aligned(next_, alignment), used = address - kGlobalBase;
  if (bytes > capacity_ || used > capacity_ - bytes) {
    return Diagnostic{
        .message = fmt::format("out of device memory: {} bytes requested, {} of {} in use", bytes,
                               used, capacity_),
        .code = "out-of-memory"};
  }
  allocations_[address] = {.address = address, .bytes = bytes, .name = std::move(name)};
  next_ = aligned(address + bytes + kSlack, kAlignment);
  in_use_ += bytes;
  last_ = nullptr;
  ask_for_large_pages(host_ + used, bytes);
  return address;
}

Status DeviceMemory::free(uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.is_free) {
    const char* why =
        found == allocations_.end() ? "is not the start of an allocation" : "was already freed";
    return Diagnostic{.message = fmt::format("cannot free {:#x}: it {}", address, why),
                      .code = "bad-free"};
  }
  found->second.is_free = true;
  in_use_ -= found->second.bytes;
  poison_.remove(address, found->second.bytes);
  if (found->second.bytes != 0) {
    // Whole pages inside go back to the system; the range itself stays taken.
    const uint64_t page = page_bytes();
    const uint64_t first = (address - kGlobalBase + page - 1) / page * page;
    const uint64_t last = (address - kGlobalBase + found->second.bytes) / page * page;
    if (first < last) madvise(host_ + first, last - first, MADV_DONTNEED);
  }
  last_ = nullptr;
  return {};
}

void DeviceMemory::adopt(uint64_t address, uint64_t bytes, std::string name) {
  allocations_[address] = {.address = address, .bytes = bytes, .name = std::move(name)};
  in_use_ += bytes;
  last_ = nullptr;
}

void DeviceMemory::forget(uint64_t address) {
  in_use_ -= allocations_.at(address).bytes;
  allocations_.erase(address);
  last_ = nullptr;
}

const Allocation* DeviceMemory::at_or_before(uint64_t address) const {
  auto after = allocations_.upper_bound(address);
  return after == allocations_.begin() ? nullptr : &(--after)->second;
}

const Allocation* DeviceMemory::holding(uint64_t address) const {
  const Allocation* found = at_or_before(address);
  const bool holds = found != nullptr && !found->is_free && address - found->address < found->bytes;
  return holds ? found : nullptr;
}

std::byte* DeviceMemory::find(uint64_t address, uint64_t bytes) const {
  const auto holds = [&](const Allocation& allocation) {
    return address >= allocation.address && bytes <= allocation.bytes &&
           address - allocation.address <= allocation.bytes - bytes;
  };
  const Allocation* last = last_.load(std::memory_order_relaxed);
  if (last == nullptr || !holds(*last)) {
    const Allocation* found = at_or_before(address);
    if (found == nullptr || found->is_free || !holds(*found)) return nullptr;
    last_.store(found, std::memory_order_relaxed);
  }
  return host_ + (address - kGlobalBase);
}

std::string DeviceMemory::explain(uint64_t address, uint64_t bytes) const {
  const Allocation* before = at_or_before(address);
  if (before != nullptr && before->is_free && address < before->address + before->bytes) {
    return fmt::format("inside {}, which was freed", described(*before));
  }
  if (before != nullptr && address < before->address + before->bytes) {
    return fmt::format("reaching {} bytes past the end of {}",
                       address + bytes - (before->address + before->bytes), described(*before));
  }
  constexpr uint64_t kNear = uint64_t{1} << 20;
  const uint64_t past = before == nullptr ? kNear : address - (before->address + before->bytes);
  if (past == 0) return fmt::format("immediately after {}", described(*before));
  if (past < kNear) return fmt::format("{} bytes past the end of {}", past, described(*before));
  const auto after = allocations_.upper_bound(address);
  if (after != allocations_.end() && after->first - address < kNear) {
    return fmt::format("{} bytes before {}", after->first - address, described(after->second));
  }
  return address < 4096 ? "a null pointer or close to one" : "not near any allocation";
}

}  // namespace warpledger::exec
