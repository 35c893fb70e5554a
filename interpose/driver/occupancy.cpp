// How many blocks of a kernel fit on an SM.
#include <algorithm>

#include "interpose/driver/state.h"
#include "warpledger/ptx/module.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

Kernel& kernel_of(CUfunction function) { return *reinterpret_cast<Kernel*>(function); }

struct BlockSize {
  int threads = 0, blocks_per_sm = 0;
};

/// The size with the most resident threads; of equals the largest. `shared`: bytes by threads.
template <class Shared>
BlockSize best_block(Core& core, Kernel& kernel, int limit, Shared shared) {
  const auto& execution = core.gpu().architecture.execution;
  const int warp = static_cast<int>(execution.warp_size.value);
  const int most = static_cast<int>(execution.max_threads_per_block.value);
  BlockSize best;
  limit = limit <= 0 ? most : std::min(limit, most);
  for (int size = (limit + warp - 1) / warp * warp; size > 0; size -= warp) {
    const int threads = std::min(size, limit);
    const auto fits = core.occupancy(kernel, threads, static_cast<int64_t>(shared(threads)));
    const int blocks = fits ? static_cast<int>(fits->blocks_per_sm) : 0;
    if (threads * blocks > best.threads * best.blocks_per_sm) best = {threads, blocks};
  }
  return best;
}

}  // namespace

extern "C" {

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int threads, size_t shared,
                                                              unsigned) {
  return call([&](Core& core) {
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const auto fits = core.occupancy(kernel_of(function), threads, static_cast<int64_t>(shared));
    if (!fits) return CUDA_ERROR_INVALID_VALUE;
    return answer(blocks, static_cast<int>(fits->blocks_per_sm));
  });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared,
                                                   int limit, unsigned) {
  return call([&](Core& core) {
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (grid == nullptr || block == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const BlockSize best = best_block(core, kernel_of(function), limit, [&](int threads) {
      return shared_of == nullptr ? shared : shared_of(threads);
    });
    *grid = best.blocks_per_sm * static_cast<int>(core.gpu().sms.value);
    return *block = best.threads, CUDA_SUCCESS;
  });
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit,
                                                   0);
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks,
                                                 int threads) {
  return call([&](Core& core) {
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return answer(bytes, core.dynamic_shared_left(kernel_of(function), threads, blocks));
  });
}
}
