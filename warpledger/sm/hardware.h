// An SM's numbers: how often each unit accepts work, how long a result takes, how much each queue
// holds. What a GPU's file tells comes from there; the rest stands here with its source.
#pragma once

#include <optional>

#include "warpledger/gpu/gpu.h"

namespace warpledger::sm {

inline constexpr uint32_t kPartitions = 4;  // sub-partitions of an SM, one scheduler each

/// Cycles of the SM clock under ncu, and counts.
struct Hardware {
  // Latencies: GPU files. What lies outside the SM keeps its nanoseconds.
  double shared = 29, l1 = 33, l2 = 250, dram = 600;
  // This part of DRAM's latency is exponential: fitted over all reports, of 0, 0.25 and 0.5.
  double dram_spread = 0.25;
  // Intervals between two instructions of a sub-partition's pipe: 32 lanes / (lanes of an SM / 4).
  double alu = 2, fma = 2, multiply = 2, wide_multiply = 2, special = 8, fp64 = 64;
  double tensor_rate = 128;       // FP16 multiply-adds a cycle of a sub-partition
  double tensor_fp32_rate = 128;  // the same where the sums are FP32
  double group_rate = 512;        // of products of warp groups, in the same unit
  bool has_two_fma = false;       // FP32 has two pipes, of which one multiplies integers
  bool has_queued_fp64 = false;   // one FP64 unit for the SM, behind the MIO queues
  double lsu_interval = 2;        // of an SM
  double data_interval = 1;       // of a wavefront; 2 where two SMs share the data stage
  // To a result, since Volta (Jia et al. 2018 and 2019; Luo et al. 2024). Of S2R: eight reports of
  // kernels that wait for nothing else of this kind, on three architectures, busy or not, have 23.6
  // to 25.4 cycles of short_scoreboard per warp.
  double shuffle = 24, special_result = 22, system = 25, constant = 28, fp64_result = 48,
         tensor_result = 33, uniform_result = 12;
  double operands_read = 6;  // assumed
  // Queues. MIO: about 5 entries (Huerta et al., MICRO 2025); the others are fitted to published
  // reports over all GPUs.
  uint32_t mio_entries = 5;
  uint32_t lg_entries = 6;          // of a sub-partition, in front of the tag stage
  uint32_t store_entries = 4;       // of an SM, in front of the tag stage
  uint32_t data_entries = 4;        // in front of the data stage
  double pending_wavefronts = 640;  // of loads that missed
  double write_sectors = 128;       // on their way to the L2
  // L1 lines that asynchronous copies wait for at once; those past the L1 (.cg) need none. Fitted
  // to reports of the L4 and the RTX 3090, of 32, 48, 64, 90, 120, 160 and without a limit.
  double copy_lines = 64;
  // Delays. Branches, start and end: published reports of kernels with few instructions; BSYNC: of
  // kernels with up to 33 of them per warp (9.5 cycles each).
  double branch = 3, branch_fetch = 3;  // of a taken branch, beyond its stall count
  double reconverge = 9;                // of BSYNC, beyond its stall count
  double start_wait = 3, start_branch = 8, start_fetch = 7, start_dispatch = 3;  // of a new warp
  double drain = 10;                                                             // of EXIT
  // Bulk copies: from the L2 at 64 bytes per clock, as loads (published); what they take longer
  // than loads, assumed.
  double copy_sectors = 2, copy_extra = 170;
  double barrier = 30;  // from the last arrival to going on: 20 to 40 in microbenchmarks
  double fence = 20;
  double block_interval = 8, block_delay = 100;  // between starts; from an end to the next start
  double cold_code = 120, cold_constant = 250;   // the first touch of a line; fitted
  double l0_miss = 25;
  // Operands are read within these cycles, one of each bank a cycle (Huerta et al., MICRO 2025).
  int64_t operand_window = 3;
  uint32_t l0_lines = 96;  // of 128 B: 12 KiB (Jia et al. 2018)
  uint32_t code_prefetch = 2;
};

/// Nothing where the GPU's file lacks a latency.
[[nodiscard]] std::optional<Hardware> hardware_of(const Gpu& gpu);

}  // namespace warpledger::sm
