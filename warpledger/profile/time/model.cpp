#include "warpledger/profile/time/model.h"

#include <algorithm>
#include <cmath>

#include "warpledger/profile/time/dram.h"
#include "warpledger/profile/time/network.h"

namespace warpledger::profile::time {
namespace {

// Warps overlap units, imperfectly. Between 4 and 6 in GPU models (Volkov 2016; Ernst et al.,
// JPDC 2022).
constexpr double kNorm = 5;
// Arriving at a barrier and leaving it, all warps there (20 to 40 cycles in microbenchmarks).
constexpr double kBarrier = 30;
// From the end of a block to the first instruction of the next in its place: SMs that hold one
// block stand idle 185 to 258 cycles between blocks in published reports of an RTX 3080.
constexpr double kBlockStart = 200;
// Caches of code and constants are empty at the start: the first warps wait for DRAM twice, partly
// at once. Launches of one wave on RTX 4090 and A100 take a launch and this longer than their
// blocks.
constexpr double kColdStart = 1.5;

// How much of a phase's service warps that end early miss: half if they ended evenly over it;
// fitted to achieved occupancies of 58 published reports.
constexpr double kEarly = 0.25;

constexpr double kSteady = 1e-9;  // of DRAM's utilization
constexpr double kMega = 1e6;

double value(const Fact<int64_t>& fact) { return fact ? static_cast<double>(fact->value) : 0; }

/// ncu holds the SMs at their base clock; where no report shows it, the file's base clock, else the
/// clock of its latencies.
double sm_megahertz(const Gpu& gpu) {
  if (gpu.clocks.ncu_sm_mhz) return value(gpu.clocks.ncu_sm_mhz);
  if (gpu.clocks.base_mhz) return value(gpu.clocks.base_mhz);
  return value(gpu.latency.clock_mhz);
}

/// Least cycles of the units, as the network's two: per SM, and shared by all.
struct Demands {
  double sm = 0, shared = 0;     // cycles of the launch
  double busiest = 0, dram = 0;  // of one SM unit; of DRAM alone
};

Demands demands_of(const Evidence& e) {
  Demands sums;
  const std::vector<UnitLoad> loads = unit_loads(e);
  for (const UnitLoad& load : loads) {
    if (is_dram(load)) continue;
    const bool shared = find_counter(load.counter)->domain == Domain::kLts;
    (shared ? sums.shared : sums.sm) += std::pow(load.cycles, kNorm);
    if (!shared) sums.busiest = std::max(sums.busiest, load.cycles);
  }
  sums.dram = dram_cycles(e, loads);
  sums.shared += std::pow(sums.dram, kNorm);
  sums.sm = std::pow(sums.sm, 1 / kNorm);
  sums.shared = std::pow(sums.shared, 1 / kNorm);
  return sums;
}

/// The formula of the header. `busiest`: demand of the busiest SM unit per warp.
double delay_of(const Path& path, double warps, double busiest) {
  const double phases = path.barriers + 1;
  const double batches = std::max(1.0, path.waits / phases);
  const double total = path.cycles + path.barriers * kBarrier;
  const double z = total / (phases * batches), d = busiest / (phases * batches);
  return phases * std::max(z, batches * z - (warps - 1) * (batches - 1) * d) + kBlockStart;
}

/// How the blocks of a grid are spread over the SMs.
struct Spread {
  double sms = 0, blocks = 0;
  double warps = 0;       // of a block
  double at_work = 0;     // SMs; unit loads are means over these
  double on_fullest = 0;  // blocks of the SM that has most
  double resident = 0;    // at once, in that SM
};

Spread spread_of(const Profile& profile) {
  Spread s{.sms = static_cast<double>(profile.gpu.sms.value),
           .blocks = static_cast<double>(profile.execution.ctas)};
  s.warps = static_cast<double>(profile.execution.warps) / s.blocks;
  s.at_work = std::min(s.sms, s.blocks);
  s.on_fullest = std::ceil(s.blocks / s.sms);
  const auto fit = static_cast<double>(profile.statistics.blocks_per_sm);
  s.resident = std::max(1.0, std::min(fit, s.on_fullest));
  return s;
}

/// What one block asks: the customer of the network.
struct Customer {
  Path path;                     // of a warp, DRAM idle
  double busy_path = 0;          // cycles that DRAM adds to it when it is busy all the time
  double busiest = 0;            // cycles of the busiest SM unit per warp
  double sm = 0, shared = 0;     // demands, p-norms over the units of an SM and the shared ones
  double dram = 0;               // demand on DRAM alone
  double warps = 0, phases = 0;  // phases: of its service

  /// Cycles in no unit while DRAM is busy for `utilization` of the time.
  [[nodiscard]] double delay(double utilization) const {
    Path loaded = path;
    loaded.cycles += utilization * busy_path;
    return delay_of(loaded, warps, busiest);
  }
};

Customer customer_of(const Evidence& e, const Spread& s, const Path& path,
                     const Latencies& latency) {
  const Demands demands = demands_of(e);
  // The fullest SM's share of what is shared is smaller than its share of blocks.
  const double slots = s.on_fullest * s.sms;
  return {.path = path,
          .busy_path = path.waits * dram_chance(e) * latency.busy * growth_of_latency(e),
          .busiest = demands.busiest * s.at_work / (s.blocks * s.warps),
          .sm = demands.sm * s.at_work / s.blocks,
          .shared = demands.shared / slots,
          .dram = demands.dram / slots,
          .warps = s.warps,
          .phases = std::max(path.barriers + 1, path.waits)};
}

/// The network at the utilization of DRAM that it brings about itself: a busier DRAM answers later,
/// and what is answered later keeps it less busy, so that there is one.
struct Steady {
  Flow flow;
  double delay = 0;
};

Steady steady(double blocks, double sms, const Customer& block) {
  double low = 0, high = block.busy_path > 0 ? 1 : 0;
  Steady made;
  do {
    const double utilization = (low + high) / 2;
    made.delay = block.delay(utilization);
    made.flow = solve({.sms = sms,
                       .customers = blocks,
                       .delay = made.delay,
                       .units = {{"SM", block.sm, false}, {"shared", block.shared, true}}});
    (made.flow.rate * block.dram > utilization ? low : high) = utilization;
  } while (high - low > kSteady);
  return made;
}

/// A number of waves with `blocks` resident in each SM, and what they add up to.
struct Waves {
  double cycles = 0;     // elapsed
  double idle = 0;       // of these, the SM held no block
  double residence = 0;  // warps x cycles

  void add(double waves, double blocks, double sms, const Customer& block) {
    const Steady made = steady(blocks, sms, block);
    const double of_one = made.flow.residence;
    cycles += waves * of_one;
    if (blocks < 1.5) idle += waves * kBlockStart;
    // Warps of a block end while the last phase's work is served, most of them late.
    const double spread = kEarly * std::max(0.0, of_one - made.delay) / block.phases;
    residence += waves * blocks * block.warps * std::max(0.0, of_one - kBlockStart - spread);
  }
};

/// The fullest SM's: whole waves, and one of what is left.
Waves waves_of(const Spread& s, const Customer& block) {
  const double whole = std::floor(s.on_fullest / s.resident);
  const double left = s.on_fullest - whole * s.resident;
  Waves waves;
  waves.add(whole, s.resident, s.sms, block);
  if (left > 0) waves.add(1, left, s.sms, block);
  return waves;
}

void set_cycles(const Waves& waves, const Spread& s, double overhead, Timing& timing) {
  // Other SMs have fewer blocks than the fullest.
  const double share = s.blocks / (s.sms * s.on_fullest);
  timing.elapsed_cycles = std::round(waves.cycles + overhead);
  timing.active_cycles = std::max(1.0, (waves.cycles - waves.idle) * share);
  timing.resident_warps = waves.residence * share / timing.active_cycles;
}

void set_clocks(const Gpu& gpu, double megahertz, Timing& timing) {
  timing.sm_hertz = megahertz * kMega;
  timing.l2_hertz = timing.sm_hertz * gpu.clocks.ncu_l2_ratio->value;
  timing.dram_hertz = dram_megahertz(gpu) * kMega;
}

}  // namespace

double launch_overhead(const Gpu& gpu, const Latencies& latency) {
  return value(gpu.latency.launch_overhead_cycles) + kColdStart * latency.dram;
}

std::optional<Timing> estimate(const Evidence& e) {
  const std::optional<Latencies> latency = latencies(e.profile.gpu);
  if (!latency) return {};
  return estimate(e, path_of(e, *latency));
}

std::optional<Timing> estimate(const Evidence& e, const Path& path) {
  const Gpu& gpu = e.profile.gpu;
  const std::optional<Latencies> latency = latencies(gpu);
  const double megahertz = sm_megahertz(gpu);
  if (!latency || megahertz == 0 || !gpu.clocks.ncu_l2_ratio) return {};
  const Spread spread = spread_of(e.profile);
  const Waves waves = waves_of(spread, customer_of(e, spread, path, *latency));
  Timing timing;
  timing.path_cycles = path.cycles;
  timing.path_waits = path.waits;
  timing.path_barriers = path.barriers;
  timing.dram_latency = latency->dram;
  set_cycles(waves, spread, launch_overhead(gpu, *latency), timing);
  set_clocks(gpu, megahertz, timing);
  return timing;
}

}  // namespace warpledger::profile::time
