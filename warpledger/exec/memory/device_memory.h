// exec/memory/: where a kernel's bytes live. The room knows allocations, address windows and
// bounds; it knows no instructions and no threads.
//
// Device memory is a set of allocations in one reserved range. Addresses are the same in every run
// (cache models hash them), are never reused while a freed allocation may still be asked about, and
// the host bytes of an address are `host_base() + (address - kGlobalBase)`, so that compiled code
// can reach them with one addition. At least 64 bytes after each allocation belong to nobody.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "warpledger/base/result.h"
#include "warpledger/exec/memory/poison.h"

namespace warpledger::exec {

inline constexpr uint64_t kGlobalBase = 0x10'0000'0000;

struct Allocation {
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::string name;  // what the user calls it: an argument, a variable; may be empty
  bool is_free = false;
};

/// Where the host bytes lie: anywhere, or at the device's own addresses, so that a pointer means
/// the same on both sides (managed and pinned memory).
enum class HostRange { kAnywhere, kSameAddress };

class DeviceMemory {
 public:
  explicit DeviceMemory(uint64_t capacity = uint64_t{1} << 36,
                        HostRange place = HostRange::kAnywhere);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// A new allocation of zeros. Fails when the capacity is used up.
  /// Pre: `alignment` is a power of two of at least kAlignment.
  static constexpr uint64_t kAlignment = 256;
  [[nodiscard]] Result<uint64_t> allocate(uint64_t bytes, std::string name = {},
                                          uint64_t alignment = kAlignment);
  /// Fails unless `address` is the start of a live allocation.
  [[nodiscard]] Status free(uint64_t address);
  /// Makes host bytes outside the range an allocation at their own address, until forget().
  /// Pre: HostRange::kSameAddress, and no allocation overlaps them.
  void adopt(uint64_t address, uint64_t bytes, std::string name = {});
  /// Pre: `address` was adopted.
  void forget(uint64_t address);

  /// The host bytes of [address, address + bytes), null unless one live allocation holds them all.
  [[nodiscard]] std::byte* find(uint64_t address, uint64_t bytes) const;
  /// Why find() gave null, as a clause: "12 bytes past the end of 'x' (4,096 bytes at 0x…)".
  [[nodiscard]] std::string explain(uint64_t address, uint64_t bytes) const;

  /// The live allocation that holds the address; null when none does.
  [[nodiscard]] const Allocation* holding(uint64_t address) const;

  /// What address-only launches left without values.
  [[nodiscard]] Poison& poison() { return poison_; }
  [[nodiscard]] const Poison& poison() const { return poison_; }

  [[nodiscard]] std::byte* host_base() const { return host_; }
  /// Bytes of addresses: as many as asked for, or what the system gave.
  [[nodiscard]] uint64_t capacity() const { return capacity_; }
  [[nodiscard]] uint64_t bytes_in_use() const { return in_use_; }
  /// Live and freed allocations by address.
  [[nodiscard]] const std::map<uint64_t, Allocation>& allocations() const { return allocations_; }

 private:
  [[nodiscard]] const Allocation* at_or_before(uint64_t address) const;

  uint64_t capacity_ = 0;
  std::byte* host_ = nullptr;
  uint64_t next_ = kGlobalBase;
  uint64_t in_use_ = 0;
  std::map<uint64_t, Allocation> allocations_;
  Poison poison_;
  mutable std::atomic<const Allocation*> last_ =
      nullptr;  // the one found last: most accesses hit it again
};

}  // namespace warpledger::exec
