// Device, managed and pinned memory of a program. A pointer is the same number on both sides, so
// that the program may touch managed and pinned memory itself. The program's own host memory is not
// the device's: a kernel that is given such a pointer is stopped, as on a GPU. Each device has as
// much memory as the others, in one range of addresses.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>

#include "interpose/devices.h"
#include "interpose/graph_memory.h"
#include "warpledger/exec/memory/device_memory.h"

namespace warpledger::cuda {

enum class MemoryKind {
  kDevice,
  kManaged,
  kPinned,      // allocated for the host, and the device's too
  kPooledHost,  // likewise, from a memory pool: freed as the device's memory is
  kRegistered,  // the program's own, lent to the device
  kMapped,      // the device's, by virtual memory management
};

/// Whether a kernel's access to such memory goes to the host's.
[[nodiscard]] constexpr bool lies_in_host(MemoryKind kind) {
  return kind == MemoryKind::kPinned || kind == MemoryKind::kPooledHost ||
         kind == MemoryKind::kRegistered;
}

struct Range {
  uint64_t address = 0, bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  int device = 0;
};

class Memory {
 public:
  explicit Memory(uint64_t bytes_of_a_gpu);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Fails when the GPU has no more. Pre: kind is not kRegistered.
  [[nodiscard]] Result<uint64_t> allocate(uint64_t bytes, MemoryKind kind,
                                          int device = Devices::current());
  /// Fails unless it is the start of a live allocation of such a kind.
  [[nodiscard]] Status release(uint64_t address, bool of_host);
  /// Keeps an allocation alive, released or not, as long as the result lives. Pre: it is alive.
  [[nodiscard]] std::shared_ptr<void> hold(uint64_t address);
  /// An address for memory of a graph, which is alive from take() to release(), again and again.
  [[nodiscard]] Result<uint64_t> reserve(uint64_t bytes, int device = Devices::current());
  /// Fails when it is alive, or the GPU has no more. Pre: reserved.
  [[nodiscard]] Status take(uint64_t address);
  /// Whether the address lies in such memory, alive or not.
  [[nodiscard]] bool is_reserved(uint64_t address) const;
  /// How much of such memory is alive.
  [[nodiscard]] GraphMemory& graph_memory(int device) { return graph_memory_.at(device); }
  /// Addresses for virtual memory management, aligned, with memory nowhere.
  [[nodiscard]] Result<uint64_t> reserve_addresses(uint64_t bytes, uint64_t alignment);
  /// Makes an allocation of bytes in such addresses, until hide(); neither counts bytes in use.
  void show(uint64_t address, uint64_t bytes, int device = 0);
  void hide(uint64_t address);
  [[nodiscard]] Status check_room(uint64_t bytes, int device = Devices::current()) const;
  /// Memory that is taken or given back elsewhere counts as in use.
  void count(int64_t bytes, int device) { in_use_.at(device) += static_cast<uint64_t>(bytes); }
  [[nodiscard]] Status lend(uint64_t address, uint64_t bytes);
  [[nodiscard]] Status take_back(uint64_t address);
  /// Lends whatever the program has mapped around this address, as a machine does whose GPU reads
  /// pageable memory. False when nothing is mapped there.
  [[nodiscard]] bool lend_mapping(uint64_t address);

  [[nodiscard]] std::optional<Range> holding(uint64_t address) const;
  /// Whether kernels may touch the byte there: allocations, variables of modules, lent memory.
  [[nodiscard]] bool is_device(uint64_t address) const;
  /// Whether the address is one that only allocations may have.
  [[nodiscard]] bool is_ours(uint64_t address) const;
  /// Fails when the bytes begin in device memory, or where it could be, and do not lie in one
  /// allocation; of the program's own memory, when nothing is mapped there.
  [[nodiscard]] Status check(uint64_t address, uint64_t bytes) const;

  /// Whether a MemorySnapshot holds all that a launch may write: not where whole mappings are lent,
  /// which hold other things of the program too.
  [[nodiscard]] bool can_begin_again() const { return !lends_mappings_; }

  [[nodiscard]] exec::DeviceMemory& device() { return device_; }
  /// Of all devices.
  [[nodiscard]] uint64_t bytes_in_use() const;
  [[nodiscard]] uint64_t capacity() const { return capacity_; }
  /// What may be allocated now: the GPU's rest, and no more than the host has.
  [[nodiscard]] uint64_t bytes_free(int device = Devices::current()) const;

 private:
  uint64_t capacity_;
  std::array<uint64_t, kMostDevices> in_use_ = {};      // by device: device and managed
  std::array<GraphMemory, kMostDevices> graph_memory_;  // by device
  uint64_t allocations_ = 0;
  bool lends_mappings_ = false;
  exec::DeviceMemory device_;
  std::map<uint64_t, Range> ranges_;    // live ones
  std::map<uint64_t, Range> reserved_;  // by address
  std::map<uint64_t, bool> held_;       // by address: whether the program has released it
};

}  // namespace warpledger::cuda
