#include "warpledger/profile/time/path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "warpledger/sass/code.h"

namespace warpledger::profile::time {
namespace {

using Result = ProgramInstruction::Result;

// Cycles to a result, on every part since Volta (Jia et al. 2018 and 2019, Luo et al. 2024).
constexpr double kShuffle = 24, kSpecial = 18, kSystem = 24, kConstant = 30, kDouble = 48,
                 kTensor = 33, kOther = 20;
// Until the operands of a memory instruction have been read.
constexpr double kOperands = 12;
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

/// Chances that a load goes on to the L2, and to DRAM.
struct Chances {
  double l2 = 0, dram = 0;
};

Chances chances_of(const memory::SiteCounters& site, trace::Kind kind) {
  const auto requests = static_cast<double>(site.request.requests);
  const bool passes = kind == trace::Kind::kAtomic || kind == trace::Kind::kCompareSwap;
  Chances chances;
  chances.l2 = passes ? 1 : std::min(1.0, static_cast<double>(site.l2_requests) / requests);
  if (site.l2_sectors > 0) {
    chances.dram = chances.l2 * std::min(1.0, static_cast<double>(site.dram_read_sectors) /
                                                  static_cast<double>(site.l2_sectors));
  }
  return chances;
}

std::map<uint32_t, Chances> all_chances(const Evidence& e) {
  std::map<uint32_t, Chances> all;
  for (size_t i = 0; i < e.counters.sites.size(); ++i) {
    const trace::Site& site = e.profile.instructions[i].site;
    if (!is_far(site) || e.counters.sites[i].request.requests == 0) continue;
    // No load waits for a spilled register's store, whatever line it stands at.
    if (e.profile.instructions[i].is_spill && site.kind == trace::Kind::kStore) continue;
    const Chances here = chances_of(e.counters.sites[i], site.kind);
    Chances& known = all[site.instruction];
    known = {std::max(known.l2, here.l2), std::max(known.dram, here.dram)};
  }
  return all;
}

/// Of texture reads that no far machine instruction is said to stand for: ptxas gives TEX the line
/// of a neighbor that computes its coordinates, so that they are some TEX elsewhere.
Chances misplaced_chances(const Evidence& e) {
  std::set<uint32_t> known;
  for (const ProgramBlock& block : e.profile.program)
    for (const ProgramInstruction& one : block.code)
      if (one.result == Result::kFar) known.insert(one.number);
  const memory::SiteCounters sum = sum_where(e, [&](const trace::Site& site) {
    return passes_texture_unit(site) && effect_of(site) == trace::Effect::kRead &&
           !known.contains(site.instruction);
  });
  return sum.request.requests == 0 ? Chances{} : chances_of(sum, trace::Kind::kLoad);
}

/// What a scoreboard is held by: results at a known time, and loads.
struct Held {
  double until = -1e9;            // known results
  double loaded_at = -1e9;        // the last load's issue
  double no_l2 = 1, no_dram = 1;  // chances that no load goes there
  double l2 = 0, dram = 0;        // the largest of one load

  void add(double at, const Chances& chances) {
    loaded_at = std::max(loaded_at, at);
    no_l2 *= 1 - chances.l2;
    no_dram *= 1 - chances.dram;
    l2 = std::max(l2, chances.l2);
    dram = std::max(dram, chances.dram);
  }
  [[nodiscard]] bool has_loads() const { return loaded_at > -1e8; }
  [[nodiscard]] double free_at(const Latencies& latency) const {
    const double answered = loaded_at + latency.l1 + (1 - no_l2) * (latency.l2 - latency.l1) +
                            (1 - no_dram) * (latency.dram - latency.l2);
    return std::max(until, answered);
  }
};
using State = std::array<Held, sass::Control::kScoreboards>;

struct BlockTime {
  double cycles = 0, waits = 0, barriers = 0;
  State after = {};  // times from its end
};

class Walker {
 public:
  Walker(const Evidence& evidence, const Latencies& latency)
      : latency_(latency), chances_(all_chances(evidence)), unknown_(misplaced_chances(evidence)) {}

  BlockTime walk(const ProgramBlock& block, const State& before) {
    state_ = before;
    now_ = 0;
    BlockTime time;
    for (const ProgramInstruction& instruction : block.code) {
      wait(instruction, time);
      issue(instruction);
      time.barriers += instruction.is_barrier ? 1 : 0;
    }
    for (Held& held : state_) {
      held.until -= now_;
      held.loaded_at -= now_;
    }
    time.cycles = now_;
    time.after = state_;
    return time;
  }

 private:
  void wait(const ProgramInstruction& instruction, BlockTime& time) {
    double until = now_;
    const Held* slowest = nullptr;
    for (size_t i = 0; i < state_.size(); ++i) {
      if ((instruction.waits >> i & 1) == 0) continue;
      const double free = state_[i].free_at(latency_);
      if (free > until) {
        until = free;
        slowest = &state_[i];
      }
    }
    if (slowest && slowest->has_loads()) time.waits += (until - now_) / whole(*slowest);
    for (size_t i = 0; i < state_.size(); ++i) {
      if (instruction.waits >> i & 1) state_[i] = {};
    }
    now_ = until;
  }
  [[nodiscard]] double whole(const Held& held) const {
    return latency_.l1 + held.l2 * (latency_.l2 - latency_.l1) +
           held.dram * (latency_.dram - latency_.l2);
  }

  void issue(const ProgramInstruction& instruction) {
    if (instruction.sets < state_.size()) {
      Held& held = state_[instruction.sets];
      if (instruction.result == Result::kFar) {
        const auto found = chances_.find(instruction.number);
        // A load that no access stands for: a copy that never ran, or a texture's.
        held.add(now_, found == chances_.end() ? unknown_ : found->second);
      } else {
        held.until = std::max(held.until, now_ + latency_of(instruction.result));
      }
    }
    if (instruction.reads < state_.size()) {
      Held& held = state_[instruction.reads];
      held.until = std::max(held.until, now_ + kOperands);
    }
    now_ += instruction.stall;
  }
  [[nodiscard]] double latency_of(Result result) const {
    switch (result) {
      case Result::kShared:
        return latency_.shared;
      case Result::kShuffle:
        return kShuffle;
      case Result::kSpecial:
        return kSpecial;
      case Result::kSystem:
        return kSystem;
      case Result::kConstant:
        return kConstant;
      case Result::kDouble:
        return kDouble;
      case Result::kTensor:
        return kTensor;
      case Result::kFar:
      case Result::kFixed:
        return kOther;
    }
    return kOther;
  }

  Latencies latency_;
  std::map<uint32_t, Chances> chances_;
  Chances unknown_;
  State state_ = {};
  double now_ = 0;
};

/// The predecessor that runs most often; the block itself where it is a loop.
std::optional<uint32_t> usual_predecessor(const Program& program, const ProgramBlock& block) {
  std::optional<uint32_t> best;
  for (const uint32_t one : block.predecessors) {
    if (program[one].executions == 0) continue;
    if (!best || program[one].executions > program[*best].executions) best = one;
  }
  return best;
}

Path path_of_program(const Evidence& e, const Latencies& latency, double warps) {
  const Program& program = e.profile.program;
  Walker walker(e, latency);
  std::vector<BlockTime> times(program.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    for (size_t i = 0; i < program.size(); ++i) {
      if (program[i].executions == 0) continue;
      const auto from = usual_predecessor(program, program[i]);
      times[i] = walker.walk(program[i], from ? times[*from].after : State{});
    }
  }
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
