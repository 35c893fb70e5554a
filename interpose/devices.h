// The devices of a process: `--devices N` of them, all of the GPU that --gpu names. What is
// modeled:
//
// - Each thread has a current device; streams, events, allocations and contexts are of the one that
//   was current when they were made. Each device has a clock of its own (timeline.h), a capacity, a
//   memory pool, and its own copies of a program's __device__ and __constant__ variables.
// - All memory lies in one range of addresses (unified addressing), and any device could reach any
//   byte. Peer access is kept as the program sets it and answers with CUDA's errors; a kernel that
//   touches a peer's memory without it is not found.
// - A copy between devices takes its bytes at the rate of the bus. A kernel's accesses to a peer's
//   memory count as those to its own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "interpose/error.h"

namespace warpledger::cuda {

inline constexpr int kMostDevices = 8;

class Devices {
 public:
  explicit Devices(int count) : count_(count) {}

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] bool has(int device) const { return device >= 0 && device < count_; }

  /// Of this thread; 0 before it says otherwise.
  [[nodiscard]] static int current();
  static void make_current(int device);

  /// Every device reaches every other one, and itself it need not.
  [[nodiscard]] bool can_access(int from, int to) const {
    return has(from) && has(to) && from != to;
  }
  [[nodiscard]] bool is_enabled(int from, int to) const { return peers_.contains({from, to}); }
  /// They answer as cudaDeviceEnablePeerAccess() and its opposite do while `from` is current.
  [[nodiscard]] Error enable(int from, int to);
  [[nodiscard]] Error disable(int from, int to);

  /// "0000:01:00.0"; each device has a bus.
  [[nodiscard]] static std::string bus_id(int device);
  [[nodiscard]] static int bus_number(int device) { return 1 + device; }
  /// 16 bytes, in which devices differ.
  [[nodiscard]] static std::array<unsigned char, 16> uuid(int device);
  /// Domain and function may be left out.
  [[nodiscard]] std::optional<int> find_bus(const char* id) const;

  /// By the number that cudaDeviceP2PAttr and CUdevice_P2PAttribute share. Nothing for other
  /// numbers.
  [[nodiscard]] static std::optional<int> peer_attribute(int attribute);

 private:
  int count_;
  std::set<std::pair<int, int>> peers_;  // who may touch whose memory
};

}  // namespace warpledger::cuda
