#include "warpledger/memory/residents.h"

#include <algorithm>
#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "warpledger/base/check.h"
#include "warpledger/memory/cache_tracer.h"

namespace warpledger::memory {
namespace {

using trace::Buffer;
using trace::Mark;
using trace::Producer;
using trace::Progress;
using trace::Record;

// Slots per warp and run: 2 KB, so that an SM's buffers stay in the host's caches.
constexpr uint32_t kBudget = 128;

/// Bit per warp of the first `warps`: it is due before `now`.
uint32_t due_before(const double* due, uint32_t warps, double now) {
  uint32_t before = 0;
#if defined(__SSE2__)
  const __m128d then = _mm_set1_pd(now);
  for (uint32_t warp = 0; warp < warps; warp += 2) {
    const int two = _mm_movemask_pd(_mm_cmplt_pd(_mm_load_pd(due + warp), then));
    before |= static_cast<uint32_t>(two) << warp;
  }
#else
  for (uint32_t warp = 0; warp < warps; ++warp) before |= uint32_t{due[warp] < now} << warp;
#endif
  return before;
}

/// A warp's records come from a place of its own: asked for while another warp's are replayed.
void prefetch(const Buffer& buffer) {
  const Record* records = buffer.held().data();
  __builtin_prefetch(records);
  __builtin_prefetch(records + 4);
  __builtin_prefetch(records + 8);
}

}  // namespace

void Residents::add(uint32_t slot, double pace, std::span<Buffer> buffers) {
  WL_CHECK(warps_ <= kWarps);
  Cta cta;
  cta.slot = slot;
  cta.place = (slot - first_slot_) * warps_;
  cta.pace = pace;
  cta.live = warps_;
  cta.ready = static_cast<uint32_t>((uint64_t{1} << warps_) - 1);
  cta.buffers = buffers;
  cta.due.fill(now_);
  ctas_.push_back(cta);
  has_rates_ = false;
}

void Residents::set_rates(const Schedule& schedule) {
  const auto n = static_cast<uint32_t>(ctas_.size());
  for (uint32_t rank = 0; rank < n; ++rank)
    ctas_[rank].rate = schedule.earning(rank, n) * ctas_[rank].pace;
  has_rates_ = true;
}

template <class Group>
Round Residents::play(Producer& producer, const Schedule& schedule, Group& group) {
  Round round;
  now_ += 1;
  if (!has_rates_) set_rates(schedule);
  const auto n = static_cast<uint32_t>(ctas_.size());
  for (uint32_t rank = 0; rank < n && !fault_; ++rank) {
    Cta& cta = ctas_[rank];
    if (const uint32_t due = due_warps(cta)) {
      round.tried = true;
      round.moved |= play_cta(producer, schedule, group, cta, due);
    }
    if (rank + 1 < n) prefetch(ctas_[rank + 1].buffers[0]);
  }
  round.fault = fault_;
  return round;
}

/// The warps that neither have ended nor wait, and whose next batch begins in this round.
uint32_t Residents::due_warps(const Cta& cta) const {
  return cta.ready & due_before(cta.due.data(), warps_, now_);
}

template <class Group>
bool Residents::play_cta(Producer& producer, const Schedule& schedule, Group& group, Cta& cta,
                         uint32_t due) {
  bool moved = false;
  uint32_t blocked = 0;  // asked again in the next round
  while (due) {
    blocked |= step(producer, schedule, group, cta, due, moved);
    if (fault_) break;
    if (cta.barriers) release(cta);
    due = due_warps(cta) & ~blocked;
  }
  return moved;
}

const std::vector<uint32_t>& Residents::free_ended() {
  freed_.clear();
  for (const Cta& cta : ctas_) {
    if (cta.live == 0) freed_.push_back(cta.slot);
  }
  if (freed_.empty()) return freed_;
  std::erase_if(ctas_, [](const Cta& cta) { return cta.live == 0; });
  has_rates_ = false;
  return freed_;
}

template <class Group>
uint32_t Residents::step(Producer& producer, const Schedule& schedule, Group& group, Cta& cta,
                         uint32_t warps, bool& moved) {
  uint32_t blocked = 0;
  for (uint32_t rest = warps; rest; rest &= rest - 1) {
    const auto warp = static_cast<uint32_t>(std::countr_zero(rest));
    if (rest & (rest - 1)) {
      prefetch(cta.buffers[static_cast<size_t>(std::countr_zero(rest & (rest - 1)))]);
    }
    bool any = false;
    const Batch batch = advance(producer, group, cta, warp, any);
    if (batch == Batch::kFault) return blocked;
    moved |= batch == Batch::kWhole || any;
    if (batch == Batch::kBlocked) {
      blocked |= 1u << warp;
      cta.due[warp] = now_;  // who has waited for others has no turns to make up for
    } else {
      cta.due[warp] += schedule.length(cta.rate, draw_.next());
    }
  }
  return blocked;
}

template <class Group>
Residents::Batch Residents::advance(Producer& producer, Group& group, Cta& cta, uint32_t warp,
                                    bool& any) {
  while (!take(group, cta, warp, any)) {
    const Result<Progress> progress = producer.run(cta.slot, kBudget);
    if (!progress.ok()) {
      fault_ = progress.error();
      return Batch::kFault;
    }
    if (*progress == Progress::kRunning || !cta.buffers[warp].held().empty()) continue;
    WL_CHECK(*progress == Progress::kBlocked);  // an ended stream closes with a mark
    return Batch::kBlocked;
  }
  group.settle(sm_, cta.place + warp);
  return Batch::kWhole;
}

/// Takes records until the batch ends (true) or the buffer is empty (false).
template <class Group>
bool Residents::take(Group& group, Cta& cta, uint32_t warp, bool& any) {
  Buffer& buffer = cta.buffers[warp];
  const std::span<const Record> held = buffer.held();
  const Record* at = held.data();
  const Record* const end = at + held.size();
  bool done = false;
  while (!done) {
    const Record* const from = at;
    at = group.take(sm_, cta.place + warp, from, end);
    any |= at != from;
    if (at == end) break;
    done = pass_mark(*at++, cta, warp, any);
  }
  buffer.drop(static_cast<size_t>(at - held.data()));
  return done;
}

/// True when the mark ends the batch.
bool Residents::pass_mark(const Record& record, Cta& cta, uint32_t warp, bool any) {
  const uint32_t barrier = record.site % kBarriers;
  const uint32_t bit = 1u << warp;
  switch (mark_kind(record)) {
    case Mark::kCtaStart:
      return false;
    case Mark::kUse:
      return any;
    case Mark::kBarrier:
      cta.waiting[barrier] |= bit;
      cta.ready &= ~bit;
      [[fallthrough]];
    case Mark::kArrive:
      cta.barriers |= 1u << barrier;
      ++cta.arrived[barrier];
      cta.expected[barrier] = static_cast<uint32_t>(mark_count(record));
      return mark_kind(record) == Mark::kBarrier;
    case Mark::kWarpEnd:
      cta.ready &= ~bit;
      --cta.live;
      return true;
  }
  return false;
}

/// From now on these warps go on together: when the last of them does.
void Residents::join(Cta& cta, uint32_t warps) {
  double last = 0;
  for (uint32_t rest = warps; rest; rest &= rest - 1) {
    last = std::max(last, cta.due[static_cast<size_t>(std::countr_zero(rest))]);
  }
  for (uint32_t rest = warps; rest; rest &= rest - 1) {
    cta.due[static_cast<size_t>(std::countr_zero(rest))] = last;
  }
}

/// Lets go whom a full barrier holds, all at the time of the last; a barrier of the whole CTA is
/// full when all living warps are there.
void Residents::release(Cta& cta) {
  for (uint32_t rest = cta.barriers; rest; rest &= rest - 1) {
    const auto barrier = static_cast<size_t>(std::countr_zero(rest));
    const uint32_t wanted = cta.expected[barrier] ? cta.expected[barrier] : cta.live;
    if (cta.arrived[barrier] < wanted) continue;
    cta.barriers &= ~(1u << barrier);
    cta.arrived[barrier] = 0;
    join(cta, cta.waiting[barrier]);
    cta.ready |= cta.waiting[barrier];
    cta.waiting[barrier] = 0;
  }
}

template Round Residents::play(Producer& producer, const Schedule& schedule, SmGroup& group);
template Round Residents::play(Producer& producer, const Schedule& schedule, CacheTracer& group);

}  // namespace warpledger::memory
