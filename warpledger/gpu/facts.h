// The keys of GPU files: each_fact calls visit(group, key, field) for every fact of a GPU, in the
// order in which they are listed. Reading, checking and printing all walk this one table.
#pragma once

#include "warpledger/gpu/gpu.h"

namespace warpledger {

template <class Execution, class Visit>
void each_execution_fact(Execution& e, Visit& visit) {
  const auto at = [&](const char* key, auto& field) { visit("execution", key, field); };
  at("warp_size", e.warp_size);
  at("max_threads_per_block", e.max_threads_per_block);
  at("max_block_dims", e.max_block_dims);
  at("max_warps_per_sm", e.max_warps_per_sm);
  at("max_blocks_per_sm", e.max_blocks_per_sm);
  at("sub_partitions_per_sm", e.sub_partitions_per_sm);
  at("sms_per_tpc", e.sms_per_tpc);
  at("regs_per_sm", e.regs_per_sm);
  at("max_regs_per_block", e.max_regs_per_block);
  at("max_regs_per_thread", e.max_regs_per_thread);
  at("max_regs_per_thread_launch", e.max_regs_per_thread_launch);
  at("reg_alloc_unit_per_warp", e.reg_alloc_unit_per_warp);
  at("barrier_slots_per_sm", e.barrier_slots_per_sm);
  at("named_barriers_per_block", e.named_barriers_per_block);
  at("virtual_resources_per_sm", e.virtual_resources_per_sm);
  at("issue_per_sub_partition_per_clk", e.issue_per_sub_partition_per_clk);
  at("alu_latency_cycles", e.alu_latency_cycles);
  at("sfu_latency_cycles", e.sfu_latency_cycles);
  at("constant_memory_bytes", e.constant_memory_bytes);
  at("mbarrier_bytes", e.mbarrier_bytes);
  at("mbarrier_align_bytes", e.mbarrier_align_bytes);
  at("setmaxnreg_min", e.setmaxnreg_min);
  at("setmaxnreg_max", e.setmaxnreg_max);
  at("setmaxnreg_step", e.setmaxnreg_step);
}

template <class SharedMemory, class Visit>
void each_shared_memory_fact(SharedMemory& s, Visit& visit) {
  const auto at = [&](const char* key, auto& field) { visit("shared_memory", key, field); };
  at("bytes_per_sm", s.bytes_per_sm);
  at("bytes_per_block", s.bytes_per_block);
  at("bytes_per_block_optin", s.bytes_per_block_optin);
  at("reserved_bytes_per_block", s.reserved_bytes_per_block);
  at("alloc_unit_bytes", s.alloc_unit_bytes);
  at("carveouts_kib", s.carveouts_kib);
  at("carveouts_used_kib", s.carveouts_used_kib);
  at("banks", s.banks);
  at("bank_bytes", s.bank_bytes);
}

template <class L1, class Visit>
void each_l1_fact(L1& l1, Visit& visit) {
  const auto at = [&](const char* key, auto& field) { visit("l1", key, field); };
  at("unified_kib", l1.unified_kib);
  at("line_bytes", l1.line_bytes);
  at("sector_bytes", l1.sector_bytes);
  at("tag_sets", l1.tag_sets);
  at("tag_hash", l1.tag_hash);
  at("tags_per_clk", l1.tags_per_clk);
  at("tag_sectors_per_clk", l1.tag_sectors_per_clk);
  at("data_wavefront_bytes", l1.data_wavefront_bytes);
  at("data_wavefront_unit", l1.data_wavefront_unit);
  at("writeback_bytes_per_clk", l1.writeback_bytes_per_clk);
  at("return_sectors_per_clk", l1.return_sectors_per_clk);
  at("request_term_per_tpc", l1.request_term_per_tpc);
  at("write_policy", l1.write_policy);
  at("pending_sector_counts_as", l1.pending_sector_counts_as);
  at("replacement", l1.replacement);
}

template <class Machine, class Visit>
void each_other_architecture_fact(Machine& a, Visit& visit) {
  visit("l2", "write_counts_as", a.l2.write_counts_as);
  visit("l2", "replacement", a.l2.replacement);
  visit("l2", "data_sectors_per_clk_slice", a.l2.data_sectors_per_clk_slice);
  visit("l2", "tag_requests_per_clk_slice", a.l2.tag_requests_per_clk_slice);
  visit("l2", "fill_sectors_per_clk_slice", a.l2.fill_sectors_per_clk_slice);
  visit("l2", "same_address_reduction_cycles", a.l2.same_address_reduction_cycles);
  visit("dram", "transfers_per_clk", a.dram_transfers_per_clk);
  visit("pipes", "fp32_per_clk", a.pipes.fp32_per_clk);
  visit("pipes", "int32_per_clk", a.pipes.int32_per_clk);
  visit("pipes", "fp64_per_clk", a.pipes.fp64_per_clk);
  visit("pipes", "fp16_per_clk", a.pipes.fp16_per_clk);
  visit("pipes", "sfu_per_clk", a.pipes.sfu_per_clk);
  visit("pipes", "lsu_inst_per_clk", a.pipes.lsu_inst_per_clk);
  visit("pipes", "tensor_fp16_fma_per_clk", a.pipes.tensor_fp16_fma_per_clk);
  visit("pipes", "tensor_mma_sync_fp16_fma_per_clk", a.pipes.tensor_mma_sync_fp16_fma_per_clk);
  visit("tensor_memory", "columns", a.tensor_memory.columns);
  visit("tensor_memory", "lanes", a.tensor_memory.lanes);
  visit("tensor_memory", "cell_bytes", a.tensor_memory.cell_bytes);
  visit("tensor_memory", "bytes", a.tensor_memory.bytes);
  visit("tensor_memory", "alloc_min_columns", a.tensor_memory.alloc_min_columns);
  visit("tensor_memory", "alloc_max_columns", a.tensor_memory.alloc_max_columns);
  visit("tensor_memory", "alloc_monotone", a.tensor_memory.alloc_monotone);
  visit("tensor_memory", "thread_read_bytes_per_clk", a.tensor_memory.thread_read_bytes_per_clk);
  visit("tensor_memory", "thread_write_bytes_per_clk", a.tensor_memory.thread_write_bytes_per_clk);
  visit("tensor_memory", "tensor_read_bytes_per_clk", a.tensor_memory.tensor_read_bytes_per_clk);
  visit("tensor_memory", "tensor_write_bytes_per_clk", a.tensor_memory.tensor_write_bytes_per_clk);
  visit("features", "cluster", a.features.cluster);
  visit("features", "max_cluster_portable", a.features.max_cluster_portable);
  visit("features", "max_cluster_nonportable", a.features.max_cluster_nonportable);
  visit("features", "tma", a.features.tma);
  visit("features", "cp_async", a.features.cp_async);
  visit("features", "ldmatrix", a.features.ldmatrix);
  visit("features", "stmatrix", a.features.stmatrix);
  visit("features", "tcgen05_ld_red", a.features.tcgen05_ld_red);
  visit("features", "umma_k96", a.features.umma_k96);
}

template <class Machine, class Visit>
void each_architecture_fact(Machine& a, Visit& visit) {
  each_execution_fact(a.execution, visit);
  each_shared_memory_fact(a.shared_memory, visit);
  each_l1_fact(a.l1, visit);
  each_other_architecture_fact(a, visit);
}

/// The facts of the GPU itself, without those of its architecture.
template <class Device, class Visit>
void each_device_fact(Device& gpu, Visit& visit) {
  visit("device", "sms", gpu.sms);
  visit("clocks", "base_mhz", gpu.clocks.base_mhz);
  visit("clocks", "boost_mhz", gpu.clocks.boost_mhz);
  visit("clocks", "ncu_sm_mhz", gpu.clocks.ncu_sm_mhz);
  visit("clocks", "ncu_l2_ratio", gpu.clocks.ncu_l2_ratio);
  visit("dram", "type", gpu.dram.type);
  visit("dram", "mhz", gpu.dram.mhz);
  visit("dram", "ncu_mhz", gpu.dram.ncu_mhz);
  visit("dram", "bus_bits", gpu.dram.bus_bits);
  visit("dram", "peak_gbs", gpu.dram.peak_gbs);
  visit("dram", "read_efficiency", gpu.dram.read_efficiency);
  visit("dram", "copy_efficiency", gpu.dram.copy_efficiency);
  visit("dram", "fetch_bytes", gpu.dram.fetch_bytes);
  visit("dram", "inline_ecc", gpu.dram.inline_ecc);
  visit("l2", "bytes", gpu.l2.bytes);
  visit("l2", "slices", gpu.l2.slices);
  visit("l2", "read_sectors_per_clk_slice", gpu.l2.read_sectors_per_clk_slice);
  visit("l2", "write_sectors_per_clk_slice", gpu.l2.write_sectors_per_clk_slice);
  visit("l2", "tag_sectors_per_clk_slice", gpu.l2.tag_sectors_per_clk_slice);
  visit("l2", "partitions", gpu.l2.partitions);
  visit("l2", "fabric", gpu.l2.fabric);
  visit("l2", "dirty_left_fraction", gpu.l2.dirty_left_fraction);
  visit("latency", "smem_cycles", gpu.latency.smem_cycles);
  visit("latency", "l1_cycles", gpu.latency.l1_cycles);
  visit("latency", "l2_cycles", gpu.latency.l2_cycles);
  visit("latency", "l2_far_cycles", gpu.latency.l2_far_cycles);
  visit("latency", "dram_cycles", gpu.latency.dram_cycles);
  visit("latency", "clock_mhz", gpu.latency.clock_mhz);
  visit("latency", "launch_overhead_cycles", gpu.latency.launch_overhead_cycles);
}

/// The facts of the GPU itself, then those of its architecture, which its file may override.
template <class Device, class Visit>
void each_fact(Device& gpu, Visit& visit) {
  each_device_fact(gpu, visit);
  each_architecture_fact(gpu.architecture, visit);
}

}  // namespace warpledger
