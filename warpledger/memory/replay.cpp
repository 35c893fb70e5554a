#include "warpledger/memory/replay.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "warpledger/memory/residents.h"

namespace warpledger::memory {
namespace {

using trace::Producer;

// Visits that an SM may be ahead of the L2: while one SM plays, its L1, its warps' buffers and
// their engine's state stay in the host's caches. Any number gives the same counters.
constexpr uint32_t kEpochVisits = 64;

/// Fisher-Yates; std::shuffle's result is not the same everywhere.
void shuffle(std::vector<uint32_t>& order, std::mt19937_64& random) {
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

/// What came of an SM's turn in the schedule.
struct Visit {
  size_t sent = 0;  // the length of the SM's queue at its end
  Round round = {};
};

struct SmState {
  Residents residents;
  std::vector<Visit> visits = {};    // of this epoch
  uint32_t rounds = 0;               // of the last one
  std::vector<uint32_t> freed = {};  // slots for which CTAs are due: the SM waits
};

class Replay {
 public:
  Replay(Producer& producer, const Config& config, const Schedule& schedule);
  Result<Counters> run();

 private:
  void start(uint32_t sm, uint32_t slot, uint64_t cta);
  void begin_epoch();
  /// Plays until the epoch's end, a CTA's end or a fault.
  void play(uint32_t sm);
  /// Gives CTAs to the SMs that have waited longest; returns them.
  std::vector<uint32_t> hand_out();
  Status check_progress() const;
  void send_to_l2();

  Producer& producer_;
  const Config& config_;
  const Schedule& schedule_;
  Hierarchy hierarchy_;
  uint64_t ctas_;
  uint32_t visits_;  // to each SM, of an epoch
  std::vector<SmState> sms_;
  std::vector<std::vector<uint32_t>> order_;  // of the SMs, per visit of the epoch
  std::mt19937_64 random_;
  uint64_t next_cta_ = 0;
};

Replay::Replay(Producer& producer, const Config& config, const Schedule& schedule)
    : producer_(producer),
      config_(config),
      schedule_(schedule),
      hierarchy_(config, producer.launch()),
      ctas_(producer.launch().ctas()),
      visits_(producer.is_independent() ? kEpochVisits : 1),
      random_(schedule.seed) {
  for (uint32_t sm = 0; sm < config.sms; ++sm) {
    sms_.push_back({Residents(sm, sm * config.ctas_per_sm, producer.launch().warps())});
  }
  order_.resize(visits_, std::vector<uint32_t>(config.sms));
  std::iota(order_.back().begin(), order_.back().end(), 0);
}

void Replay::start(uint32_t sm, uint32_t slot, uint64_t cta) {
  producer_.start(slot, cta);
  sms_[sm].residents.add(slot, schedule_.pace(cta), producer_.buffers(slot));
}

void Replay::begin_epoch() {
  std::vector<uint32_t> last = order_.back();
  for (std::vector<uint32_t>& order : order_) {
    if (schedule_.shuffle_sms) shuffle(last, random_);
    order = last;
  }
  for (SmState& sm : sms_) sm.visits.clear();
}

void Replay::play(uint32_t index) {
  SmState& sm = sms_[index];
  SmGroup& group = hierarchy_.group_of(index);
  while (!sm.residents.empty()) {
    if (sm.rounds == schedule_.rounds_per_visit || sm.visits.empty()) {
      if (sm.visits.size() == visits_) return;
      sm.visits.emplace_back();
      sm.rounds = 0;
    }
    Visit& visit = sm.visits.back();
    visit.round += sm.residents.play(producer_, schedule_, group);
    visit.sent = group.queue(index).size();
    if (visit.round.fault) return;
    ++sm.rounds;
    if (sm.residents.free_ended().empty() || next_cta_ == ctas_) continue;
    sm.freed = sm.residents.freed();
    return;
  }
}

std::vector<uint32_t> Replay::hand_out() {
  size_t earliest = visits_ + 1;
  for (const SmState& sm : sms_) {
    if (!sm.freed.empty()) earliest = std::min(earliest, sm.visits.size());
  }
  std::vector<uint32_t> served;
  if (earliest > visits_) return served;
  for (const uint32_t index : order_[earliest - 1]) {
    SmState& sm = sms_[index];
    if (sm.freed.empty() || sm.visits.size() != earliest) continue;
    for (const uint32_t slot : sm.freed) {
      if (next_cta_ < ctas_) start(index, slot, next_cta_++);
    }
    sm.freed.clear();
    served.push_back(index);
    if (schedule_.rounds_per_visit > 1) break;  // its visit goes on before the next SM's
  }
  return served;
}

/// The first fault in the order of the schedule; or a turn of all SMs in which none could go on.
Status Replay::check_progress() const {
  for (uint32_t visit = 0; visit < visits_; ++visit) {
    bool alive = false, moved = false;
    for (const uint32_t index : order_[visit]) {
      if (sms_[index].visits.size() <= visit) continue;
      const Round& round = sms_[index].visits[visit].round;
      if (round.fault) return *round.fault;
      alive = true;
      moved |= round.moved || !round.tried;
    }
    if (alive && !moved) {
      return Diagnostic{.message = "every resident CTA waits for another one",
                        .hint = "the kernel needs more CTAs at once than this GPU holds",
                        .code = "ctas-wait-for-each-other"};
    }
  }
  return {};
}

void Replay::send_to_l2() {
  for (uint32_t visit = 0; visit < visits_; ++visit) {
    for (const uint32_t index : order_[visit]) {
      const std::vector<Visit>& visits = sms_[index].visits;
      if (visits.size() <= visit) continue;
      const size_t first = visit == 0 ? 0 : visits[visit - 1].sent;
      hierarchy_.send(index, hierarchy_.group_of(index).queue(index), first, visits[visit].sent);
    }
  }
  for (uint32_t index = 0; index < sms_.size(); ++index) {
    hierarchy_.group_of(index).queue(index).clear();
  }
}

Result<Counters> Replay::run() {
  producer_.set_slots(config_.sms * config_.ctas_per_sm);
  for (uint32_t place = 0; place < config_.ctas_per_sm; ++place) {
    for (uint32_t sm = 0; sm < config_.sms && next_cta_ < ctas_; ++sm) {
      start(sm, sm * config_.ctas_per_sm + place, next_cta_++);
    }
  }
  const auto alive = [](const SmState& sm) { return !sm.residents.empty(); };
  while (std::any_of(sms_.begin(), sms_.end(), alive)) {
    begin_epoch();
    std::vector<uint32_t> due(sms_.size());
    std::iota(due.begin(), due.end(), 0);
    while (!due.empty()) {
      for (const uint32_t sm : due) play(sm);
      due = hand_out();
    }
    WL_TRY_STATUS(check_progress());
    send_to_l2();
  }
  return hierarchy_.finish();
}

}  // namespace

Result<Counters> replay(Producer& producer, const Config& config, const Schedule& schedule) {
  return Replay(producer, config, schedule).run();
}

}  // namespace warpledger::memory
