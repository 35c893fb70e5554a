#include "interpose/virtual_memory.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

namespace warpledger::cuda {
namespace {

Diagnostic refused(std::string message) {
  return {.message = std::move(message), .code = "bad-mapping"};
}

bool is_granular(uint64_t number) { return number != 0 && number % kGranularity == 0; }

bool place(uint64_t address, uint64_t bytes, int file) {
  const int flags =
      MAP_FIXED | (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED);
  return mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE, flags, file, 0) !=
         MAP_FAILED;
}

}  // namespace

VirtualMemory::~VirtualMemory() {
  for (const auto& [handle, piece] : pieces_) close(piece.file);
}

Result<uint64_t> VirtualMemory::reserve(uint64_t bytes, uint64_t alignment) {
  const bool is_power = (alignment & (alignment - 1)) == 0;
  if (!is_granular(bytes) || !is_power)
    return refused(fmt::format("{} bytes of addresses, aligned to {}: not a multiple of {}", bytes,
                               alignment, kGranularity));
  WL_TRY(const uint64_t address,
         memory_.reserve_addresses(bytes, std::max(alignment, kGranularity)));
  reservations_[address] = bytes;
  return address;
}

Status VirtualMemory::free_addresses(uint64_t address, uint64_t bytes) {
  const auto found = reservations_.find(address);
  if (found == reservations_.end() || found->second != bytes)
    return refused(fmt::format("{:#x} is not a reservation of {} bytes", address, bytes));
  const auto inside = mappings_.lower_bound(address);
  if (inside != mappings_.end() && inside->first < address + bytes)
    return refused(fmt::format("addresses at {:#x} are freed while memory is mapped", address));
  reservations_.erase(found);
  return {};
}

Result<uint64_t> VirtualMemory::create(uint64_t bytes, int device) {
  if (!is_granular(bytes))
    return refused(fmt::format("{} bytes of memory: not a multiple of {}", bytes, kGranularity));
  WL_TRY_STATUS(memory_.check_room(bytes, device));
  const int file = memfd_create("warpledger", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    if (file >= 0) close(file);
    return Diagnostic{.message = "the host is out of memory", .code = "out-of-memory"};
  }
  memory_.count(static_cast<int64_t>(bytes), device);
  pieces_[++last_handle_] = {.file = file, .bytes = bytes, .device = device, .holders = 1};
  return last_handle_;
}

void VirtualMemory::drop(uint64_t handle) {
  const auto found = pieces_.find(handle);
  if (--found->second.holders != 0) return;
  close(found->second.file);
  memory_.count(-static_cast<int64_t>(found->second.bytes), found->second.device);
  pieces_.erase(found);
}

Status VirtualMemory::release(uint64_t handle) {
  if (!knows(handle)) return refused("released memory is not known");
  return drop(handle), Status{};
}

Result<uint64_t> VirtualMemory::retain(uint64_t address) {
  const auto found = at(address);
  if (found == mappings_.end()) return refused(fmt::format("nothing is mapped at {:#x}", address));
  ++pieces_.at(found->second.handle).holders;
  return found->second.handle;
}

VirtualMemory::Mappings::iterator VirtualMemory::at(uint64_t address) {
  auto after = mappings_.upper_bound(address);
  if (after == mappings_.begin()) return mappings_.end();
  --after;
  return address - after->first < after->second.bytes ? after : mappings_.end();
}

Status VirtualMemory::map(uint64_t address, uint64_t bytes, uint64_t handle) {
  const auto piece = pieces_.find(handle);
  if (piece == pieces_.end()) return refused("the memory to map is not known");
  if (piece->second.bytes != bytes || !is_granular(bytes))
    return refused(fmt::format("{} bytes of a piece of {} are mapped: only all of it can be", bytes,
                               piece->second.bytes));
  auto reservation = reservations_.upper_bound(address);
  if (reservation == reservations_.begin() ||
      address + bytes > std::prev(reservation)->first + std::prev(reservation)->second)
    return refused(fmt::format("{} bytes at {:#x} are not reserved", bytes, address));
  const auto next = mappings_.lower_bound(address);
  if (at(address) != mappings_.end() || (next != mappings_.end() && next->first < address + bytes))
    return refused(fmt::format("memory is already mapped at {:#x}", address));
  if (!place(address, bytes, piece->second.file)) return refused("the host cannot map it");
  ++piece->second.holders;
  mappings_[address] = {.bytes = bytes, .handle = handle};
  return {};
}

Result<VirtualMemory::Mappings::iterator> VirtualMemory::first_of(uint64_t address,
                                                                  uint64_t bytes) {
  const auto first = mappings_.find(address);
  uint64_t end = address;
  for (auto one = first; one != mappings_.end() && one->first == end && end < address + bytes;
       ++one)
    end += one->second.bytes;
  if (bytes != 0 && end == address + bytes) return first;
  return refused(fmt::format("{} bytes at {:#x} are not whole mappings", bytes, address));
}

Status VirtualMemory::unmap(uint64_t address, uint64_t bytes) {
  WL_TRY(auto one, first_of(address, bytes));
  const uint64_t reservation = std::prev(reservations_.upper_bound(address))->first;
  while (one != mappings_.end() && one->first < address + bytes) {
    if (!place(one->first, one->second.bytes, -1)) return refused("the host cannot unmap it");
    drop(one->second.handle);
    one = mappings_.erase(one);
  }
  return expose(reservation), Status{};
}

Status VirtualMemory::set_access(uint64_t address, uint64_t bytes, bool is_granted) {
  WL_TRY(auto one, first_of(address, bytes));
  for (; one != mappings_.end() && one->first < address + bytes; ++one)
    one->second.is_accessible = is_granted;
  return expose(std::prev(reservations_.upper_bound(address))->first), Status{};
}

Result<bool> VirtualMemory::access(uint64_t address) const {
  const auto found = const_cast<VirtualMemory*>(this)->at(address);
  if (found == mappings_.end()) return refused(fmt::format("nothing is mapped at {:#x}", address));
  return found->second.is_accessible;
}

// Runs of accessible neighbors, as allocations.
void VirtualMemory::expose(uint64_t reservation) {
  std::erase_if(exposed_, [&](const auto& one) {
    if (one.second == reservation) memory_.hide(one.first);
    return one.second == reservation;
  });
  const uint64_t end = reservation + reservations_.at(reservation);
  for (auto one = mappings_.lower_bound(reservation); one != mappings_.end() && one->first < end;) {
    const uint64_t start = one->first;
    const int device = device_of(one->second.handle);
    uint64_t bytes = 0;
    for (; one != mappings_.end() && one->first == start + bytes && one->first < end &&
           one->second.is_accessible;
         ++one)
      bytes += one->second.bytes;
    if (bytes == 0) {
      ++one;
      continue;
    }
    memory_.show(start, bytes, device);
    exposed_[start] = reservation;
  }
}

}  // namespace warpledger::cuda
