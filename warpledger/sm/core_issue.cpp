// What an issued instruction does: pipes, requests, barriers, where the warp goes next.
#include <algorithm>
#include <cmath>

#include "warpledger/sm/core.h"

namespace warpledger::sm {

void Core::issue(uint32_t place, uint32_t partition) {
  Warp& warp = warps_[place];
  const Instruction& instruction = program_.code[warp.next];
  Scheduler& scheduler = schedulers_[partition];
  scheduler.last = place;
  scheduler.keeps = instruction.keeps;
  warp.last_issue = now_;
  warp.stall_until = now_ + instruction.stall;
  occupy(instruction, scheduler);
  send(instruction, place, partition);
  if (instruction.sync >= 0) synchronize(instruction, place, partition);
  if (instruction.kind == Kind::kGroupProduct) multiply(instruction, warp, scheduler);
  meet(instruction, warp);
  if (instruction.kind == Kind::kReconverge)
    warp.branch_until = warp.stall_until + static_cast<int64_t>(hardware_.reconverge);
  go_on(instruction, warp);
}

void Core::occupy(const Instruction& instruction, Scheduler& scheduler) {
  for (size_t bank = 0; bank < instruction.bank_reads.size(); ++bank) {
    int64_t& free = scheduler.bank_free[bank];
    if (instruction.bank_reads[bank] > 0)
      free = std::max(free, now_) + instruction.bank_reads[bank];
  }
  int64_t& heavy = scheduler.pipe_free[static_cast<size_t>(Pipe::kFmaHeavy)];
  switch (instruction.pipe) {
    case Pipe::kNone:
    case Pipe::kMio:
      return;
    case Pipe::kFma:
      (scheduler.light_fma_free <= now_ ? scheduler.light_fma_free : heavy) =
          now_ + instruction.interval;
      return;
    default:
      scheduler.pipe_free[static_cast<size_t>(instruction.pipe)] = now_ + instruction.interval;
  }
}

void Core::send(const Instruction& instruction, uint32_t place, uint32_t partition) {
  Warp& warp = warps_[place];
  if (instruction.kind == Kind::kAwait) return;
  auto& counts = instruction.is_far() || instruction.kind == Kind::kCommit ? warp.far : warp.near;
  for (const uint8_t scoreboard : {instruction.sets, instruction.reads}) {
    if (scoreboard >= kScoreboards) continue;
    ++counts[scoreboard];
    warp.setter[scoreboard] = warp.next;
  }
  if (instruction.kind == Kind::kCommit) {
    warp.groups.push_back({warp.copies, instruction.sets});
    warp.copies = 0;
    return break_groups(warp);
  }
  const bool has_result = instruction.sets < kScoreboards || instruction.reads < kScoreboards;
  if (instruction.pipe != Pipe::kMio && !has_result) return;
  const Request request = request_of(instruction, place, partition);
  ++warp.outstanding;
  if (instruction.kind == Kind::kAsyncCopy) ++warp.copies;
  if (instruction.pipe == Pipe::kMio) return port_.push(request);
  if (instruction.kind == Kind::kPhaseWait) return;  // synchronize() answers
  constexpr int64_t kLeast = 4;
  if (instruction.reads < kScoreboards) port_.release_at(now_ + kLeast, request, true);
  const auto latency = static_cast<int64_t>(instruction.latency);
  port_.release_at(now_ + std::max(kLeast, latency), request, false);
}

Request Core::request_of(const Instruction& instruction, uint32_t place, uint32_t partition) {
  const Warp& warp = warps_[place];
  const Access& access = instruction.access;
  Request request{.instruction = &instruction,
                  .warp = place,
                  .life = warp.life,
                  .partition = partition,
                  .issued = now_};
  // Lanes are off in the last warps of a block more often than in the first.
  if (access.active < 1)
    request.is_active = (warp.number + random()) / launch_.warps < access.active;
  if (!instruction.is_far() || instruction.is_far_write() || !request.is_active) return request;
  if (instruction.kind == Kind::kPhaseWait) return request;
  request.misses = instruction.kind == Kind::kAtomic || random() < access.misses;
  request.to_dram = request.misses && random() < access.dram;
  const double spread = hardware_.dram_spread * (hardware_.dram - hardware_.l2);
  if (request.to_dram) request.extra = spread * (-std::log(1 - random()) - 1);
  return request;
}

void Core::meet(const Instruction& instruction, Warp& warp) {
  if (instruction.kind == Kind::kFence) {
    warp.is_at_fence = true;
    warp.held_until = now_ + static_cast<int64_t>(hardware_.fence);
  }
  if (instruction.kind != Kind::kBarrier && instruction.kind != Kind::kArrive) return;
  ThreadBlock& block = blocks_[warp.block];
  ++block.arrived[instruction.barrier];
  if (instruction.kind == Kind::kBarrier) {
    warp.is_at_barrier = true;
    warp.barrier = instruction.barrier;
    warp.held_until = Warp::kUntilTold;
  }
  check_barrier(warp.block, instruction.barrier, instruction.barrier_warps);
}

/// A barrier opens when all warps that run, or those that it names, have arrived.
void Core::check_barrier(uint32_t place, uint8_t barrier, uint32_t needed) {
  ThreadBlock& block = blocks_[place];
  const uint32_t all = needed == 0 ? block.running : std::min(needed, block.running);
  if (block.arrived[barrier] == 0 || block.arrived[barrier] < all) return;
  block.arrived[barrier] = 0;
  const int64_t at = now_ + static_cast<int64_t>(hardware_.barrier);
  for (uint32_t i = 0; i < launch_.warps; ++i) {
    Warp& warp = warps_[place * launch_.warps + i];
    const bool waits = warp.is_alive && warp.is_at_barrier && warp.barrier == barrier &&
                       warp.held_until == Warp::kUntilTold;
    if (!waits) continue;
    warp.held_until = at;
    if (warp.known_until == Warp::kUntilTold) warp.known_until = at;
  }
}

void Core::go_on(const Instruction& instruction, Warp& warp) {
  const std::vector<Block>& blocks = program_.blocks_of(warp.number);
  const Block& from = blocks[warp.at];
  if (warp.next + 1 < from.end) {
    ++warp.next;
    return;
  }
  const uint32_t to = follow(from, warp);
  if (to == kNone) return exit(warp);
  const bool is_taken = instruction.kind == Kind::kBranch && to != warp.at + 1;
  warp.at = to;
  warp.next = blocks[to].first;
  if (!is_taken) return;
  warp.branch_until = warp.stall_until + static_cast<int64_t>(hardware_.branch);
  warp.fetch_until =
      std::max(warp.fetch_until, warp.branch_until + static_cast<int64_t>(hardware_.branch_fetch));
}

/// The first of two edges, and the other as often as its share says.
uint32_t Core::count_on(const Block& from, size_t first, Warp& warp) {
  float& taken = warp.trips[warp.at];
  taken += static_cast<float>(from.next[1 - first].share);
  if (taken < 0.9999F) return from.next[first].to;
  taken -= 1;
  return from.next[1 - first].to;
}

/// The block that comes next; kNone: the warp ends.
uint32_t Core::follow(const Block& from, Warp& warp) {
  if (from.next.empty()) return kNone;
  if (const auto known = known_edge(from, warp)) return *known;
  double& shared = shares_[warp.at];
  if (from.leaves > 0) {
    shared += from.leaves;
    if (shared >= 1) {
      shared -= 1;
      return kNone;
    }
  }
  if (from.next.size() == 1) return from.next[0].to;
  if (from.stays_in_loop >= 0) return count_on(from, static_cast<size_t>(from.stays_in_loop), warp);
  // Of a role each warp goes the whole way by itself.
  if (from.next.size() == 2 && !program_.roles.empty()) return count_on(from, 0, warp);
  if (from.next.size() == 2) {
    shared += from.next[1].share;
    if (shared < 1) return from.next[0].to;
    shared -= 1;
    return from.next[1].to;
  }
  double left = random();
  for (const Edge& edge : from.next) {
    if ((left -= edge.share) < 0) return edge.to;
  }
  return from.next.back().to;
}

void Core::exit(Warp& warp) {
  warp.has_exited = true;
  warp.held_until = now_ + static_cast<int64_t>(hardware_.drain);
  ThreadBlock& block = blocks_[warp.block];
  --block.running;
  if (block.running == 0) return;
  for (uint8_t barrier = 0; barrier < block.arrived.size(); ++barrier)
    check_barrier(warp.block, barrier, 0);
}

}  // namespace warpledger::sm
