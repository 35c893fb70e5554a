#include "warpledger/memory/replay.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace warpledger::memory {
namespace {

using trace::Buffer;
using trace::Mark;
using trace::Producer;
using trace::Progress;
using trace::Record;

constexpr uint32_t kBudget =
    64;  // slots per warp and run: 1 KB, so that all residents' buffers stay in the host's caches
constexpr int kNoBarrier = -1;

struct WarpState {
  int barrier = kNoBarrier;  // waits at this one
  bool ended = false;
};

struct Resident {
  uint32_t slot = 0;
  double pace = 1.0;
  double credit = 0.0;
  uint32_t live = 0;
  std::vector<WarpState> warps;
  std::array<uint32_t, 16> arrived{};  // per barrier
  std::array<uint32_t, 16> expected{};
};

/// One SM's CTAs, oldest first.
struct SmState {
  std::vector<Resident> residents;
};

/// Fisher-Yates; std::shuffle's result is not the same everywhere.
void shuffle(std::vector<uint32_t>& order, std::mt19937_64& random) {
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

class Replay {
 public:
  Replay(Producer& producer, const Config& config, const Schedule& schedule)
      : producer_(producer),
        config_(config),
        schedule_(schedule),
        warps_(producer.launch().warps()),
        hierarchy_(config, producer.launch()),
        sms_(config.sms) {}

  Result<Counters> run();

 private:
  void start(uint32_t sm, uint32_t slot);
  /// False when steps were due and every CTA waits for another one.
  Result<bool> visit(uint32_t sm);
  Result<bool> step(uint32_t sm, Resident& cta);
  Result<bool> advance(uint32_t sm, Resident& cta, uint32_t warp);
  /// Takes records until the batch ends (true) or the buffer is empty (false).
  bool take_batch(uint32_t sm, Resident& cta, uint32_t warp, bool& any);
  /// True when the mark ends the batch.
  bool pass_mark(const Record& record, Resident& cta, uint32_t warp, bool any);
  static void release(Resident& cta);

  Producer& producer_;
  const Config& config_;
  const Schedule& schedule_;
  uint32_t warps_;
  Hierarchy hierarchy_;
  std::vector<SmState> sms_;
  uint64_t next_cta_ = 0;
};

void Replay::start(uint32_t sm, uint32_t slot) {
  const uint64_t cta = next_cta_++;
  producer_.start(slot, cta);
  Resident resident;
  resident.slot = slot;
  resident.pace = schedule_.pace(cta);
  resident.live = warps_;
  resident.warps.resize(warps_);
  sms_[sm].residents.push_back(std::move(resident));
}

Result<Counters> Replay::run() {
  const uint64_t ctas = producer_.launch().ctas();
  producer_.set_slots(config_.sms * config_.ctas_per_sm);
  for (uint32_t place = 0; place < config_.ctas_per_sm; ++place) {
    for (uint32_t sm = 0; sm < config_.sms && next_cta_ < ctas; ++sm) {
      start(sm, sm * config_.ctas_per_sm + place);
    }
  }
  std::vector<uint32_t> order(config_.sms);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(schedule_.seed);
  for (bool alive = ctas > 0; alive;) {
    alive = false;
    bool moved = false;
    if (schedule_.shuffle_sms) shuffle(order, random);
    for (const uint32_t sm : order) {
      if (sms_[sm].residents.empty()) continue;
      alive = true;
      WL_TRY(const bool any, visit(sm));
      moved |= any;
      hierarchy_.drain(sm);
    }
    if (alive && !moved) {
      return Diagnostic{.message = "every resident CTA waits for another one",
                        .hint = "the kernel needs more CTAs at once than this GPU holds",
                        .code = "ctas-wait-for-each-other"};
    }
  }
  return hierarchy_.finish();
}

Result<bool> Replay::visit(uint32_t sm) {
  std::vector<Resident>& residents = sms_[sm].residents;
  bool tried = false, moved = false;
  for (uint32_t round = 0; round < schedule_.rounds_per_visit; ++round) {
    const auto n = static_cast<uint32_t>(residents.size());
    for (uint32_t rank = 0; rank < n; ++rank) {
      Resident& cta = residents[rank];
      cta.credit += schedule_.earning(rank, n) * cta.pace;
      for (; cta.credit >= 1.0 && cta.live > 0; cta.credit -= 1.0) {
        WL_TRY(const bool any, step(sm, cta));
        moved |= any;
        tried = true;
      }
    }
    std::vector<uint32_t> freed;
    for (const Resident& cta : residents) {
      if (cta.live == 0) freed.push_back(cta.slot);
    }
    if (freed.empty()) continue;
    std::erase_if(residents, [](const Resident& cta) { return cta.live == 0; });
    for (const uint32_t slot : freed) {
      if (next_cta_ < producer_.launch().ctas()) start(sm, slot);
    }
  }
  return moved || !tried;
}

Result<bool> Replay::step(uint32_t sm, Resident& cta) {
  bool moved = false;
  for (uint32_t warp = 0; warp < warps_; ++warp) {
    if (cta.warps[warp].ended || cta.warps[warp].barrier != kNoBarrier) continue;
    WL_TRY(const bool any, advance(sm, cta, warp));
    moved |= any;
  }
  release(cta);
  return moved;
}

Result<bool> Replay::advance(uint32_t sm, Resident& cta, uint32_t warp) {
  bool any = false;
  while (!take_batch(sm, cta, warp, any)) {
    WL_TRY(const Progress progress, producer_.run(cta.slot, kBudget));
    if (progress == Progress::kRunning || !producer_.buffers(cta.slot)[warp].held().empty()) {
      continue;
    }
    WL_CHECK(progress == Progress::kBlocked);  // an ended stream closes with a mark
    return any;
  }
  hierarchy_.settle(sm, (cta.slot % config_.ctas_per_sm) * warps_ + warp);
  return true;
}

bool Replay::take_batch(uint32_t sm, Resident& cta, uint32_t warp, bool& any) {
  Buffer& buffer = producer_.buffers(cta.slot)[warp];
  const std::span<const Record> held = buffer.held();
  const uint32_t place = (cta.slot % config_.ctas_per_sm) * warps_ + warp;
  size_t at = 0;
  bool done = false;
  while (at < held.size() && !done) {
    const Record* record = &held[at];
    at += slots_of(*record);
    if (record->shape == trace::kMark) {
      done = pass_mark(*record, cta, warp, any);
    } else {
      hierarchy_.access(sm, place, record);
      any = true;
    }
  }
  buffer.drop(at);
  return done;
}

bool Replay::pass_mark(const Record& record, Resident& cta, uint32_t warp, bool any) {
  const uint32_t barrier = record.site % 16;
  switch (mark_kind(record)) {
    case Mark::kCtaStart:
      return false;
    case Mark::kUse:
      return any;
    case Mark::kBarrier:
      cta.warps[warp].barrier = static_cast<int>(barrier);
      [[fallthrough]];
    case Mark::kArrive:
      ++cta.arrived[barrier];
      cta.expected[barrier] = static_cast<uint32_t>(mark_count(record));
      return mark_kind(record) == Mark::kBarrier;
    case Mark::kWarpEnd:
      cta.warps[warp].ended = true;
      --cta.live;
      return true;
  }
  return false;
}

/// Lets go whom a full barrier holds; a barrier of the whole CTA is full when all living warps are
/// there.
void Replay::release(Resident& cta) {
  for (uint32_t barrier = 0; barrier < cta.arrived.size(); ++barrier) {
    const uint32_t wanted = cta.expected[barrier] ? cta.expected[barrier] : cta.live;
    if (cta.arrived[barrier] == 0 || cta.arrived[barrier] < wanted) continue;
    cta.arrived[barrier] = 0;
    for (WarpState& warp : cta.warps) {
      if (warp.barrier == static_cast<int>(barrier)) warp.barrier = kNoBarrier;
    }
  }
}

}  // namespace

Result<Counters> replay(Producer& producer, const Config& config, const Schedule& schedule) {
  return Replay(producer, config, schedule).run();
}

}  // namespace warpledger::memory
