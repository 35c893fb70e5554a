// Bytes of device memory whose values nobody computed: an address-only launch dropped the stores.
// Reading them is what must not go unnoticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace warpledger::exec {

class DeviceMemory;

/// A set of addresses, as ranges that neither touch nor overlap.
class Poison {
 public:
  void add(uint64_t address, uint64_t bytes);
  void remove(uint64_t address, uint64_t bytes);
  [[nodiscard]] bool touches(uint64_t address, uint64_t bytes) const;
  [[nodiscard]] bool empty() const { return ends_.empty(); }
  [[nodiscard]] const std::map<uint64_t, uint64_t>& ranges() const { return ends_; }  // start, end

 private:
  std::map<uint64_t, uint64_t> ends_;  // by start
};

/// One address-only launch's view of device memory: poisons what its dropped stores write, watches
/// its kept reads, and can take its kept writes back. Several threads may run the launch.
class ValueWatch {
 public:
  /// Compiled code asks for the first access to an allocation only (later ones are known to be in
  /// bounds): each answer must hold for the whole allocation.
  enum class Grain { kBytes, kAllocation };
  ValueWatch(DeviceMemory& memory, Grain grain);

  // Each false: the launch needs values. Pre: the bytes lie in one live allocation.
  [[nodiscard]] bool keeps_read(uint64_t address, uint64_t bytes);
  [[nodiscard]] bool drops_write(uint64_t address, uint64_t bytes);
  void keeps_write(uint64_t address, uint64_t bytes);

  /// Post: bytes and poison are those that the launch began with. Pre: nobody wrote since.
  void take_back();

 private:
  DeviceMemory& memory_;
  Grain grain_;
  std::mutex mutex_;  // of the poison too, while the launch runs
  Poison poison_before_;
  std::set<uint64_t> read_;                            // allocations with kept reads
  std::map<uint64_t, std::vector<std::byte>> before_;  // by allocation: its bytes before
};

}  // namespace warpledger::exec
