#include "warpledger/cuda/device.h"

#include <fmt/format.h>

namespace warpledger::cuda {
namespace {

template <class T>
int known(const Fact<T>& fact) {
  return fact ? static_cast<int>(fact->value) : 0;
}

}  // namespace

std::string device_name(const Gpu& gpu) { return fmt::format("{} (warpledger)", gpu.name); }

int attribute_of(Core& core, int attribute) {
  const Gpu& gpu = core.gpu();
  const ExecutionFacts& has = gpu.architecture.execution;
  const SharedMemoryFacts& shared = gpu.architecture.shared_memory;
  const auto number = [](const Count& count) { return static_cast<int>(count.value); };
  switch (attribute) {  // the numbers of the public enumeration
    case 1:             // MAX_THREADS_PER_BLOCK
      return number(has.max_threads_per_block);
    case 2:
    case 3:
    case 4:  // MAX_BLOCK_DIM_X, Y, Z
      return static_cast<int>(has.max_block_dims.value[static_cast<size_t>(attribute - 2)]);
    case 5:  // MAX_GRID_DIM_X
      return 0x7fffffff;
    case 6:
    case 7:  // Y, Z
      return 65535;
    case 8:  // MAX_SHARED_MEMORY_PER_BLOCK
      return number(shared.bytes_per_block);
    case 9:  // TOTAL_CONSTANT_MEMORY
      return 65536;
    case 10:  // WARP_SIZE
      return number(has.warp_size);
    case 11:  // MAX_PITCH
      return 0x7fffffff;
    case 12:  // MAX_REGISTERS_PER_BLOCK
      return number(has.max_regs_per_block);
    case 13:  // CLOCK_RATE, kHz
      return known(gpu.clocks.boost_mhz) * 1000;
    case 14:  // TEXTURE_ALIGNMENT
      return 512;
    case 16:  // MULTIPROCESSOR_COUNT
      return number(gpu.sms);
    case 33:  // PCI_BUS_ID
      return 1;
    case 36:  // MEMORY_CLOCK_RATE, kHz
      return known(gpu.dram.mhz) * 1000;
    case 37:  // GLOBAL_MEMORY_BUS_WIDTH
      return known(gpu.dram.bus_bits);
    case 38:  // L2_CACHE_SIZE
      return known(gpu.l2.bytes);
    case 39:  // MAX_THREADS_PER_MULTIPROCESSOR
      return number(has.max_warps_per_sm) * number(has.warp_size);
    case 40:  // ASYNC_ENGINE_COUNT
      return 2;
    case 75:  // COMPUTE_CAPABILITY_MAJOR
      return gpu.architecture.major;
    case 76:  // COMPUTE_CAPABILITY_MINOR
      return gpu.architecture.minor;
    case 81:  // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
      return number(shared.bytes_per_sm);
    case 82:  // MAX_REGISTERS_PER_MULTIPROCESSOR
      return number(has.regs_per_sm);
    case 97:  // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
      return number(shared.bytes_per_block_optin);
    case 106:  // MAX_BLOCKS_PER_MULTIPROCESSOR
      return number(has.max_blocks_per_sm);
    case 111:  // RESERVED_SHARED_MEMORY_PER_BLOCK
      return number(shared.reserved_bytes_per_block);
    case 19:   // CAN_MAP_HOST_MEMORY
    case 31:   // CONCURRENT_KERNELS
    case 41:   // UNIFIED_ADDRESSING
    case 78:   // STREAM_PRIORITIES_SUPPORTED
    case 79:   // GLOBAL_L1_CACHE_SUPPORTED
    case 80:   // LOCAL_L1_CACHE_SUPPORTED
    case 83:   // MANAGED_MEMORY
    case 89:   // CONCURRENT_MANAGED_ACCESS
    case 91:   // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
    case 95:   // COOPERATIVE_LAUNCH
    case 99:   // HOST_REGISTER_SUPPORTED
    case 115:  // MEMORY_POOLS_SUPPORTED
      return 1;
    default:
      return 0;
  }
}

}  // namespace warpledger::cuda
