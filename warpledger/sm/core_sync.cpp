// mbarriers, asynchronous copies and products of tensor cores: what instructions with operations
// (Paths) do, and what of it comes later.
#include <algorithm>
#include <cmath>

#include "warpledger/sm/core.h"

namespace warpledger::sm {

namespace {

constexpr int64_t kSector = 32;
constexpr double kWork = 16;  // multiply-adds of FP16 for each element of D and step

int64_t whole(double cycles) { return static_cast<int64_t>(std::ceil(cycles)); }

}  // namespace

/// The operation that the warp does next; null: none is left.
const SyncOp* Core::next_op(const Warp& warp) const {
  if (program_.roles.empty()) return nullptr;
  const std::vector<SyncOp>& ops = program_.ops[warp.number];
  return warp.op < ops.size() ? &ops[warp.op] : nullptr;
}

/// Operations of the instruction that was issued. Where the warp's next one is another's, its
/// lanes are off here.
void Core::synchronize(const Instruction& instruction, uint32_t place, uint32_t partition) {
  Warp& warp = warps_[place];
  bool waits = false;
  const SyncOp* op = next_op(warp);
  for (bool is_first = true; op != nullptr; is_first = false, op = next_op(warp)) {
    const bool is_mine = static_cast<int32_t>(op->stream) == instruction.sync;
    if (!is_mine || op->continues == is_first) break;
    ++warp.op;
    if (op->kind == SyncOp::Kind::kWait) {
      waits |= await_phase(*op, request_of(instruction, place, partition));
    } else {
      perform(*op, instruction, warp);
    }
  }
  if (instruction.kind == Kind::kPhaseWait && !waits)
    finish_wait(request_of(instruction, place, partition), kNone);
}

/// False: the phase has ended.
bool Core::await_phase(const SyncOp& op, const Request& request) {
  Mbarrier& barrier = blocks_[warps_[request.warp].block].barriers[op.barrier];
  if (barrier.has_ended(op.parity)) return false;
  barrier.wait(request);
  return true;
}

/// The answer of a wait is on its way; `cause` is what ended the phase.
void Core::finish_wait(Request request, uint32_t cause) {
  request.cause = cause;
  port_.release_at(now_ + whole(hardware_.shared), request, false);
}

void Core::perform(const SyncOp& op, const Instruction& instruction, Warp& warp) {
  ThreadBlock& block = blocks_[warp.block];
  Arrival arrival{.place = warp.block,
                  .number = block.number,
                  .barrier = op.barrier,
                  .count = op.count,
                  .cause = warp.next};
  switch (op.kind) {
    case SyncOp::Kind::kInit:
      return block.barriers[op.barrier].init(op.count);
    case SyncOp::Kind::kArrive:
      arrival.bytes = op.bytes;
      return arrive(arrival);
    case SyncOp::Kind::kCopy:
      arrival.bytes = -op.bytes;
      arrival.count = 0;
      arrival.time = instruction.is_instant ? now_ : copied_at(op, instruction);
      return arrive_later(arrival);
    case SyncOp::Kind::kProduct:
      product_free_ =
          std::max(product_free_, static_cast<double>(now_)) +
          (instruction.is_instant ? 0 : op.count * kWork / (kPartitions * hardware_.group_rate));
      block.products_end = whole(product_free_ + hardware_.tensor_result);
      return;
    case SyncOp::Kind::kCommit:
      arrival.time = std::max(now_, block.products_end);
      return arrive_later(arrival);
    case SyncOp::Kind::kWait:
      return;
  }
}

int64_t Core::copied_at(const SyncOp& op, const Instruction& instruction) {
  const bool to_dram = random() < instruction.access.dram;
  return port_.copy(now_, static_cast<double>(op.bytes) / kSector, to_dram);
}

void Core::arrive_later(Arrival arrival) {
  if (arrival.time <= now_) return arrive(arrival);
  arrival.order = arrivals_order_++;
  arrivals_.push(arrival);
}

void Core::arrive(const Arrival& arrival) {
  ThreadBlock& block = blocks_[arrival.place];
  if (!block.is_alive || block.number != arrival.number) return;
  Mbarrier& barrier = block.barriers[arrival.barrier];
  if (!barrier.change(arrival.count, arrival.bytes)) return;
  for (const Request& request : barrier.take_waiting()) finish_wait(request, arrival.cause);
}

void Core::take_arrivals() {
  for (; !arrivals_.empty() && arrivals_.top().time <= now_; arrivals_.pop())
    arrive(arrivals_.top());
}

/// Whether somebody waited for an mbarrier although nobody can go on.
bool Core::end_endless_waits() {
  bool found = false;
  for (ThreadBlock& block : blocks_) {
    for (Mbarrier& barrier : block.barriers) {
      for (const Request& request : barrier.take_waiting()) {
        ++tally_.endless;
        finish_wait(request, kNone);
        found = true;
      }
    }
  }
  return found;
}

/// A product of a warp group: the tensor core of its sub-partition takes it when those before it
/// are done, and the warp goes on.
void Core::multiply(const Instruction& instruction, Warp& warp, Scheduler& scheduler) {
  int64_t& free = scheduler.pipe_free[static_cast<size_t>(Pipe::kTensor)];
  if (!instruction.is_instant) free = std::max(free, now_) + instruction.interval;
  const int64_t end = instruction.is_instant ? now_ : free + whole(instruction.latency);
  warp.products_end = std::max(warp.products_end, end);
  if (!instruction.closes_group) return;
  warp.products.push_back({warp.products_end, warp.next});
  if (warp.products.size() > kMostGroups) warp.products.pop_front();
}

/// Until at most so many groups of products are under way.
std::optional<Reason> Core::awaits_products(Warp& warp, const Instruction& instruction) {
  const size_t left = instruction.barrier;
  if (warp.products.size() <= left) return {};
  const Warp::Products& group = warp.products[warp.products.size() - 1 - left];
  if (group.end <= now_) return {};
  note_wait(warp, group.last, static_cast<double>(group.end - now_));
  return until(warp, group.end, Reason::kBarrier);
}

/// The edge that leads to what the warp is known to do next. Nothing where none does, or several.
std::optional<uint32_t> Core::known_edge(const Block& from, const Warp& warp) const {
  if (program_.roles.empty()) return {};
  const SyncOp* op = next_op(warp);
  if (from.next.size() < 2 && from.leaves == 0) return {};
  if (from.leaves > 0 && op == nullptr) return {};
  const uint32_t wanted = op == nullptr ? Paths::kEnd : op->stream;
  const Role& role = program_.role(warp.number);
  std::optional<uint32_t> found;
  for (const Edge& edge : from.next) {
    const std::vector<uint32_t>& first = role.first[edge.to];
    if (!std::binary_search(first.begin(), first.end(), wanted)) continue;
    if (found) return {};
    found = edge.to;
  }
  return found;
}

}  // namespace warpledger::sm
