// What all GPUs of one compute capability share: gpus/arch/sm_*.toml. The fields are named as the
// keys of those files; facts.h lists them. Per clock means per SM clock and SM unless it says
// slice.
#pragma once

#include <cstdint>
#include <vector>

#include "warpledger/gpu/sourced.h"

namespace warpledger {

using Count = Sourced<int64_t>;
using CountList = Sourced<std::vector<int64_t>>;

/// What the occupancy calculator needs is required; the rest may be unknown.
struct ExecutionFacts {
  Count warp_size, max_threads_per_block, max_warps_per_sm, max_blocks_per_sm;
  CountList max_block_dims;
  Count sub_partitions_per_sm, regs_per_sm, max_regs_per_block, max_regs_per_thread;
  Count max_regs_per_thread_launch;  // what the launch check allows; code can name one less
  Count reg_alloc_unit_per_warp, barrier_slots_per_sm;
  Fact<int64_t> named_barriers_per_block, virtual_resources_per_sm, sms_per_tpc;
  Fact<int64_t> issue_per_sub_partition_per_clk, alu_latency_cycles, sfu_latency_cycles;
  Fact<int64_t> constant_memory_bytes, mbarrier_bytes, mbarrier_align_bytes;
  Fact<int64_t> setmaxnreg_min, setmaxnreg_max, setmaxnreg_step;
};

struct SharedMemoryFacts {
  Count bytes_per_sm, bytes_per_block, bytes_per_block_optin, reserved_bytes_per_block;
  Count alloc_unit_bytes;
  CountList carveouts_kib;       // what the hardware offers
  CountList carveouts_used_kib;  // what the driver was seen to choose without being asked
  Count banks, bank_bytes;
};

struct L1Facts {
  Fact<int64_t> unified_kib, line_bytes, sector_bytes;
  Fact<int64_t> tag_sets, tags_per_clk, tag_sectors_per_clk;
  Fact<std::string> tag_hash;
  Fact<int64_t> data_wavefront_bytes, writeback_bytes_per_clk, return_sectors_per_clk;
  Fact<std::string>
      data_wavefront_unit;          // "sm" or "tpc": what one wavefront per clock is shared by
  Fact<bool> request_term_per_tpc;  // L1 -> crossbar cycles also count against one per TPC
  Fact<std::string> write_policy, pending_sector_counts_as, replacement;
};

struct L2PolicyFacts {
  Fact<int64_t> data_sectors_per_clk_slice, tag_requests_per_clk_slice, fill_sectors_per_clk_slice;
  Fact<double> same_address_reduction_cycles;
  Fact<std::string> write_counts_as, replacement;
};

struct PipeFacts {
  Fact<int64_t> fp32_per_clk, int32_per_clk, fp64_per_clk, fp16_per_clk, sfu_per_clk;
  Fact<double> lsu_inst_per_clk;
  Fact<int64_t> tensor_fp16_fma_per_clk, tensor_mma_sync_fp16_fma_per_clk;
};

struct TensorMemoryFacts {
  Fact<int64_t> columns, lanes, cell_bytes, bytes, alloc_min_columns, alloc_max_columns;
  Fact<bool> alloc_monotone;
  Fact<int64_t> thread_read_bytes_per_clk, thread_write_bytes_per_clk;  // of an SM
  Fact<int64_t> tensor_read_bytes_per_clk, tensor_write_bytes_per_clk;
};

struct FeatureFacts {
  Fact<bool> cluster, tma, cp_async, ldmatrix, stmatrix, tcgen05_ld_red, umma_k96;
  Fact<int64_t> max_cluster_portable, max_cluster_nonportable;
};

struct Architecture {
  std::string id;    // "sm_86"
  std::string name;  // "Ampere GA10x"
  int major = 0, minor = 0;
  ExecutionFacts execution;
  SharedMemoryFacts shared_memory;
  L1Facts l1;
  L2PolicyFacts l2;
  PipeFacts pipes;
  TensorMemoryFacts tensor_memory;
  FeatureFacts features;
  Fact<int64_t> dram_transfers_per_clk;  // bytes per DRAM clock = this x bus bytes
};

}  // namespace warpledger
