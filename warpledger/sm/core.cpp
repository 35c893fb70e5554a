// Time, blocks and the choice of the schedulers. What a warp waits for: core_state.cpp; what its
// instruction does: core_issue.cpp.
#include "warpledger/sm/core.h"

#include <algorithm>

namespace warpledger::sm {

Core::Core(const Program& program, const Launch& launch, const Rates& rates,
           const Hardware& hardware)
    : program_(program),
      launch_(launch),
      hardware_(hardware),
      port_(hardware, rates),
      code_(hardware, program.code.size()),
      constants_(hardware, program.constant_lines),
      warps_(size_t{launch.warps} * launch.resident),
      blocks_(launch.resident),
      shares_(program.blocks.size(), 0.5) {
  tally_.instructions.resize(program.code.size());
  tally_.waited_for.resize(program.code.size());
  for (uint32_t i = 0; i < warps_.size(); ++i) {
    schedulers_[i % kPartitions].warps.push_back(i);
    warps_[i].trips.resize(program.blocks.size());
  }
  for (uint32_t i = 0; i < blocks_.size(); ++i)
    blocks_[i].starts_at = static_cast<int64_t>(i * hardware.block_interval);
}

bool Core::advance() {
  start_blocks();
  take_arrivals();
  take_releases();
  seen_.clear();
  int64_t next = port_.next_change(now_);
  if (!arrivals_.empty()) next = std::min(next, arrivals_.top().time);
  for (const ThreadBlock& block : blocks_)
    if (block.starts_at > now_ && started_ < launch_.blocks) next = std::min(next, block.starts_at);
  for (uint32_t partition = 0; partition < kPartitions; ++partition) run_scheduler(partition, next);
  if (finished_ >= launch_.blocks) return false;
  if (next == INT64_MAX) next = break_deadlock();
  next = std::max(next, now_ + 1);
  const auto cycles = static_cast<double>(next - now_);
  for (const auto& [instruction, reason] : seen_)
    tally_.instructions[instruction][static_cast<size_t>(reason)] += cycles;
  warp_cycles_ += cycles * static_cast<double>(seen_.size());
  tally_.active_cycles += cycles * active_ / kPartitions;
  tally_.cycles += cycles;
  now_ = next;
  return true;
}

/// Warps that meet in truth may go separate ways on a mean path, and a barrier wait for nobody. A
/// recorded path may be left, too, where operations do not tell branches apart.
int64_t Core::break_deadlock() {
  if (end_endless_waits()) return now_ + 1;
  for (Warp& warp : warps_) {
    if (!warp.is_alive || !warp.is_at_barrier) continue;
    warp.held_until = warp.known_until = now_ + 1;
  }
  for (ThreadBlock& block : blocks_) block.arrived = {};
  return now_ + 1;
}

void Core::start_blocks() {
  for (uint32_t place = 0; place < blocks_.size(); ++place)
    if (blocks_[place].starts_at <= now_ && started_ < launch_.blocks) start(place);
}

void Core::start(uint32_t place) {
  blocks_[place] = {.is_alive = true, .warps = launch_.warps, .running = launch_.warps};
  blocks_[place].number = started_;
  blocks_[place].started_at = now_;
  blocks_[place].barriers.resize(program_.barriers);
  for (uint32_t i = 0; i < launch_.warps; ++i) {
    Warp& old = warps_[place * launch_.warps + i];
    std::fill(old.trips.begin(), old.trips.end(), 0.0F);
    Warp warp{.is_alive = true, .life = old.life + 1, .block = place, .number = i};
    warp.trips = std::move(old.trips);
    warp.next = program_.blocks_of(i).front().first;
    warp.stall_until = now_ + i / kPartitions + static_cast<int64_t>(hardware_.start_wait);
    warp.branch_until = warp.stall_until + static_cast<int64_t>(hardware_.start_branch);
    warp.fetch_until = warp.branch_until + static_cast<int64_t>(hardware_.start_fetch);
    warp.dispatch_until = warp.fetch_until + static_cast<int64_t>(hardware_.start_dispatch);
    old = std::move(warp);
  }
  ++started_;
}

void Core::end(Warp& warp) {
  warp.is_alive = false;
  ThreadBlock& block = blocks_[warp.block];
  if (--block.warps > 0) return;
  ++finished_;
  spans_.push_back({block.number, warp.block, block.started_at, now_});
  block.is_alive = false;
  block.starts_at = now_ + static_cast<int64_t>(hardware_.block_delay);
}

void Core::take_releases() {
  released_.clear();
  port_.advance(now_, released_);
  for (const Release& release : released_) {
    Warp& warp = warps_[release.warp];
    if (warp.is_alive && warp.life == release.life) this->release(release, warp);
  }
}

void Core::release(const Release& release, Warp& warp) {
  if (release.ends) --warp.outstanding;
  if (release.scoreboard < kScoreboards) {
    uint16_t& count = (release.is_far ? warp.far : warp.near)[release.scoreboard];
    if (count > 0) --count;
  }
  if (release.is_copy) finish_copy(warp);
  if (warp.known_until != Warp::kUntilTold || warp.is_at_barrier) return;
  warp.known_until = 0;
  if (warp.waits_for == kNone) return;
  // Who waits for an mbarrier waits for what ends its phase.
  const uint32_t whom = release.cause == kNone ? warp.waits_for : release.cause;
  note_wait(warp, whom, static_cast<double>(now_ - warp.waits_since));
  warp.waits_for = kNone;
}

void Core::note_wait(const Warp& warp, uint32_t whom, double cycles) {
  auto& list = tally_.waited_for[warp.next];
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.first == whom; });
  if (found == list.end()) {
    list.emplace_back(whom, cycles);
  } else {
    found->second += cycles;
  }
}

/// Copies are counted to the oldest group that is not complete: they end nearly in order.
void Core::finish_copy(Warp& warp) {
  for (Warp::Group& group : warp.groups) {
    if (group.copies == 0) continue;
    --group.copies;
    break_groups(warp);
    return;
  }
  if (warp.copies > 0) --warp.copies;
}

void Core::break_groups(Warp& warp) {
  while (!warp.groups.empty() && warp.groups.front().copies == 0) {
    const uint8_t scoreboard = warp.groups.front().scoreboard;
    if (scoreboard < kScoreboards && warp.far[scoreboard] > 0) --warp.far[scoreboard];
    warp.groups.pop_front();
  }
}

void Core::run_scheduler(uint32_t partition, int64_t& next) {
  Scheduler& scheduler = schedulers_[partition];
  eligible_.clear();
  const size_t first = seen_.size();
  bool is_active = false;
  for (const uint32_t place : scheduler.warps) {
    Warp& warp = warps_[place];
    if (!warp.is_alive) continue;
    const Reason reason = now_ < warp.known_until ? warp.known : state_of(warp, partition);
    if (!warp.is_alive) {  // its last cycle was the one before
      next = now_ + 1;
      continue;
    }
    is_active = true;
    if (reason == Reason::kNotSelected) eligible_.push_back(place);
    seen_.emplace_back(warp.next, reason);
    next = std::min(next, std::max(warp.known_until, now_ + 1));
  }
  if (partition == 0) active_ = 0;
  active_ += is_active ? 1 : 0;
  if (eligible_.empty()) return;
  const uint32_t chosen = choose(scheduler);
  const uint32_t instruction = warps_[chosen].next;
  // The one that was chosen may be held back by the register ports; the others were not selected.
  const bool is_held = !can_read(program_.code[instruction], scheduler);
  for (size_t i = first; i < seen_.size(); ++i) {
    if (seen_[i].first != instruction || seen_[i].second != Reason::kNotSelected) continue;
    seen_[i].second = is_held ? Reason::kDispatchStall : Reason::kSelected;
    break;
  }
  next = now_ + 1;
  tally_.eligible += static_cast<double>(eligible_.size()) - (is_held ? 1 : 0);
  if (is_held) return;
  tally_.issued += 1;
  issue(chosen, partition);
}

uint32_t Core::choose(const Scheduler& scheduler) const {
  const bool stays = scheduler.keeps && std::find(eligible_.begin(), eligible_.end(),
                                                  scheduler.last) != eligible_.end();
  if (stays) return scheduler.last;
  return *std::min_element(eligible_.begin(), eligible_.end(), [&](uint32_t a, uint32_t b) {
    return warps_[a].last_issue < warps_[b].last_issue;
  });
}

double Core::random() {
  seed_ ^= seed_ << 13;
  seed_ ^= seed_ >> 7;
  seed_ ^= seed_ << 17;
  return static_cast<double>(seed_ >> 11) * 0x1p-53;
}

}  // namespace warpledger::sm
