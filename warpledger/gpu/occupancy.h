// Occupancy: how many blocks of a kernel one SM holds at a time, and what stops it from holding
// more. This is the algorithm of NVIDIA's cuda_occupancy.h (CUDA 13.0) over a GPU file; a test
// compares the two on random configurations. What ncu prints is launch.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/gpu/architecture.h"

namespace warpledger {

/// What a block asks of its SM.
struct BlockNeeds {
  int64_t threads = 0;
  int64_t registers_per_thread = 0;
  int64_t static_smem_bytes = 0;
  int64_t dynamic_smem_bytes = 0;
  int64_t barriers = 1;
  int64_t virtual_resources = 0;  // compute capability 10 to 12; NVIDIA does not say what they are
};

/// What the program asked the driver for.
struct SmemPreference {
  std::optional<int> carveout_percent = {};  // cudaFuncAttributePreferredSharedMemoryCarveout
  bool opted_in = true;  // more than 48 KiB a block may be asked for (cudaFuncSetAttribute)
  std::optional<int64_t> max_dynamic_bytes = {};  // what was opted into; absent: all there is
};

enum class Resource { kWarps, kRegisters, kSharedMemory, kBlocks, kBarriers, kVirtual };

/// "warps", "registers", "shared memory", "blocks per SM", "barriers", "virtual resources".
[[nodiscard]] std::string_view to_text(Resource resource);

/// No bound: the kernel does not use the resource.
inline constexpr int64_t kUnlimited = 2147483647;

/// Blocks per SM that each resource allows; 0: the block cannot be launched.
struct BlockLimits {
  int64_t warps = kUnlimited;
  int64_t registers = kUnlimited;
  int64_t shared_memory = kUnlimited;
  int64_t blocks = kUnlimited;
  int64_t barriers = kUnlimited;
  int64_t virtual_resources = kUnlimited;
};

struct Occupancy {
  int64_t blocks_per_sm = 0;
  int64_t warps_per_block = 0;
  BlockLimits limits;
  std::vector<Resource> limited_by;  // every resource at the minimum, in the order of Resource
  int64_t registers_per_block = 0;   // as allocated
  int64_t smem_bytes_per_block = 0;  // as allocated, with what the driver reserves
  [[nodiscard]] int64_t warps_per_sm() const { return blocks_per_sm * warps_per_block; }
};

/// Fails for input that cuda_occupancy.h calls invalid: no threads, negative numbers, a carve-out
/// outside 0..100. A block that does not fit is not an error: blocks_per_sm is 0.
[[nodiscard]] Result<Occupancy> occupancy(const Architecture& architecture, const BlockNeeds& needs,
                                          const SmemPreference& preference = {});

/// The parts that ncu's view shares.
[[nodiscard]] int64_t warps_per_block(const Architecture& architecture, int64_t threads);
[[nodiscard]] int64_t register_limit(const Architecture& architecture, const BlockNeeds& needs);
[[nodiscard]] int64_t allocated_smem_bytes(const Architecture& architecture,
                                           const BlockNeeds& needs);

/// The smallest of `carveouts_kib` that holds `bytes`, in bytes; the largest when none does.
[[nodiscard]] int64_t carveout_holding(const std::vector<int64_t>& carveouts_kib, int64_t bytes);

}  // namespace warpledger
