#include "warpledger/profile/time/path.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "warpledger/profile/time/walk.h"

namespace warpledger::profile::time {
namespace {

// The L2's clock over the SM's where nothing slows either down: 0.943 to 0.957 on V100, GTX 1660
// SUPER, A100 and RTX 3080 (published ncu reports). Latencies were measured at such clocks.
constexpr double kL2Ratio = 0.95;
// Streams find an idle DRAM slower than a pointer chase does: 1.0 to 1.4 times beyond the L2 in
// RRZE's gpu-stream with one warp a block.
constexpr double kStream = 1.2;
// From an instruction to one that needs it, without machine code: 4 on every part since Volta.
constexpr double kIssueLatency = 4;
constexpr int kPasses = 3;

double value(const Fact<int64_t>& fact) { return fact ? static_cast<double>(fact->value) : 0; }

/// At least one of `n` independent things of probability `p`.
double any(double p, double n) { return 1 - std::pow(1 - std::clamp(p, 0.0, 1.0), n); }

/// The predecessors from which warps come most often; the block itself where it is a loop. A block
/// with one successor sends all of its warps there; the others send the rest.
std::vector<std::optional<uint32_t>> usual_predecessors(const Program& program) {
  std::vector<uint32_t> successors(program.size());
  for (const ProgramBlock& block : program)
    for (const uint32_t from : block.predecessors) successors[from] += block.executions > 0;
  std::vector<std::optional<uint32_t>> usual(program.size());
  for (size_t i = 0; i < program.size(); ++i) {
    uint64_t rest = program[i].executions, most = 0;
    for (const uint32_t from : program[i].predecessors)
      if (successors[from] == 1) rest -= std::min(rest, program[from].executions);
    for (const uint32_t from : program[i].predecessors) {
      const uint64_t all = program[from].executions;
      const uint64_t sent = successors[from] == 1 ? all : std::min(rest, all);
      if (sent > most) usual[i] = from;
      most = std::max(most, sent);
    }
  }
  return usual;
}

/// The most groups of copies that a wait leaves under way.
int most_groups_left(const Program& program) {
  int most = 0;
  for (const ProgramBlock& block : program)
    for (const ProgramInstruction& one : block.code)
      if (one.copies == ProgramInstruction::Copies::kAwait)
        most = std::max<int>(most, one.groups_left);
  return most;
}

/// Of each block in its steady state. A wait that leaves n groups finds them there for n trips and
/// waits in the next: the mean of n + 1 trips.
std::vector<BlockTime> steady_times(const Evidence& e, const Latencies& latency) {
  const Program& program = e.profile.program;
  Walker walker(e, latency);
  std::vector<BlockTime> last(program.size()), mean(program.size());
  const std::vector<std::optional<uint32_t>> from = usual_predecessors(program);
  const int trips = most_groups_left(program) + 1;
  for (int pass = 0; pass < kPasses - 1 + trips; ++pass) {
    for (size_t i = 0; i < program.size(); ++i) {
      if (program[i].executions == 0) continue;
      last[i] = walker.walk(program[i], from[i] ? last[*from[i]].after : State{});
      if (pass < kPasses - 1) continue;
      mean[i].cycles += last[i].cycles / trips;
      mean[i].waits += last[i].waits / trips;
      mean[i].barriers = last[i].barriers;
    }
  }
  return mean;
}

Path path_of_program(const Evidence& e, const Latencies& latency, double warps) {
  const Program& program = e.profile.program;
  const std::vector<BlockTime> times = steady_times(e, latency);
  Path path;
  for (size_t i = 0; i < program.size(); ++i) {
    const double times_run = static_cast<double>(program[i].executions) / warps;
    path.cycles += times_run * times[i].cycles;
    path.waits += times_run * times[i].waits;
    path.barriers += times_run * times[i].barriers;
  }
  return path;
}

/// What a warp waits for.
memory::SiteCounters far_loads(const Evidence& e) {
  return sum_where(e, [](const trace::Site& site) {
    return is_far(site) &&
           (site.kind == trace::Kind::kLoad || site.kind == trace::Kind::kAtomic ||
            site.kind == trace::Kind::kCompareSwap || site.kind == trace::Kind::kAsyncCopy);
  });
}

/// Without machine code: batches of loads that are in flight together, as the PTX shows them.
Path path_of_ptx(const Evidence& e, const Latencies& latency, double warps) {
  const Execution& execution = e.profile.execution;
  Path path{.cycles = static_cast<double>(execution.warp_instructions) / warps * kIssueLatency,
            .waits = execution.batches,
            .barriers = static_cast<double>(execution.barriers) / warps};
  const memory::SiteCounters loads = far_loads(e);
  if (loads.request.requests == 0 || path.waits == 0) return path;
  const Chances chances = chances_of(loads, trace::Kind::kLoad);
  const double in_batch =
      std::max(1.0, static_cast<double>(loads.request.requests) / (path.waits * warps));
  path.cycles += path.waits * (latency.l1 + any(chances.l2, in_batch) * (latency.l2 - latency.l1) +
                               any(chances.dram, in_batch) * (latency.dram - latency.l2));
  return path;
}

}  // namespace

std::optional<Latencies> latencies(const Gpu& gpu) {
  const LatencyFacts& facts = gpu.latency;
  if (!facts.l1_cycles || !facts.l2_cycles || !facts.dram_cycles) return {};
  const double l1 = value(facts.l1_cycles), l2 = value(facts.l2_cycles);
  const double measured = value(facts.clock_mhz), clock = value(gpu.clocks.ncu_sm_mhz);
  const double in_time = measured > 0 && clock > 0 ? clock / measured : 1;
  const double with_l2 = gpu.clocks.ncu_l2_ratio ? kL2Ratio / gpu.clocks.ncu_l2_ratio->value : 1;
  Latencies result{.shared = value(facts.smem_cycles), .l1 = l1};
  if (result.shared == 0) result.shared = l1;
  result.l2 = l1 + with_l2 * (l2 - l1);
  const double beyond = std::midpoint(in_time, with_l2) * (value(facts.dram_cycles) - l2);
  result.dram = result.l2 + kStream * beyond;
  result.busy = beyond;
  return result;
}

Path path_of(const Timing& timing) {
  return {
      .cycles = timing.path_cycles, .waits = timing.path_waits, .barriers = timing.path_barriers};
}

double dram_chance(const Evidence& evidence) {
  const memory::SiteCounters loads = far_loads(evidence);
  return loads.request.requests == 0 ? 0 : chances_of(loads, trace::Kind::kLoad).dram;
}

double mean_wait(const Evidence& evidence, const Latencies& latency) {
  const memory::SiteCounters loads = far_loads(evidence);
  if (loads.request.requests == 0) return 0;
  const Chances chances = chances_of(loads, trace::Kind::kLoad);
  return latency.l1 + chances.l2 * (latency.l2 - latency.l1) +
         chances.dram * (latency.dram - latency.l2);
}

Path path_of(const Evidence& evidence, const Latencies& latency) {
  const double warps = std::max<double>(1, static_cast<double>(evidence.profile.execution.warps));
  return evidence.profile.program.empty() ? path_of_ptx(evidence, latency, warps)
                                          : path_of_program(evidence, latency, warps);
}

}  // namespace warpledger::profile::time
