#include "interpose/estimate.h"

#include <algorithm>

namespace warpledger::cuda {
namespace {

constexpr double kAssumedOverhead = 2e-6;    // seconds; of GPUs whose file has none
constexpr double kAssumedEfficiency = 0.85;  // of DRAM's peak; likewise
constexpr double kMega = 1e6, kGiga = 1e9;

double value(const Fact<int64_t>& fact) { return fact ? static_cast<double>(fact->value) : 0; }

/// As the time model counts (profile/time/model.cpp): ncu holds the SMs at this clock.
double sm_hertz(const Gpu& gpu) {
  for (const Fact<int64_t>* clock : {&gpu.clocks.ncu_sm_mhz, &gpu.clocks.base_mhz,
                                     &gpu.latency.clock_mhz, &gpu.clocks.boost_mhz}) {
    if (*clock) return value(*clock) * kMega;
  }
  return 0;
}

double bytes_per_second(const Gpu& gpu) {
  const double efficiency =
      gpu.dram.copy_efficiency ? gpu.dram.copy_efficiency->value : kAssumedEfficiency;
  return gpu.dram.peak_gbs ? gpu.dram.peak_gbs->value * kGiga * efficiency : kDeviceBytesPerSecond;
}

double flops_per_second(const Gpu& gpu, MathPipe pipe) {
  const PipeFacts& pipes = gpu.architecture.pipes;
  const Fact<int64_t>& wanted = pipe == MathPipe::kFp64         ? pipes.fp64_per_clk
                                : pipe == MathPipe::kTensorFp16 ? pipes.tensor_fp16_fma_per_clk
                                                                : pipes.fp32_per_clk;
  const double per_clk = wanted ? value(wanted) : value(pipes.fp32_per_clk);
  return 2 * per_clk * static_cast<double>(gpu.sms.value) * sm_hertz(gpu);
}

double quotient(double work, double rate) { return rate > 0 ? work / rate : 0; }

}  // namespace

double estimate_seconds(const Gpu& gpu, const Operator& work) {
  const double clock = sm_hertz(gpu);
  const bool known = gpu.latency.launch_overhead_cycles && clock > 0;
  const double overhead =
      known ? value(gpu.latency.launch_overhead_cycles) / clock : kAssumedOverhead;
  return overhead + std::max(quotient(work.bytes, bytes_per_second(gpu)),
                             quotient(work.flops, flops_per_second(gpu, work.pipe)));
}

Error add_operator(Core& core, Stream& stream, const Operator& work) {
  HostWork node = work.again;
  node.seconds = estimate_seconds(core.gpu(), work);
  node.name = work.name;
  if (stream.capture != nullptr) return core.submit(stream, node);
  if (core.timeline().is_standard(stream)) {
    if (const Error error = core.captures().check_legacy(); error != Error::kNone) return error;
  }
  core.timeline().add(stream, Lane::kKernel, node.seconds, node.name);
  return Error::kNone;
}

}  // namespace warpledger::cuda
