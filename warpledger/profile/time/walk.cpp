#include "warpledger/profile/time/walk.h"

#include <algorithm>
#include <set>

namespace warpledger::profile::time {
namespace {

using Copies = ProgramInstruction::Copies;
using Result = ProgramInstruction::Result;

// Cycles to a result, on every part since Volta (Jia et al. 2018 and 2019, Luo et al. 2024).
constexpr double kShuffle = 24, kSpecial = 18, kSystem = 24, kConstant = 30, kDouble = 48,
                 kTensor = 33, kOther = 20;
// Until the operands of a memory instruction have been read.
constexpr double kOperands = 12;

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

/// The same, `cycles` later.
void advance(Held& held, double cycles) {
  held.until -= cycles;
  held.loaded_at -= cycles;
}
void advance(State& state, double cycles) {
  for (Held& held : state.scoreboards) advance(held, cycles);
  for (Held& held : state.groups) advance(held, cycles);
  advance(state.open, cycles);
}

}  // namespace

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

void Held::add(double at, const Chances& chances) {
  loaded_at = std::max(loaded_at, at);
  no_l2 *= 1 - chances.l2;
  no_dram *= 1 - chances.dram;
  l2 = std::max(l2, chances.l2);
  dram = std::max(dram, chances.dram);
}

double Held::free_at(const Latencies& latency) const {
  const double answered = loaded_at + latency.l1 + (1 - no_l2) * (latency.l2 - latency.l1) +
                          (1 - no_dram) * (latency.dram - latency.l2);
  return std::max(until, answered);
}

double Held::whole(const Latencies& latency) const {
  return latency.l1 + l2 * (latency.l2 - latency.l1) + dram * (latency.dram - latency.l2);
}

Walker::Walker(const Evidence& evidence, const Latencies& latency)
    : latency_(latency), chances_(all_chances(evidence)), unknown_(misplaced_chances(evidence)) {}

BlockTime Walker::walk(const ProgramBlock& block, const State& before) {
  state_ = before;
  now_ = waits_ = 0;
  BlockTime time;
  for (const ProgramInstruction& instruction : block.code) {
    wait(instruction);
    if (instruction.copies == Copies::kAwait) await_groups(instruction.groups_left);
    issue(instruction);
    time.barriers += instruction.is_barrier ? 1 : 0;
  }
  advance(state_, now_);
  time.cycles = now_;
  time.waits = waits_;
  time.after = state_;
  return time;
}

/// For the slowest of its scoreboards.
void Walker::wait(const ProgramInstruction& instruction) {
  Held slowest;
  for (size_t i = 0; i < state_.scoreboards.size(); ++i) {
    if ((instruction.waits >> i & 1) == 0) continue;
    Held& held = state_.scoreboards[i];
    if (held.free_at(latency_) > slowest.free_at(latency_)) slowest = held;
    held = {};
  }
  wait_for(slowest);
}

/// Groups end in the order of their commits.
void Walker::await_groups(size_t left) {
  for (; state_.groups.size() > left; state_.groups.pop_front()) wait_for(state_.groups.front());
}

void Walker::wait_for(const Held& held) {
  const double until = std::max(now_, held.free_at(latency_));
  if (held.has_loads()) waits_ += (until - now_) / held.whole(latency_);
  now_ = until;
}

void Walker::issue(const ProgramInstruction& instruction) {
  if (instruction.sets < state_.scoreboards.size()) {
    Held& held = state_.scoreboards[instruction.sets];
    if (instruction.result == Result::kFar) {
      held.add(now_, chances_of_access(instruction.number));
    } else {
      held.until = std::max(held.until, now_ + latency_of(instruction.result));
    }
  }
  if (instruction.reads < state_.scoreboards.size()) {
    Held& held = state_.scoreboards[instruction.reads];
    held.until = std::max(held.until, now_ + kOperands);
  }
  note_copies(instruction);
  now_ += instruction.stall;
}

void Walker::note_copies(const ProgramInstruction& instruction) {
  if (instruction.copies == Copies::kStart)
    state_.open.add(now_, chances_of_access(instruction.number));
  if (instruction.copies != Copies::kCommit) return;
  state_.groups.push_back(state_.open);
  state_.open = {};
}

/// Of a load that no access stands for: a copy that never ran, or a texture's.
Chances Walker::chances_of_access(uint32_t number) const {
  const auto found = chances_.find(number);
  return found == chances_.end() ? unknown_ : found->second;
}

double Walker::latency_of(Result result) const {
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

}  // namespace warpledger::profile::time
