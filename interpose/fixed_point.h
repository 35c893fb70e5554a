// Launches that leave memory as they find it. A benchmark's loop runs one launch hundreds of times
// on the same input: the second one writes what is there already, and so does each one after it.
// From the same memory such a launch need not run again:
//
//   run(launch, M) == M, seen once  =>  run(launch, M) == M, whenever memory is M
//
// which holds for kernels whose values follow from parameters and memory alone.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "warpledger/exec/memory/snapshot.h"

namespace warpledger::cuda {

class LaunchGroup;

class FixedPoint {
 public:
  explicit FixedPoint(exec::DeviceMemory& memory) : memory_(memory) {}

  /// Before a launch. True: it is known to leave memory as it is now.
  /// Else the bytes of memory are held, for end().
  [[nodiscard]] bool begin(const LaunchGroup& group, std::span<const std::byte> params);
  /// After the launch of begin(), which ran. True: memory is as it was.
  bool end(const LaunchGroup& group, std::span<const std::byte> params);

 private:
  struct Launch {
    const LaunchGroup* group = nullptr;
    std::vector<std::byte> params;
  };

  exec::DeviceMemory& memory_;
  std::optional<exec::MemorySnapshot> held_;
  std::vector<Launch> launches_;  // that leave it as held_
};

}  // namespace warpledger::cuda
