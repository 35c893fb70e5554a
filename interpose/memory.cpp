#include "interpose/memory.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "interpose/host_memory.h"

namespace warpledger::cuda {
namespace {

constexpr uint64_t kReserved = uint64_t{1} << 40;  // addresses are not used twice
constexpr size_t kPinnedAlignment = 4096;
constexpr uint64_t kLarge = uint64_t{64} << 20;  // allocations that the host is asked about

/// NVIDIA's driver gives large allocations pages of their own, and Taichi's runtime counts on that.
uint64_t alignment_of(uint64_t bytes) {
  return bytes < (uint64_t{1} << 20) ? exec::DeviceMemory::kAlignment : 4096;
}

Diagnostic bad_pointer(std::string message) {
  return {.message = std::move(message), .code = "bad-pointer"};
}

/// Whether the host's allocator gives the memory.
bool is_of_host(MemoryKind kind) {
  return kind == MemoryKind::kPinned || kind == MemoryKind::kPooledHost;
}

const char* call_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kManaged:
      return "managed";
    case MemoryKind::kPinned:
    case MemoryKind::kPooledHost:
      return "pinned";
    case MemoryKind::kRegistered:
      return "host";
    case MemoryKind::kMapped:
      return "mapped";
    default:
      return "device";
  }
}

}  // namespace

Memory::Memory(uint64_t bytes_of_a_gpu)
    : capacity_(bytes_of_a_gpu), device_(kReserved, exec::HostRange::kSameAddress) {}

Memory::~Memory() = default;  // pinned memory is the program's to the end

Result<uint64_t> Memory::allocate(uint64_t bytes, MemoryKind kind, int device) {
  const std::string name = fmt::format("{} {}", call_of(kind), ++allocations_);
  uint64_t address = 0;
  if (is_of_host(kind)) {
    void* host = nullptr;
    if (posix_memalign(&host, kPinnedAlignment, std::max<uint64_t>(bytes, 1)) != 0)
      return Diagnostic{.message = "the host is out of memory", .code = "out-of-memory"};
    address = reinterpret_cast<uint64_t>(host);
    device_.adopt(address, bytes, name);
  } else {
    WL_TRY_STATUS(check_room(bytes, device));
    WL_TRY(address, device_.allocate(bytes, name, alignment_of(bytes)));
    in_use_.at(device) += bytes;
  }
  ranges_[address] = {address, bytes, kind, device};
  return address;
}

uint64_t Memory::bytes_in_use() const {
  return std::accumulate(in_use_.begin(), in_use_.end(), uint64_t{0});
}

uint64_t Memory::bytes_free(int device) const {
  return std::min(capacity_ - in_use_.at(device), available_host_bytes());
}

Status Memory::check_room(uint64_t bytes, int device) const {
  const uint64_t in_use = in_use_.at(device);
  const uint64_t room = bytes < kLarge ? capacity_ - in_use : bytes_free(device);
  if (bytes <= room) return {};
  return Diagnostic{.message = fmt::format("{} bytes requested, {} of {} in use, {} free", bytes,
                                           in_use, capacity_, room),
                    .code = "out-of-memory"};
}

std::shared_ptr<void> Memory::hold(uint64_t address) {
  held_[address] = false;
  return {nullptr, [this, address](void*) {
            const bool is_released = held_.at(address);
            held_.erase(address);
            if (is_released) static_cast<void>(release(address, false));
          }};
}

Result<uint64_t> Memory::reserve(uint64_t bytes, int device) {
  WL_TRY(const uint64_t address,
         device_.allocate(bytes, fmt::format("graph memory {}", ++allocations_)));
  WL_TRY_STATUS(device_.free(address));
  reserved_[address] = {address, bytes, MemoryKind::kDevice, device};
  return address;
}

Result<uint64_t> Memory::reserve_addresses(uint64_t bytes, uint64_t alignment) {
  WL_TRY(const uint64_t address,
         device_.allocate(bytes + alignment, fmt::format("addresses {}", ++allocations_)));
  device_.forget(address);
  return (address + alignment - 1) / alignment * alignment;
}

void Memory::show(uint64_t address, uint64_t bytes, int device) {
  device_.adopt(address, bytes, fmt::format("mapped {}", ++allocations_));
  ranges_[address] = {address, bytes, MemoryKind::kMapped, device};
}

void Memory::hide(uint64_t address) {
  ranges_.erase(address);
  device_.forget(address);
}

Status Memory::take(uint64_t address) {
  const Range& range = reserved_.at(address);
  if (ranges_.contains(address))
    return bad_pointer(
        fmt::format("memory of a graph at {:#x} is allocated again before it is freed", address));
  WL_TRY_STATUS(check_room(range.bytes, range.device));
  // What was freed keeps its addresses, so it may become an allocation there again.
  device_.adopt(address, range.bytes, device_.allocations().at(address).name);
  in_use_.at(range.device) += range.bytes;
  graph_memory_.at(range.device).take(range.bytes);
  ranges_[address] = range;
  return {};
}

bool Memory::is_reserved(uint64_t address) const {
  auto after = reserved_.upper_bound(address);
  if (after == reserved_.begin()) return false;
  --after;
  return address - after->first < std::max<uint64_t>(after->second.bytes, 1);
}

Status Memory::release(uint64_t address, bool of_host) {
  const auto found = ranges_.find(address);
  if (found == ranges_.end()) {
    return bad_pointer(
        fmt::format("{:#x} is freed, which is {}", address, device_.explain(address, 1)));
  }
  const Range range = found->second;
  if ((range.kind == MemoryKind::kPinned) != of_host || range.kind == MemoryKind::kRegistered ||
      range.kind == MemoryKind::kMapped)
    return bad_pointer(fmt::format("{:#x} is {} memory, but is freed as another kind", address,
                                   call_of(range.kind)));
  if (const auto held = held_.find(address); held != held_.end()) {
    if (held->second) return bad_pointer(fmt::format("{:#x} is freed twice", address));
    held->second = true;
    return {};
  }
  ranges_.erase(found);
  if (is_of_host(range.kind)) {
    device_.forget(address);
    std::free(reinterpret_cast<void*>(address));
    return {};
  }
  in_use_.at(range.device) -= range.bytes;
  if (reserved_.contains(address)) graph_memory_.at(range.device).give_back(range.bytes);
  return device_.free(address);
}

Status Memory::lend(uint64_t address, uint64_t bytes) {
  if (holding(address) || holding(address + bytes - 1))
    return bad_pointer(fmt::format("{:#x} is already device memory", address));
  device_.adopt(address, bytes, fmt::format("host {}", ++allocations_));
  ranges_[address] = {address, bytes, MemoryKind::kRegistered, Devices::current()};
  return {};
}

Status Memory::take_back(uint64_t address) {
  const auto found = ranges_.find(address);
  if (found == ranges_.end() || found->second.kind != MemoryKind::kRegistered)
    return bad_pointer(fmt::format("{:#x} was not registered", address));
  ranges_.erase(found);
  device_.forget(address);
  return {};
}

bool Memory::lend_mapping(uint64_t address) {
  if (holding(address)) return true;
  FILE* maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return false;
  char line[512];
  unsigned long begin = 0, end = 0;
  char access[8] = {};
  bool found = false;
  while (!found && std::fgets(line, sizeof line, maps) != nullptr) {
    found = std::sscanf(line, "%lx-%lx %4s", &begin, &end, access) == 3 && begin <= address &&
            address < end && access[0] == 'r';
  }
  std::fclose(maps);
  if (!found) return false;
  // What was lent of this mapping before, when it was smaller, is part of it.
  std::vector<uint64_t> inside;
  for (const auto& [at, range] : ranges_) {
    if (at >= begin && at < end) inside.push_back(at);
  }
  for (const uint64_t at : inside) {
    if (ranges_[at].kind != MemoryKind::kRegistered) return false;
    if (!take_back(at)) return false;
  }
  lends_mappings_ = true;
  return lend(begin, end - begin).ok();
}

std::optional<Range> Memory::holding(uint64_t address) const {
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return {};
  const Range& range = (--after)->second;
  // The start of an empty allocation is its own.
  const bool holds = address - range.address < std::max<uint64_t>(range.bytes, 1);
  return holds ? std::optional(range) : std::nullopt;
}

bool Memory::is_device(uint64_t address) const {
  return holding(address).has_value() || device_.holding(address) != nullptr;
}

bool Memory::is_ours(uint64_t address) const {
  return address >= exec::kGlobalBase && address - exec::kGlobalBase < device_.capacity();
}

Status Memory::check(uint64_t address, uint64_t bytes) const {
  if (bytes == 0) return {};
  const exec::Allocation* held = device_.holding(address);
  if (held == nullptr && !is_ours(address)) {
    if (is_mapped(address, bytes)) return {};
    return bad_pointer(
        fmt::format("{} bytes at {:#x}: {}", bytes, address,
                    address == 0 ? "a null pointer" : "the host has no memory there"));
  }
  if (device_.find(address, bytes) != nullptr) return {};
  return bad_pointer(
      fmt::format("{} bytes at {:#x}: {}", bytes, address, device_.explain(address, bytes)));
}

}  // namespace warpledger::cuda
