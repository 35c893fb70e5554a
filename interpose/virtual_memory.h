// Virtual memory management (cuMemAddressReserve, cuMemCreate, cuMemMap and so on): addresses and
// memory are made apart and put together by the program. Memory is a file without a name, so that
// one piece may appear at several addresses, and keeps its bytes while it appears at none.
//
// Neighboring mapped pieces of a reservation are one allocation: copies and kernels may cross from
// one into the next; it counts as of the first piece's device. An access where nothing is mapped,
// or before access was granted, is out of bounds.
#pragma once

#include <map>
#include <memory>

#include "interpose/memory.h"

namespace warpledger::cuda {

inline constexpr uint64_t kGranularity = uint64_t{2} << 20;  // what NVIDIA's GPUs answer

class VirtualMemory {
 public:
  explicit VirtualMemory(Memory& memory) : memory_(memory) {}
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  /// Addresses without memory. Fails unless the size is a multiple of kGranularity.
  [[nodiscard]] Result<uint64_t> reserve(uint64_t bytes, uint64_t alignment);
  /// Fails unless it is a whole reservation with nothing mapped in it.
  [[nodiscard]] Status free_addresses(uint64_t address, uint64_t bytes);

  /// Memory without addresses; its handle is never 0.
  [[nodiscard]] Result<uint64_t> create(uint64_t bytes, int device = 0);
  /// The memory lives on as long as it is mapped.
  [[nodiscard]] Status release(uint64_t handle);
  /// The handle of what is mapped at the address, once more to be released.
  [[nodiscard]] Result<uint64_t> retain(uint64_t address);
  [[nodiscard]] bool knows(uint64_t handle) const { return pieces_.contains(handle); }
  /// Pre: known.
  [[nodiscard]] int device_of(uint64_t handle) const { return pieces_.at(handle).device; }

  [[nodiscard]] Status map(uint64_t address, uint64_t bytes, uint64_t handle);
  [[nodiscard]] Status unmap(uint64_t address, uint64_t bytes);
  /// From now on kernels and copies may touch it, or no longer.
  [[nodiscard]] Status set_access(uint64_t address, uint64_t bytes, bool is_granted);
  [[nodiscard]] Result<bool> access(uint64_t address) const;

 private:
  struct Piece {
    int file = -1;
    uint64_t bytes = 0;
    int device = 0;
    int holders = 0;  // handles given out, and mappings
  };
  struct Mapping {
    uint64_t bytes = 0, handle = 0;
    bool is_accessible = false;
  };
  using Mappings = std::map<uint64_t, Mapping>;
  [[nodiscard]] Mappings::iterator at(uint64_t address);
  /// The mappings that make up the range exactly; fails where there is a gap or half a mapping.
  [[nodiscard]] Result<Mappings::iterator> first_of(uint64_t address, uint64_t bytes);
  void drop(uint64_t handle);
  void expose(uint64_t reservation);

  Memory& memory_;
  uint64_t last_handle_ = 0;
  std::map<uint64_t, uint64_t> reservations_;  // bytes by address
  std::map<uint64_t, Piece> pieces_;           // by handle
  Mappings mappings_;                          // by address
  std::map<uint64_t, uint64_t> exposed_;       // reservation of each allocation in memory_
};

}  // namespace warpledger::cuda
