#include "interpose/devices.h"

#include <fmt/core.h>

#include <cstdio>

namespace warpledger::cuda {
namespace {

int& current_of_thread() {
  thread_local int device = 0;
  return device;
}

}  // namespace

int Devices::current() { return current_of_thread(); }
void Devices::make_current(int device) { current_of_thread() = device; }

Error Devices::enable(int from, int to) {
  if (!can_access(from, to)) return Error::kInvalidDevice;
  return peers_.insert({from, to}).second ? Error::kNone : Error::kPeerAlreadyEnabled;
}

Error Devices::disable(int from, int to) {
  if (!has(to)) return Error::kInvalidDevice;
  return peers_.erase({from, to}) != 0 ? Error::kNone : Error::kPeerNotEnabled;
}

std::string Devices::bus_id(int device) {
  return fmt::format("0000:{:02x}:00.0", bus_number(device));
}

std::array<unsigned char, 16> Devices::uuid(int device) {
  std::array<unsigned char, 16> bytes;
  bytes.fill(0x57);
  bytes.back() = static_cast<unsigned char>(bytes.back() + device);
  return bytes;
}

std::optional<int> Devices::peer_attribute(int attribute) {
  switch (attribute) {
    case 1:  // PERFORMANCE_RANK: no link is better than another
    case 5:  // ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED
      return 0;
    case 2:  // ACCESS_SUPPORTED
    case 3:  // NATIVE_ATOMIC_SUPPORTED: memory is one
    case 4:  // CUDA_ARRAY_ACCESS_SUPPORTED
      return 1;
    default:
      return {};
  }
}

std::optional<int> Devices::find_bus(const char* id) const {
  if (id == nullptr) return {};
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  const bool whole = std::sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) >= 3;
  if (!whole && (domain = 0, std::sscanf(id, "%x:%x.%x", &bus, &slot, &function) < 2)) return {};
  if (domain != 0 || slot != 0 || function != 0) return {};
  const int device = static_cast<int>(bus) - bus_number(0);
  return has(device) ? std::optional(device) : std::nullopt;
}

}  // namespace warpledger::cuda
