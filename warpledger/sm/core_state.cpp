// What a warp waits for, in the order that core.h states.
#include <algorithm>

#include "warpledger/sm/core.h"

namespace warpledger::sm {

/// Nobody needs to ask again before `time`, or before a release where that is not known.
Reason Core::until(Warp& warp, int64_t time, Reason reason) const {
  warp.known_until = time;
  warp.known = reason;
  return reason;
}

Reason Core::state_of(Warp& warp, uint32_t partition) {
  warp.known_until = 0;
  if (const auto reason = held(warp)) return *reason;
  if (!warp.is_alive) return Reason::kDrain;
  if (const auto reason = awaits_code(warp, partition)) return *reason;
  const Instruction& instruction = program_.code[warp.next];
  if (const auto reason = awaits_results(warp, instruction)) return *reason;
  if (instruction.constant_line >= 0) {
    const int64_t at = constants_.ready(instruction.constant_line, now_);
    if (at > now_) return until(warp, at, Reason::kImcMiss);
  }
  return awaits_unit(instruction, partition).value_or(Reason::kNotSelected);
}

std::optional<Reason> Core::held(Warp& warp) {
  if (now_ < warp.stall_until) return until(warp, warp.stall_until, Reason::kWait);
  if (warp.has_exited) {
    if (warp.outstanding > 0) return until(warp, Warp::kUntilTold, Reason::kDrain);
    if (now_ < warp.held_until) return until(warp, warp.held_until, Reason::kDrain);
    end(warp);
    return {};
  }
  if (warp.is_at_barrier) {
    if (now_ < warp.held_until) return until(warp, warp.held_until, Reason::kBarrier);
    warp.is_at_barrier = false;
  }
  if (warp.is_at_fence) {
    if (warp.outstanding > 0) return until(warp, Warp::kUntilTold, Reason::kMembar);
    if (now_ < warp.held_until) return until(warp, warp.held_until, Reason::kMembar);
    warp.is_at_fence = false;
  }
  return {};
}

std::optional<Reason> Core::awaits_code(Warp& warp, uint32_t partition) {
  if (now_ < warp.branch_until) return until(warp, warp.branch_until, Reason::kBranchResolving);
  const uint32_t line = warp.next / CodeCache::kInstructions;
  if (now_ >= warp.fetch_until && warp.line != line) {
    warp.line = line;
    warp.fetch_until = std::max(warp.fetch_until, code_.ready(partition, line, now_));
  }
  if (now_ < warp.fetch_until) return until(warp, warp.fetch_until, Reason::kNoInstruction);
  if (now_ < warp.dispatch_until) return until(warp, warp.dispatch_until, Reason::kDispatchStall);
  return {};
}

std::optional<Reason> Core::awaits_results(Warp& warp, const Instruction& instruction) {
  if (instruction.kind == Kind::kGroupAwait) {
    if (const auto reason = awaits_products(warp, instruction)) return reason;
  }
  uint32_t far = kNone, near = kNone;
  for (uint8_t i = 0; i < kScoreboards && instruction.waits >> i != 0; ++i) {
    if ((instruction.waits >> i & 1) == 0) continue;
    if (warp.far[i] > 0) far = warp.setter[i];
    if (warp.near[i] > 0) near = warp.setter[i];
  }
  const bool awaits_groups =
      instruction.kind == Kind::kAwait && warp.far[instruction.sets] > instruction.barrier;
  if (awaits_groups) far = warp.setter[instruction.sets];
  if (far == kNone && near == kNone) return {};
  warp.waits_since = now_;
  warp.waits_for = far != kNone ? far : near;
  return until(warp, Warp::kUntilTold,
               far != kNone ? Reason::kLongScoreboard : Reason::kShortScoreboard);
}

std::optional<Reason> Core::awaits_unit(const Instruction& instruction, uint32_t partition) const {
  const Scheduler& scheduler = schedulers_[partition];
  if (instruction.pipe == Pipe::kMio) {
    // Reports of kernels that wait for the load/store unit with global loads alone have no
    // mio_throttle at all: for these, a full queue is the one of local and global memory. Copies to
    // shared memory that wait are mio_throttle, as in reports of products whose tiles come slowly.
    const bool is_full =
        !port_.has_mio_room(partition) || (instruction.is_far() && !port_.has_lg_room(partition));
    const bool is_lg = instruction.is_far() && instruction.kind != Kind::kAsyncCopy;
    if (is_full) return is_lg ? Reason::kLgThrottle : Reason::kMioThrottle;
  } else if (instruction.pipe == Pipe::kFma) {
    const int64_t heavy = scheduler.pipe_free[static_cast<size_t>(Pipe::kFmaHeavy)];
    if (std::min(heavy, scheduler.light_fma_free) > now_) return Reason::kMathPipeThrottle;
  } else if (scheduler.pipe_free[static_cast<size_t>(instruction.pipe)] > now_) {
    return Reason::kMathPipeThrottle;
  }
  return {};
}

bool Core::can_read(const Instruction& instruction, const Scheduler& scheduler) const {
  for (size_t bank = 0; bank < instruction.bank_reads.size(); ++bank) {
    const int64_t end = std::max(scheduler.bank_free[bank], now_) + instruction.bank_reads[bank];
    if (instruction.bank_reads[bank] > 0 && end > now_ + hardware_.operand_window) return false;
  }
  return true;
}

}  // namespace warpledger::sm
