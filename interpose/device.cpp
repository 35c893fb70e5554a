#include "interpose/device.h"

#include <fmt/core.h>

namespace warpledger::cuda {
namespace {

int number(const Count& count) { return static_cast<int>(count.value); }

template <class T>
int known(const Fact<T>& fact) {
  return fact ? static_cast<int>(fact->value) : 0;
}

const ExecutionFacts& execution(const Gpu& gpu) { return gpu.architecture.execution; }
const SharedMemoryFacts& shared(const Gpu& gpu) { return gpu.architecture.shared_memory; }

template <size_t Axis>
int block_dim(const Gpu& gpu) {
  return static_cast<int>(execution(gpu).max_block_dims.value[Axis]);
}

/// By the number of the public enumeration.
struct OfGpu {
  int attribute;
  int (*value)(const Gpu&);
};

constexpr OfGpu kOfGpu[] = {
    // MAX_THREADS_PER_BLOCK; MAX_BLOCK_DIM_X, Y, Z
    {1, [](const Gpu& gpu) { return number(execution(gpu).max_threads_per_block); }},
    {2, block_dim<0>},
    {3, block_dim<1>},
    {4, block_dim<2>},
    // MAX_SHARED_MEMORY_PER_BLOCK, WARP_SIZE, MAX_REGISTERS_PER_BLOCK
    {8, [](const Gpu& gpu) { return number(shared(gpu).bytes_per_block); }},
    {10, [](const Gpu& gpu) { return number(execution(gpu).warp_size); }},
    {12, [](const Gpu& gpu) { return number(execution(gpu).max_regs_per_block); }},
    // CLOCK_RATE in kHz, MULTIPROCESSOR_COUNT
    {13, [](const Gpu& gpu) { return known(gpu.clocks.boost_mhz) * 1000; }},
    {16, [](const Gpu& gpu) { return number(gpu.sms); }},
    // MEMORY_CLOCK_RATE in kHz, GLOBAL_MEMORY_BUS_WIDTH, L2_CACHE_SIZE
    {36, [](const Gpu& gpu) { return known(gpu.dram.mhz) * 1000; }},
    {37, [](const Gpu& gpu) { return known(gpu.dram.bus_bits); }},
    {38, [](const Gpu& gpu) { return known(gpu.l2.bytes); }},
    // MAX_THREADS_PER_MULTIPROCESSOR
    {39,
     [](const Gpu& gpu) {
       return number(execution(gpu).max_warps_per_sm) * number(execution(gpu).warp_size);
     }},
    // COMPUTE_CAPABILITY_MAJOR, MINOR
    {75, [](const Gpu& gpu) { return gpu.architecture.major; }},
    {76, [](const Gpu& gpu) { return gpu.architecture.minor; }},
    // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, MAX_REGISTERS_PER_MULTIPROCESSOR
    {81, [](const Gpu& gpu) { return number(shared(gpu).bytes_per_sm); }},
    {82, [](const Gpu& gpu) { return number(execution(gpu).regs_per_sm); }},
    // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, MAX_BLOCKS_PER_MULTIPROCESSOR
    {97, [](const Gpu& gpu) { return number(shared(gpu).bytes_per_block_optin); }},
    {106, [](const Gpu& gpu) { return number(execution(gpu).max_blocks_per_sm); }},
    // MAX_PERSISTING_L2_CACHE_SIZE, MAX_ACCESS_POLICY_WINDOW_SIZE
    {108, [](const Gpu& gpu) { return static_cast<int>(persisting_l2_bytes(gpu)); }},
    {109, [](const Gpu& gpu) { return static_cast<int>(access_window_bytes(gpu)); }},
    // RESERVED_SHARED_MEMORY_PER_BLOCK
    {111, [](const Gpu& gpu) { return number(shared(gpu).reserved_bytes_per_block); }},
};

/// The same of every GPU here.
struct OfAll {
  int attribute;
  int value;
};

constexpr OfAll kOfAll[] = {
    {5, 0x7fffffff},   // MAX_GRID_DIM_X
    {6, 65535},        // MAX_GRID_DIM_Y
    {7, 65535},        // MAX_GRID_DIM_Z
    {9, 65536},        // TOTAL_CONSTANT_MEMORY
    {11, 0x7fffffff},  // MAX_PITCH
    {14, 512},         // TEXTURE_ALIGNMENT
    {19, 1},           // CAN_MAP_HOST_MEMORY
    {31, 1},           // CONCURRENT_KERNELS
    {40, 2},           // ASYNC_ENGINE_COUNT
    {41, 1},           // UNIFIED_ADDRESSING
    {78, 1},           // STREAM_PRIORITIES_SUPPORTED
    {79, 1},           // GLOBAL_L1_CACHE_SUPPORTED
    {80, 1},           // LOCAL_L1_CACHE_SUPPORTED
    {83, 1},           // MANAGED_MEMORY
    {89, 1},           // CONCURRENT_MANAGED_ACCESS
    {91, 1},           // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
    {95, 1},           // COOPERATIVE_LAUNCH
    {99, 1},           // HOST_REGISTER_SUPPORTED
    {102, 1},          // VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    {115, 1},          // MEMORY_POOLS_SUPPORTED
    {142, 1},          // HOST_NUMA_MEMORY_POOLS_SUPPORTED
    {144, 1},          // HOST_MEMORY_POOLS_SUPPORTED
};

}  // namespace

std::string device_name(const Gpu& gpu) { return fmt::format("{} (warpledger)", gpu.name); }

int attribute_of(Core& core, int attribute, int device) {
  constexpr int kPciBusId = 33;
  if (attribute == kPciBusId) return Devices::bus_number(device);
  for (const OfGpu& row : kOfGpu) {
    if (row.attribute == attribute) return row.value(core.gpu());
  }
  for (const OfAll& row : kOfAll) {
    if (row.attribute == attribute) return row.value;
  }
  return 0;
}

}  // namespace warpledger::cuda
