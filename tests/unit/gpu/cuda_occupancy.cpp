#include "tests/unit/gpu/cuda_occupancy.h"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>

namespace warpledger::testing {
namespace {

cudaOccDeviceProp properties(const Architecture& architecture) {
  const ExecutionFacts& execution = architecture.execution;
  const SharedMemoryFacts& smem = architecture.shared_memory;
  cudaOccDeviceProp device;
  device.computeMajor = architecture.major;
  device.computeMinor = architecture.minor;
  device.maxThreadsPerBlock = static_cast<int>(execution.max_threads_per_block.value);
  device.maxThreadsPerMultiprocessor =
      static_cast<int>(execution.max_warps_per_sm.value * execution.warp_size.value);
  device.regsPerBlock = static_cast<int>(execution.max_regs_per_block.value);
  device.regsPerMultiprocessor = static_cast<int>(execution.regs_per_sm.value);
  device.warpSize = static_cast<int>(execution.warp_size.value);
  device.sharedMemPerBlock = static_cast<size_t>(smem.bytes_per_block.value);
  device.sharedMemPerMultiprocessor = static_cast<size_t>(smem.bytes_per_sm.value);
  device.numSms = 1;
  device.sharedMemPerBlockOptin = static_cast<size_t>(smem.bytes_per_block_optin.value);
  device.reservedSharedMemPerBlock = static_cast<size_t>(smem.reserved_bytes_per_block.value);
  return device;
}

cudaOccFuncAttributes attributes(const Architecture& architecture, const BlockNeeds& needs,
                                 const SmemPreference& preference) {
  const int64_t all = architecture.shared_memory.bytes_per_block_optin.value;
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = 1024;
  function.numRegs = static_cast<int>(needs.registers_per_thread);
  function.sharedSizeBytes = static_cast<size_t>(needs.static_smem_bytes);
  function.shmemLimitConfig =
      preference.opted_in ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
  function.maxDynamicSharedSizeBytes =
      static_cast<size_t>(preference.max_dynamic_bytes.value_or(all));
  function.numBlockBarriers = static_cast<int>(needs.barriers);
  function.virtualResourceCount = static_cast<int>(needs.virtual_resources);
  return function;
}

}  // namespace

bool have_cuda_occupancy() { return true; }

std::optional<OracleAnswer> cuda_occupancy(const Architecture& architecture,
                                           const BlockNeeds& needs,
                                           const SmemPreference& preference) {
  const cudaOccDeviceProp device = properties(architecture);
  const cudaOccFuncAttributes function = attributes(architecture, needs, preference);
  cudaOccDeviceState state;
  state.carveoutConfig = preference.carveout_percent.value_or(SHAREDMEM_CARVEOUT_DEFAULT);
  cudaOccResult found;
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &found, &device, &function, &state, static_cast<int>(needs.threads),
      static_cast<size_t>(needs.dynamic_smem_bytes));
  if (error != CUDA_OCC_SUCCESS) return std::nullopt;
  return OracleAnswer{found.activeBlocksPerMultiprocessor,
                      found.limitingFactors,
                      found.blockLimitWarps,
                      found.blockLimitRegs,
                      found.blockLimitSharedMem,
                      found.blockLimitBlocks,
                      found.blockLimitBarriers,
                      found.blockLimitVirtual,
                      found.allocatedRegistersPerBlock,
                      static_cast<long>(found.allocatedSharedMemPerBlock)};
}

}  // namespace warpledger::testing

#else

namespace warpledger::testing {

bool have_cuda_occupancy() { return false; }

std::optional<OracleAnswer> cuda_occupancy(const Architecture&, const BlockNeeds&,
                                           const SmemPreference&) {
  return std::nullopt;
}

}  // namespace warpledger::testing

#endif
