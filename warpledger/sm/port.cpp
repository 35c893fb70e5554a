#include "warpledger/sm/port.h"

#include <algorithm>
#include <cmath>

namespace warpledger::sm {
namespace {

// Cycles from issue to the head of the MIO queue, assumed; and to the write-back's end of a request
// of one wavefront that nothing is in the way of: the rest of its latency comes after it.
constexpr int64_t kToQueue = 6;
constexpr double kStages = 9, kStagesWithTags = 10;
// After the data stage: of an instruction with no lane on, of a store. Assumed.
constexpr double kAfterNothing = 2, kAfterStore = 6;
constexpr double kToL2 = 60;           // of a store or an atomic, one way
constexpr double kWriteBackAhead = 8;  // the data stage runs so far ahead of the write-back
// Stores wait at the tag stage where the path is further behind. Fitted, of 16, 64 and 1000.
constexpr double kPathAhead = 64;
// What the L2 and DRAM take at once from an SM that was quiet, in cycles of its share. Fitted; it
// moves time, not the reasons.
constexpr double kL2Burst = 200, kDramBurst = 600, kDramWrites = 3000;

int64_t up(double cycles) { return static_cast<int64_t>(std::ceil(cycles)); }

/// Takes a token bucket's time: no more than `burst` is saved up.
double serve(double& free, double at, double burst, double cycles) {
  free = std::max(free, at - burst) + cycles;
  return std::max(at, free);
}

}  // namespace

void Port::push(const Request& request) {
  mio_[request.partition].push_back(request);
  if (request.instruction->is_far()) ++lg_[request.partition];
}

void Port::release_at(int64_t time, const Request& request, bool is_read) {
  const Instruction& instruction = *request.instruction;
  releases_.push({.time = time,
                  .order = order_++,
                  .warp = request.warp,
                  .life = request.life,
                  .scoreboard = is_read ? instruction.reads : instruction.sets,
                  .is_far = instruction.is_far(),
                  .is_copy = !is_read && instruction.kind == Kind::kAsyncCopy,
                  .ends = !is_read,
                  .cause = request.cause});
}

void Port::advance(int64_t now, std::vector<Release>& released) {
  take_due(now, released);
  if (!data_.empty()) run_data_stage(now);
  if (!tags_.empty()) run_tag_stage(now);
  run_queues(now);
}

int64_t Port::next_change(int64_t now) const {
  const bool is_busy =
      !data_.empty() || !tags_.empty() ||
      std::any_of(mio_.begin(), mio_.end(), [](const auto& q) { return !q.empty(); });
  if (is_busy) return now + 1;
  int64_t next = INT64_MAX;
  if (!releases_.empty()) next = std::min(next, releases_.top().time);
  if (!returns_.empty()) next = std::min(next, returns_.top().time);
  return next;
}

void Port::take_due(int64_t now, std::vector<Release>& released) {
  for (; !releases_.empty() && releases_.top().time <= now; releases_.pop())
    released.push_back(releases_.top());
  for (; !returns_.empty() && returns_.top().time <= now; returns_.pop())
    data_.push_back(returns_.top().request);
  for (; !writes_.empty() && writes_.top().time <= now; writes_.pop())
    written_ -= writes_.top().sectors;
}

void Port::run_data_stage(int64_t now) {
  const auto at = static_cast<double>(now);
  while (!data_.empty() && data_free_ < at + 1 && back_free_ < at + kWriteBackAhead) {
    const Request request = data_.front();
    data_.pop_front();
    const Instruction& instruction = *request.instruction;
    if (request.misses) pending_ -= instruction.access.data_wavefronts;
    if (request.misses) copy_lines_ -= instruction.access.copy_lines;
    const double wavefronts =
        request.is_active ? std::max(1.0, instruction.access.data_wavefronts) : 1;
    data_free_ = std::max(data_free_, at) + wavefronts * hardware_.data_interval;
    if (instruction.kind == Kind::kSharedStore) {
      release_at(up(data_free_ + kAfterNothing), request, false);
    } else if (instruction.is_far_write()) {
      store(request);
    } else {
      write_back(request);
    }
  }
}

void Port::write_back(const Request& request) {
  const Instruction& instruction = *request.instruction;
  back_free_ = std::max(back_free_, data_free_) + instruction.access.writeback;
  double rest =
      instruction.is_far() ? hardware_.l1 - kStagesWithTags : instruction.latency - kStages;
  if (!request.is_active) rest = kAfterNothing;
  release_at(up(back_free_ + std::max(1.0, rest)), request, false);
}

void Port::store(const Request& request) {
  const Access& access = request.instruction->access;
  if (!request.is_active) return release_at(up(data_free_ + kAfterNothing), request, false);
  path_free_ = std::max(path_free_, data_free_);
  if (access.sectors > 0) path_free_ += rates_.path * std::max(1.0, access.sectors);
  double at = serve(input_free_, path_free_, kL2Burst, rates_.l2_input * access.sectors) + kToL2;
  if (request.instruction->kind == Kind::kReduction) at = serve(atomic_free_, at, 0, rates_.atomic);
  at = serve(l2_free_, at, kL2Burst, access.sectors * rates_.l2_write);
  const double dram = access.dram_written + access.dram_fetched;
  if (dram > 0) {
    const double done = serve(dram_free_, at, kDramBurst, dram * rates_.dram);
    at = std::max(at, done - kDramWrites);
  }
  written_ += access.sectors;
  writes_.push({up(at), access.sectors});
  release_at(up(path_free_ + kAfterStore), request, false);
}

bool Port::passes_tags(const Request& request, int64_t now) const {
  if (request.instruction->is_far_write()) {
    const bool is_path_free = path_free_ <= static_cast<double>(now) + kPathAhead;
    return data_.size() < hardware_.data_entries &&
           (!request.is_active || (written_ <= hardware_.write_sectors && is_path_free));
  }
  if (!request.misses) return data_.size() < hardware_.data_entries;
  const bool has_lines =
      request.instruction->access.copy_lines == 0 || copy_lines_ <= hardware_.copy_lines;
  return has_lines && pending_ <= hardware_.pending_wavefronts;
}

void Port::run_tag_stage(int64_t now) {
  const auto at = static_cast<double>(now);
  while (!tags_.empty() && tag_free_ < at + 1) {
    const Request request = tags_.front();
    if (!passes_tags(request, now)) {
      tag_free_ = std::max(tag_free_, at);
      return;
    }
    tags_.pop_front();
    const Access& access = request.instruction->access;
    tag_free_ =
        std::max(tag_free_, at) + (request.is_active ? std::max(1.0, access.tag_wavefronts) : 1);
    --lg_[request.partition];
    if (request.instruction->is_far_write()) --stores_;
    if (request.misses) {
      fetch(request);
    } else {
      data_.push_back(request);
    }
  }
}

void Port::fetch(const Request& request) {
  const Access& access = request.instruction->access;
  const double requests = std::max(1.0, access.requests), sectors = std::max(1.0, access.sectors);
  path_free_ = std::max(path_free_, tag_free_) + rates_.path * requests;
  double at = serve(input_free_, path_free_, kL2Burst, rates_.l2_input * requests);
  if (request.instruction->kind == Kind::kAtomic)
    at = serve(atomic_free_, at + kToL2, 0, rates_.atomic);
  at = serve(l2_free_, at, kL2Burst, sectors * rates_.l2_read);
  double latency = hardware_.l2 - hardware_.l1;
  if (request.to_dram) {
    at = serve(dram_free_, at, kDramBurst, sectors * rates_.dram);
    latency = hardware_.dram - hardware_.l1 + request.extra;
  }
  pending_ += access.data_wavefronts;
  copy_lines_ += access.copy_lines;
  returns_.push({up(at + latency), order_++, request});
}

int64_t Port::copy(int64_t now, double sectors, bool to_dram) {
  bulk_free_ = std::max(bulk_free_, static_cast<double>(now)) + sectors / hardware_.copy_sectors;
  double at = serve(l2_free_, bulk_free_, kL2Burst, sectors * rates_.l2_read);
  if (to_dram) at = serve(dram_free_, at, kDramBurst, sectors * rates_.dram);
  return up(at + (to_dram ? hardware_.dram : hardware_.l2) + hardware_.copy_extra);
}

void Port::run_queues(int64_t now) {
  const uint32_t first = turn_;
  for (uint32_t i = 0; i < kPartitions; ++i) {
    const uint32_t partition = (first + i) % kPartitions;
    // The turn moves on with what was accepted alone: else, where the load/store unit accepts
    // every second cycle, partitions 0 and 2 would come first for ever.
    if (dispatch(partition, now)) turn_ = (partition + 1) % kPartitions;
  }
}

/// Whether the load/store unit took an instruction.
bool Port::dispatch(uint32_t partition, int64_t now) {
  std::deque<Request>& queue = mio_[partition];
  const auto at = static_cast<double>(now);
  if (queue.empty() || queue_free_[partition] > at) return false;
  const Request request = queue.front();
  if (request.issued + kToQueue > now) return false;
  const Instruction& instruction = *request.instruction;
  if (instruction.kind >= Kind::kSpecial && instruction.kind <= Kind::kFiller) {
    run_unit(request, now);
    return false;
  }
  if (lsu_free_ > at || !accept(request)) return false;
  if (instruction.reads < 6) release_at(now + up(hardware_.operands_read), request, true);
  leave_queue(partition, now, 2);
  lsu_free_ = std::max(lsu_free_, at) + hardware_.lsu_interval;
  return true;
}

/// What passes the MIO queue and nothing of memory: as soon as its unit is free.
void Port::run_unit(const Request& request, int64_t now) {
  const Instruction& instruction = *request.instruction;
  const auto at = static_cast<double>(now);
  const bool is_special = instruction.kind == Kind::kSpecial;
  const bool is_double = instruction.kind == Kind::kDouble;
  double& special = special_free_[request.partition];
  if ((is_special && special > at) || (is_double && double_free_ > at)) return;
  if (is_special) special = at + hardware_.special;
  if (is_double) double_free_ = at + hardware_.fp64 / kPartitions;
  const double rest = instruction.latency - static_cast<double>(kToQueue);
  release_at(now + up(std::max(1.0, rest)), request, false);
  if (instruction.reads < 6) release_at(now + 2, request, true);
  leave_queue(request.partition, now, instruction.kind >= Kind::kSystem ? 1 : 0);
}

bool Port::accept(const Request& request) {
  if (!request.instruction->is_far()) {
    if (data_.size() >= hardware_.data_entries) return false;
    data_.push_back(request);
    return true;
  }
  const bool is_write = request.instruction->is_far_write();
  if (is_write && stores_ >= hardware_.store_entries) return false;
  if (is_write) ++stores_;
  tags_.push_back(request);
  return true;
}

void Port::leave_queue(uint32_t partition, int64_t now, double interval) {
  mio_[partition].pop_front();
  queue_free_[partition] = static_cast<double>(now) + interval;
}

}  // namespace warpledger::sm
