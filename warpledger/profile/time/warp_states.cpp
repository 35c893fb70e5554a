#include "warpledger/profile/time/warp_states.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "warpledger/profile/metrics/units.h"
#include "warpledger/profile/time/accesses.h"
#include "warpledger/profile/time/dram.h"
#include "warpledger/sass/unit.h"

namespace warpledger::profile::time {
namespace {

constexpr double kLeastAwaited = 0.1;  // of all warp cycles: less is not worth a simulation

double at_least_one(double count) { return std::max(1.0, count); }

/// SMs that get a block.
double used_sms(const Evidence& e) {
  return static_cast<double>(
      std::min<uint64_t>(static_cast<uint64_t>(e.profile.gpu.sms.value), e.profile.execution.ctas));
}

/// Blocks of one SM, the fullest. Grids of many waves even out.
void take_launch(const Evidence& e, SmWork& work) {
  constexpr double kManyWaves = 12;
  const Execution& execution = e.profile.execution;
  const auto sms = static_cast<uint64_t>(e.profile.gpu.sms.value);
  const double mean = static_cast<double>(execution.ctas) / static_cast<double>(sms);
  const auto resident =
      static_cast<double>(std::max<int64_t>(1, e.profile.statistics.blocks_per_sm));
  const bool is_even = mean / resident >= kManyWaves;
  const double blocks = is_even ? std::round(mean) : std::ceil(mean);
  work.launch = {
      .warps = static_cast<uint32_t>(execution.warps / std::max<uint64_t>(1, execution.ctas)),
      .resident = static_cast<uint32_t>(std::min(resident, blocks)),
      .blocks = static_cast<uint32_t>(blocks)};
  const auto more = static_cast<double>(execution.ctas % sms) / static_cast<double>(sms);
  if (!is_even && mean > 1 && more > 0) work.fullest = more;
}

/// `endless` grows by the waits that had no end.
sm::States simulated(const SmWork& work, const sm::Program& code, uint64_t& endless) {
  const auto of = [&](const sm::Launch& launch) {
    sm::Seen seen;
    sm::States states = sm::simulate(code, launch, work.rates, work.hardware, {}, &seen);
    endless += seen.endless;
    return states;
  };
  if (work.fullest == 1) return of(work.launch);
  sm::Launch less = work.launch;
  less.resident = std::min(less.resident, --less.blocks);
  return sm::mean_of(of(work.launch), work.fullest, of(less));
}

/// What goes from the SMs to the L2: requests of loads, sectors of writes.
double sent_to_l2(const Evidence& e) {
  uint64_t sent = 0;
  for (size_t i = 0; i < e.counters.sites.size(); ++i) {
    const trace::Site& site = e.profile.instructions[i].site;
    if (!passes_l1_tags(site)) continue;
    const memory::SiteCounters& counters = e.counters.sites[i];
    sent += is_write(site.kind) ? counters.l2_sectors : counters.l2_requests;
  }
  return static_cast<double>(sent);
}

double atomics(const Evidence& e) {
  return static_cast<double>(sum_where(e, [](const trace::Site& site) {
                               return site.space == trace::Space::kGlobal &&
                                      (site.kind == trace::Kind::kReduction ||
                                       site.kind == trace::Kind::kAtomic ||
                                       site.kind == trace::Kind::kCompareSwap);
                             }).request.requests);
}

/// Least cycles of a shared unit over what one SM asks of it.
sm::Rates rates_of(const Evidence& e) {
  const std::vector<UnitLoad> loads = unit_loads(e);
  const auto cycles = [&](std::string_view counter) {
    const auto found = std::find_if(loads.begin(), loads.end(),
                                    [&](const UnitLoad& load) { return load.counter == counter; });
    return found == loads.end() ? 0 : found->cycles;
  };
  const double sms = at_least_one(used_sms(e));
  const memory::L2Counters& l2 = e.counters.l2;
  const auto reads = static_cast<double>(l2.read_sectors) / sms;
  const auto writes = static_cast<double>(l2.write_sectors + l2.atomic_sectors) / sms;
  const auto dram =
      static_cast<double>(e.counters.dram.read_sectors + e.counters.dram.write_sectors) / sms;
  const double sent = at_least_one(sent_to_l2(e) / sms);
  const double tags = cycles("lts__t_sectors") / at_least_one(reads + writes);
  sm::Rates rates;
  rates.l2_read = std::max(tags, cycles("lts__lts2xbar_cycles_active") / at_least_one(reads));
  rates.l2_write = tags;
  rates.dram = dram_cycles(e, loads) / at_least_one(dram);
  rates.path = cycles("l1tex__m_l1tex2xbar_req_cycles_active") / sent;
  rates.l2_input = cycles("lts__xbar2lts_cycles_active") / sent;
  rates.atomic = cycles("lts__hottest_atomic_cycles") / at_least_one(atomics(e) / sms);
  return rates;
}

/// The PTX instruction that each machine instruction was made of; one past the last: none.
std::vector<size_t> places_of(const Profile& profile) {
  std::vector<size_t> places;
  for (const ProgramBlock& block : profile.program)
    for (const ProgramInstruction& instruction : block.code)
      places.push_back(std::min<size_t>(instruction.number, profile.code.size()));
  return places;
}

/// The same of what is awaited where an instruction's result is: behind a group of copies, which
/// its commit stands for, the last of them.
std::vector<size_t> results_of(const Profile& profile, std::vector<size_t> places) {
  size_t i = 0, copy = profile.code.size();
  for (const ProgramBlock& block : profile.program) {
    for (const ProgramInstruction& instruction : block.code) {
      if (instruction.copies == ProgramInstruction::Copies::kStart) copy = places[i];
      const bool closes = instruction.copies == ProgramInstruction::Copies::kCommit;
      if (closes && copy < profile.code.size()) places[i] = copy;
      ++i;
    }
  }
  return places;
}

/// What stood at machine instructions, by the PTX instructions that they were made of.
std::vector<sm::InstructionStates> by_line(const std::vector<size_t>& place,
                                           const std::vector<size_t>& result, size_t others,
                                           const std::vector<sm::InstructionStates>& machine) {
  std::vector<sm::InstructionStates> lines(others + 1);
  std::vector<double> most(others + 1);
  for (size_t i = 0; i < machine.size(); ++i) {
    sm::InstructionStates& line = lines[place[i]];
    for (size_t r = 0; r < sm::kReasons; ++r) line.cycles[r] += machine[i].cycles[r];
    const double here = sm::sum_of(machine[i].cycles);
    if (!machine[i].waited_for || here <= most[place[i]]) continue;
    most[place[i]] = here;
    line.waited_for = static_cast<uint32_t>(result[*machine[i].waited_for]);
  }
  return lines;
}

/// Of machine instructions that synchronize, which of Paths::instructions they do the work of.
std::vector<int32_t> operations_of(const Profile& profile, const sass::KernelWitness& kernel,
                                   const sm::Paths& paths) {
  const std::vector<uint32_t>& known = paths.instructions;
  const std::vector<size_t> places = places_of(profile);
  std::vector<int32_t> made(kernel.code.size(), -1);
  for (size_t i = 0; i < made.size(); ++i) {
    const std::string base = kernel.code[i].base();
    const bool is_tensor = base.starts_with("UTC") && base.ends_with("MMA");
    if (!is_tensor && !sass::is_any(base, {"SYNCS", "UTMALDG", "UBLKCP", "UTCBAR"})) continue;
    const auto found = std::lower_bound(known.begin(), known.end(), places[i]);
    if (found != known.end() && *found == places[i])
      made[i] = static_cast<int32_t>(found - known.begin());
  }
  return made;
}

/// What an instruction set in motion: a result in registers, or products that are a barrier.
double scoreboard_cycles(const sm::InstructionStates& states) {
  return states.cycles[static_cast<size_t>(sm::Reason::kBarrier)] +
         states.cycles[static_cast<size_t>(sm::Reason::kLongScoreboard)] +
         states.cycles[static_cast<size_t>(sm::Reason::kShortScoreboard)];
}

/// The line whose results are awaited longest. Its cycles are left for who simulates again.
std::optional<AwaitedLine> longest_awaited(const Profile& profile,
                                           const std::vector<size_t>& result,
                                           const sm::States& machine) {
  std::map<SourceLine, double> waits;
  for (const sm::InstructionStates& states : machine.instructions) {
    if (!states.waited_for || result[*states.waited_for] == profile.code.size()) continue;
    const SourceLine& source = profile.code[result[*states.waited_for]].source;
    if (source.line != 0) waits[source] += scoreboard_cycles(states);
  }
  const auto most = std::max_element(
      waits.begin(), waits.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const double share = most == waits.end() ? 0 : most->second / sm::sum_of(machine.warps);
  if (share < kLeastAwaited) return {};
  return AwaitedLine{.source = most->first, .share = share};
}

/// The machine instructions whose results are that line's.
std::vector<bool> instructions_of(const Profile& profile, const std::vector<size_t>& result,
                                  const SourceLine& source) {
  std::vector<bool> marked;
  for (const size_t one : result)
    marked.push_back(one < profile.code.size() && profile.code[one].source == source);
  return marked;
}

}  // namespace

std::optional<SmWork> sm_work(const Evidence& evidence, const sass::KernelWitness& kernel,
                              const std::optional<sm::Paths>& paths) {
  const auto hardware = sm::hardware_of(evidence.profile.gpu);
  if (!hardware) return {};
  SmWork work{*hardware, {}, {}, 1, rates_of(evidence)};
  take_launch(evidence, work);
  for (const ProgramBlock& block : evidence.profile.program)
    work.counts.executions.push_back(static_cast<double>(block.executions));
  work.counts.warps = static_cast<double>(evidence.profile.execution.warps);
  work.counts.accesses = accesses_of(evidence, kernel);
  if (!paths || paths->role.size() != work.launch.warps) return work;
  work.counts.paths = paths;
  work.counts.sync = operations_of(evidence.profile, kernel, *paths);
  return work;
}

std::optional<WarpStates> warp_states(const Evidence& evidence, const sass::KernelWitness& kernel,
                                      const std::optional<sm::Paths>& paths) {
  const auto work = sm_work(evidence, kernel, paths);
  if (!work) return {};
  const Profile& profile = evidence.profile;
  const sm::Program program =
      sm::build_program(kernel.code, kernel.blocks, work->counts, work->hardware);
  const std::vector<size_t> place = places_of(profile), result = results_of(profile, place);
  WarpStates made{.has_paths = work->counts.paths.has_value()};
  made.states = simulated(*work, program, made.endless);
  made.awaited = longest_awaited(profile, result, made.states);
  if (made.awaited) {
    const auto marked = instructions_of(profile, result, made.awaited->source);
    uint64_t endless = 0;
    made.awaited->cycles = simulated(*work, sm::without_waits(program, marked), endless).cycles;
  }
  made.states.instructions = by_line(place, result, profile.code.size(), made.states.instructions);
  return made;
}

std::optional<sm::States> machine_states(const Evidence& evidence,
                                         const sass::KernelWitness& kernel) {
  const auto work = sm_work(evidence, kernel);
  if (!work) return {};
  const sm::Program program =
      sm::build_program(kernel.code, kernel.blocks, work->counts, work->hardware);
  uint64_t endless = 0;
  return simulated(*work, program, endless);
}

std::vector<sm::BlockSpan> block_spans(const Evidence& evidence,
                                       const sass::KernelWitness& kernel) {
  constexpr int64_t kTimes = 20;
  const auto work = sm_work(evidence, kernel);
  if (!work) return {};
  const sm::Program program =
      sm::build_program(kernel.code, kernel.blocks, work->counts, work->hardware);
  sm::Effort effort;
  effort.cycles *= kTimes;
  effort.warp_cycles *= kTimes;
  sm::Seen seen;
  static_cast<void>(
      sm::simulate(program, work->launch, work->rates, work->hardware, effort, &seen));
  return seen.spans;
}

}  // namespace warpledger::profile::time
