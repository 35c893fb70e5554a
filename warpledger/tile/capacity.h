// Does a program fit a GPU? The tiles of a kernel with the span of statements in which each is
// needed; what is needed at the same moment must fit together.
#pragma once

#include "warpledger/base/table.h"
#include "warpledger/gpu/gpu.h"
#include "warpledger/tile/check.h"

namespace warpledger::tile {

/// A tile and the moments [begin, end] in which it holds a value that is still needed. Statement p
/// of a kernel (loops counted with what they hold) reads at 2p and, where its result may take the
/// place of an operand, writes at 2p + 1. What outlives a turn of a loop lives through the loop.
struct Buffer {
  std::string tile;
  TileType type;
  int begin = 0;
  int end = 0;
  bool is_async = false;
};

/// In the order of definition.
[[nodiscard]] std::vector<Buffer> buffers_of(const Kernel& kernel, const TileTypes& types);

/// One resource of one kernel against one limit, at given sizes.
struct Need {
  std::string kernel;
  std::string resource;  // "shared memory bytes per block"
  int64_t needed = 0;
  int64_t available = 0;
  Fidelity fidelity = Fidelity::kExact;

  [[nodiscard]] bool fits() const { return needed <= available; }
};

/// Bytes of shared memory, registers per thread and TMEM columns of each kernel, before alignment
/// and packing: a lower bound of what plan/ will need. Registers count tiles alone: addresses and
/// loop counters come on top. Fails when a size is missing.
[[nodiscard]] Result<std::vector<Need>> needs_of(const CheckedProgram& program, const Sizes& sizes,
                                                 const Gpu& gpu);

[[nodiscard]] Table capacity_table(const std::vector<Need>& needs, const std::string& gpu_name);

}  // namespace warpledger::tile
