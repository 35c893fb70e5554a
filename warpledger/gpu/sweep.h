// One quantity of a launch varied, the rest kept: warps per SM and what limits them at each value.
#pragma once

#include <string>
#include <vector>

#include "warpledger/gpu/launch.h"

namespace warpledger {

enum class SweepAxis { kBlock, kRegisters, kSharedMemory };

[[nodiscard]] std::string_view to_text(SweepAxis axis);  // "threads per block" ...

struct SweepPoint {
  int64_t value = 0;
  int64_t warps_per_sm = 0;  // 0: a block of this kind cannot be launched
  Resource limited_by = Resource::kWarps;
};

struct Sweep {
  SweepAxis axis = SweepAxis::kBlock;
  std::vector<SweepPoint> points;  // ascending by value; the launch's own value is among them
  size_t current = 0;              // index of the launch's own value
  int64_t max_warps_per_sm = 0;
};

/// Blocks in steps of a warp, registers one by one, shared memory (static and dynamic together) in
/// steps of 1 KiB; each up to the most the GPU allows.
[[nodiscard]] Result<Sweep> sweep(const Gpu& gpu, const Launch& launch, SweepAxis axis);

[[nodiscard]] Table table_of(const Sweep& sweep);

/// "warps up to 40, registers 41 to 168 ...": where each resource is the first to run out.
[[nodiscard]] std::string limits_in_words(const Sweep& sweep);

/// The classic curve in characters: columns of the letter of what limits there, the launch's own
/// column in capitals with a mark below.
[[nodiscard]] std::string curve_text(const Sweep& sweep);

}  // namespace warpledger
