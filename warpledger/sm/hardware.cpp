#include "warpledger/sm/hardware.h"

namespace warpledger::sm {
namespace {

// A stream finds DRAM slower than a pointer chase does: fitted; 1 to 2 make little difference.
constexpr double kStream = 1.3;
constexpr double kLanes = 32;

template <class T>
double value_or(const Fact<T>& fact, double otherwise) {
  return fact ? static_cast<double>(fact->value) : otherwise;
}

/// Cycles that one warp instruction keeps a sub-partition's share of `lanes` lanes busy.
double interval(const Fact<int64_t>& lanes, double otherwise) {
  return kLanes * kPartitions / value_or(lanes, kLanes * kPartitions / otherwise);
}

void set_latencies(const Gpu& gpu, Hardware& hardware) {
  const LatencyFacts& facts = gpu.latency;
  const double clock = value_or(gpu.clocks.ncu_sm_mhz, value_or(gpu.clocks.base_mhz, 0));
  const double measured = value_or(facts.clock_mhz, clock);
  const double scale = measured > 0 && clock > 0 ? clock / measured : 1;
  const double l2 = value_or(facts.l2_cycles, 0);
  hardware.l1 = value_or(facts.l1_cycles, 0);
  hardware.shared = value_or(facts.smem_cycles, hardware.l1);
  hardware.l2 = hardware.l1 + scale * (l2 - hardware.l1);
  hardware.dram = hardware.l2 + scale * kStream * (value_or(facts.dram_cycles, 0) - l2);
}

void set_pipes(const PipeFacts& facts, Hardware& hardware) {
  hardware.has_two_fma = value_or(facts.fp32_per_clk, 64) >= 128;
  // Where FP32 has two pipes, the one that multiplies integers needs two turns for 64-bit results.
  hardware.wide_multiply = hardware.has_two_fma ? 4 : 2;
  hardware.special = interval(facts.sfu_per_clk, hardware.special);
  hardware.fp64 = interval(facts.fp64_per_clk, hardware.fp64);
  hardware.has_queued_fp64 = value_or(facts.fp64_per_clk, 2) < 16;
  if (!hardware.has_queued_fp64) hardware.fp64_result = 8;
  hardware.tensor_rate = value_or(facts.tensor_mma_sync_fp16_fma_per_clk, 512) / kPartitions;
  hardware.group_rate = value_or(facts.tensor_fp16_fma_per_clk, 2048) / kPartitions;
  hardware.lsu_interval = 1 / value_or(facts.lsu_inst_per_clk, 0.5);
}

/// GeForce cards sum in FP32 at half the rate of FP16 sums; other products of the same chips do not
/// (whitepapers of GA102, AD102 and GB202: RTX 3090 71 of 142 TFLOPS, RTX A6000 155 of 155).
double fp32_sum_share(const Gpu& gpu) {
  return gpu.name.find("GeForce") != std::string::npos ? 0.5 : 1;
}

}  // namespace

std::optional<Hardware> hardware_of(const Gpu& gpu) {
  const LatencyFacts& facts = gpu.latency;
  if (!facts.l1_cycles || !facts.l2_cycles || !facts.dram_cycles) return {};
  Hardware hardware;
  set_latencies(gpu, hardware);
  set_pipes(gpu.architecture.pipes, hardware);
  hardware.tensor_fp32_rate = hardware.tensor_rate * fp32_sum_share(gpu);
  const Fact<std::string>& unit = gpu.architecture.l1.data_wavefront_unit;
  if (unit && unit->value == "tpc") hardware.data_interval = 2;
  return hardware;
}

}  // namespace warpledger::sm
