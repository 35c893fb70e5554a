// The SM's pipes under ncu's names, and the throughput that is made of them. Cycles per instruction
// follow from lanes per clock (CUDA guide, arithmetic throughput); pipes.h says which instruction
// runs where. Names that ncu does not have end in words of ours.
#include <cmath>

#include "warpledger/profile/metrics/metric.h"
#include "warpledger/profile/metrics/pipes.h"

namespace warpledger::profile {
namespace {

constexpr double kWarp = 32;

template <class T>
double known(const Fact<T>& fact, double otherwise) {
  return fact ? static_cast<double>(fact->value) : otherwise;
}

using Lanes = double (*)(const PipeFacts&);

double integer_lanes(const PipeFacts& pipes) { return known(pipes.int32_per_clk, 64); }
double single_lanes(const PipeFacts& pipes) { return known(pipes.fp32_per_clk, 64); }
double double_lanes(const PipeFacts& pipes) { return known(pipes.fp64_per_clk, 2); }
double special_lanes(const PipeFacts& pipes) { return known(pipes.sfu_per_clk, 16); }

/// Cycles of the FMA pipe in each SM, summed: where FP32 has twice the lanes of integers,
/// multiplies find only half of them.
double fma_cycles(const PipeWork& work, const PipeFacts& pipes) {
  const auto single = static_cast<double>(work.fma), multiply = static_cast<double>(work.multiply);
  const auto wide = static_cast<double>(work.wide_multiply);
  if (single_lanes(pipes) <= integer_lanes(pipes)) {
    return (single + multiply + wide) * kWarp / single_lanes(pipes);
  }
  return (single + multiply + 2 * wide) * kWarp / single_lanes(pipes);
}

double heavy_cycles(const PipeWork& work, const PipeFacts& pipes) {
  if (single_lanes(pipes) <= integer_lanes(pipes)) return 0;
  const auto multiply = static_cast<double>(work.multiply);
  return (multiply + 2 * static_cast<double>(work.wide_multiply)) * kWarp / integer_lanes(pipes);
}

Fidelity fidelity_of(const Evidence& e) {
  return e.profile.machine ? e.profile.machine->fidelity : Fidelity::kModelled;
}

/// `cycles(work, pipes)`, summed over SMs, against one a clock. Work for a pipe that the GPU does
/// not have is not modelled.
template <class Cycles>
void add_cycles(Catalogue& catalogue, const char* base, Cycles cycles) {
  catalogue.counters.push_back({.base = base,
                                .unit = "cycle",
                                .sum =
                                    [cycles](const Evidence& e) {
                                      const double sum = cycles(pipe_work(e.profile),
                                                                e.profile.gpu.architecture.pipes);
                                      if (!std::isfinite(sum)) return not_modelled();
                                      return Value{.raw = sum, .fidelity = Fidelity::kModelled};
                                    },
                                .peak = [](const Gpu&) { return 1.0; }});
}

/// Instructions, against what the pipe takes in a clock. Only the machine code tells them.
template <class Count>
void add_instructions(Catalogue& catalogue, const char* base, Count count, Lanes lanes) {
  catalogue.counters.push_back(
      {.base = base,
       .unit = "inst",
       .sum =
           [count](const Evidence& e) {
             if (!e.profile.machine) return not_modelled();
             return Value{.raw = static_cast<int64_t>(count(e.profile.machine->pipes)),
                          .fidelity = fidelity_of(e)};
           },
       .peak = [lanes](const Gpu& gpu) { return lanes(gpu.architecture.pipes) / kWarp; }});
}

double two_instructions(const PipeFacts&) { return 2 * kWarp; }

}  // namespace

void add_pipe_metrics(Catalogue& catalogue) {
  add_instructions(
      catalogue, "sm__inst_executed_pipe_alu", [](const PipeWork& w) { return w.alu; },
      integer_lanes);
  add_instructions(
      catalogue, "sm__inst_executed_pipe_fma",
      [](const PipeWork& w) { return w.fma + w.multiply + w.wide_multiply; }, single_lanes);
  add_instructions(
      catalogue, "sm__inst_executed_pipe_xu", [](const PipeWork& w) { return w.xu; },
      special_lanes);
  add_instructions(
      catalogue, "sm__inst_executed_pipe_fp64", [](const PipeWork& w) { return w.fp64; },
      double_lanes);
  add_instructions(
      catalogue, "sm__inst_executed_pipe_uniform", [](const PipeWork& w) { return w.uniform; },
      two_instructions);
  add_cycles(catalogue, "sm__pipe_alu_cycles_active", [](const PipeWork& w, const PipeFacts& f) {
    return static_cast<double>(w.alu) * kWarp / integer_lanes(f);
  });
  add_cycles(catalogue, "sm__pipe_fma_cycles_active", fma_cycles);
  add_cycles(catalogue, "sm__pipe_integer_multiply_cycles", heavy_cycles);
  add_cycles(catalogue, "sm__pipe_xu_cycles", [](const PipeWork& w, const PipeFacts& f) {
    return static_cast<double>(w.xu) * kWarp / special_lanes(f);
  });
  add_cycles(catalogue, "sm__pipe_fp64_cycles_active", [](const PipeWork& w, const PipeFacts& f) {
    return static_cast<double>(w.fp64) * kWarp / double_lanes(f);
  });
  add_cycles(catalogue, "sm__pipe_tensor_cycles_active", [](const PipeWork& w, const PipeFacts& f) {
    if (w.tensor == 0) return 0.0;
    return static_cast<double>(w.tensor) / known(f.tensor_mma_sync_fp16_fma_per_clk, 512);
  });
  // Half a clock each on sm_75 to sm_89; barriers two (their share of the ADU pipe).
  add_cycles(catalogue, "sm__pipe_uniform_cycles", [](const PipeWork& w, const PipeFacts&) {
    return static_cast<double>(w.uniform) / 2;
  });
  add_cycles(catalogue, "sm__pipe_barrier_cycles", [](const PipeWork& w, const PipeFacts&) {
    return 2 * static_cast<double>(w.barriers);
  });
}

}  // namespace warpledger::profile
