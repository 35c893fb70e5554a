// The SM's pipes under ncu's names, and the throughput that is made of them. Cycles per instruction
// follow from lanes per clock (CUDA guide, arithmetic throughput); pipes.h says which instruction
// runs where. Names that ncu does not have end in words of ours.
#include <cmath>

#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"
#include "warpledger/profile/metrics/pipes.h"

namespace warpledger::profile {
namespace {

constexpr int kWarp = 32;

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

constexpr const char* kByPipe = "the profile does not keep pipes by instruction";

/// Warp instructions of a pipe, of the machine code or, without it, of the PTX (pipes.h).
Term work(const char* name, uint64_t PipeWork::*count) {
  return Input{.name = name,
               .value =
                   [count](const Evidence& e) {
                     return Value{.raw = static_cast<double>(pipe_work(e.profile).*count)};
                   },
               .rest = kByPipe};
}

/// The same where machine code tells; nothing without it.
Term machine_work(const char* name, uint64_t PipeWork::*count) {
  return Input{.name = name,
               .value =
                   [count](const Evidence& e) {
                     if (!e.profile.machine) return not_modeled();
                     return Value{.raw = static_cast<int64_t>(e.profile.machine->pipes.*count),
                                  .fidelity = e.profile.machine->fidelity};
                   },
               .rest = kByPipe};
}

/// `cycles(work, pipes)`, summed over SMs. Work for a pipe that the GPU does not have is not
/// modeled.
Term work(const char* words, double (*cycles)(const PipeWork&, const PipeFacts&)) {
  return Input{.name = words,
               .value =
                   [cycles](const Evidence& e) {
                     const double sum =
                         cycles(pipe_work(e.profile), e.profile.gpu.architecture.pipes);
                     if (!std::isfinite(sum)) return not_modeled();
                     return Value{.raw = sum};
                   },
               .rest = kByPipe};
}

/// 32 lanes of an instruction over the lanes of the pipe.
Term cycles_of(const Term& instructions, const char* name, Lanes lanes) {
  return Term::quotient(instructions * kWarp, fact(name, [lanes](const Gpu& gpu) {
                          return lanes(gpu.architecture.pipes);
                        }));
}

/// Against one a clock.
void add_cycles(Catalog& catalog, const char* base, const Term& cycles) {
  catalog.counters.push_back(
      {.base = base, .unit = "cycle", .sum = cycles, .peak = [](const Gpu&) { return 1.0; }});
}

/// Instructions, against what the pipe takes in a clock. Only the machine code tells them.
void add_instructions(Catalog& catalog, const char* base, const Term& count, Lanes lanes) {
  catalog.counters.push_back(
      {.base = base, .unit = "inst", .sum = count, .peak = [lanes](const Gpu& gpu) {
         return lanes(gpu.architecture.pipes) / kWarp;
       }});
}

double two_instructions(const PipeFacts&) { return 2 * kWarp; }

double tensor_cycles(const PipeWork& work, const PipeFacts& pipes) {
  if (work.tensor == 0) return 0.0;
  return static_cast<double>(work.tensor) / known(pipes.tensor_mma_sync_fp16_fma_per_clk, 512);
}

}  // namespace

void add_pipe_metrics(Catalog& catalog) {
  add_instructions(catalog, "sm__inst_executed_pipe_alu",
                   machine_work("machine instructions of the ALU pipe", &PipeWork::alu),
                   integer_lanes);
  add_instructions(catalog, "sm__inst_executed_pipe_fma",
                   machine_work("FP32 machine instructions", &PipeWork::fma) +
                       machine_work("integer multiplies", &PipeWork::multiply) +
                       machine_work("wide integer multiplies", &PipeWork::wide_multiply),
                   single_lanes);
  add_instructions(catalog, "sm__inst_executed_pipe_xu",
                   machine_work("machine instructions of the XU pipe", &PipeWork::xu),
                   special_lanes);
  add_instructions(catalog, "sm__inst_executed_pipe_fp64",
                   machine_work("machine instructions of the FP64 pipe", &PipeWork::fp64),
                   double_lanes);
  add_instructions(catalog, "sm__inst_executed_pipe_uniform",
                   machine_work("machine instructions of the uniform pipe", &PipeWork::uniform),
                   two_instructions);
  add_cycles(catalog, "sm__pipe_alu_cycles_active",
             cycles_of(work("instructions of the ALU pipe", &PipeWork::alu),
                       "integer lanes of an SM", integer_lanes));
  add_cycles(catalog, "sm__pipe_fma_cycles_active",
             work("(FP32 instructions + integer multiplies + wide ones, twice where FP32 has more "
                  "lanes than integers) x 32 / FP32 lanes of an SM",
                  fma_cycles));
  add_cycles(
      catalog, "sm__pipe_integer_multiply_cycles",
      work("(integer multiplies + 2 x wide ones) x 32 / integer lanes of an SM; 0 where FP32 "
           "has no more lanes than integers",
           heavy_cycles));
  add_cycles(catalog, "sm__pipe_xu_cycles",
             cycles_of(work("instructions of the XU pipe", &PipeWork::xu), "XU lanes of an SM",
                       special_lanes));
  add_cycles(catalog, "sm__pipe_fp64_cycles_active",
             cycles_of(work("instructions of the FP64 pipe", &PipeWork::fp64),
                       "FP64 lanes of an SM", double_lanes));
  add_cycles(
      catalog, "sm__pipe_tensor_cycles_active",
      work("multiply-adds of mma.sync and wmma, weighed as FP16 / FP16 multiply-adds per clock "
           "of an SM",
           tensor_cycles));
  // Half a clock each on sm_75 to sm_89; barriers two (their share of the ADU pipe).
  add_cycles(catalog, "sm__pipe_uniform_cycles",
             Term::quotient(work("instructions of the uniform pipe", &PipeWork::uniform), 2));
  add_cycles(catalog, "sm__pipe_barrier_cycles", 2 * work("barriers", &PipeWork::barriers));
}

}  // namespace warpledger::profile
