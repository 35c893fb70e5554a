#include "warpledger/memory/replay.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "warpledger/base/parallel.h"
#include "warpledger/memory/cache_tracer.h"
#include "warpledger/memory/residents.h"

namespace warpledger::memory {
namespace {

using trace::Producer;

// Visits that an SM may be ahead of the L2: while one SM plays, its L1, its warps' buffers and
// their engine's state stay in the host's caches. With several threads fewer, because SMs that wait
// for CTAs are served one after the other. Any number gives the same counters.
constexpr uint32_t kEpochVisits = 64;
constexpr uint32_t kParallelEpochVisits = 16;
constexpr uint32_t kGroupsPerThread = 4;
constexpr uint32_t kStillTurns = 64;  // without progress: a deadlock

uint32_t threads_for(const Producer& producer, uint32_t threads) {
  return producer.freedom() == trace::Freedom::kParallel ? std::max(1u, threads) : 1;
}

uint32_t visits_for(const Producer& producer, const ReplayOptions& options) {
  if (producer.freedom() < trace::Freedom::kAnyOrder) return 1;
  if (options.epoch_visits) return options.epoch_visits;
  return threads_for(producer, options.threads) > 1 ? kParallelEpochVisits : kEpochVisits;
}

uint32_t groups_for(const Producer& producer, const Config& config, uint32_t threads) {
  threads = threads_for(producer, threads);
  return threads == 1 ? 1 : std::min(config.sms, kGroupsPerThread * threads);
}

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
  std::vector<std::pair<uint32_t, uint64_t>> given = {};  // slots and their CTAs, to be started
};

using Order = std::vector<std::vector<uint32_t>>;  // of the SMs, per visit of an epoch

/// An epoch that the SMs have played and the L2 has not seen.
struct Epoch {
  Order order;
  std::vector<L2Queue> queues;             // per SM
  std::vector<std::vector<Visit>> visits;  // per SM
};

/// Hands out the CTAs of an itinerary.
class Supply {
 public:
  Supply(Itinerary itinerary, uint64_t ctas) : stretches_(std::move(itinerary)) {
    if (stretches_.empty()) stretches_.push_back({0, ctas});
    std::erase_if(stretches_, [](const Stretch& one) { return one.first >= one.end; });
  }
  [[nodiscard]] bool empty() const { return at_ == stretches_.size(); }
  [[nodiscard]] uint64_t given() const { return given_; }
  /// Pre: not empty().
  uint64_t next() {
    Stretch& stretch = stretches_[at_];
    const uint64_t cta = stretch.first++;
    at_ += stretch.first == stretch.end;
    ++given_;
    return cta;
  }

 private:
  Itinerary stretches_;
  size_t at_ = 0;
  uint64_t given_ = 0;
};

class Replay : public View {
 public:
  Replay(Producer& producer, const Config& config, const Schedule& schedule,
         const ReplayOptions& options);
  Result<Counters> run();
  void inherit(Replay&& before) { hierarchy_.inherit(std::move(before.hierarchy_)); }

  [[nodiscard]] uint64_t started() const override { return supply_.given(); }
  [[nodiscard]] uint64_t rounds() const override { return rounds_; }
  [[nodiscard]] uint64_t accesses() const override { return hierarchy_.accesses(); }
  [[nodiscard]] uint64_t lookups() const override { return hierarchy_.lookups(); }
  void count_only() override { hierarchy_.count_only(); }
  [[nodiscard]] Counters counters() override {
    send_to_l2();
    return hierarchy_.so_far();
  }

 private:
  void place_first_ctas();
  void begin_epoch();
  /// The SMs of `due`, each until the epoch's end, a CTA's end or a fault; beside them, the L2
  /// takes what waits for it.
  void play(const std::vector<uint32_t>& due);
  void play_one(uint32_t sm);
  /// Gives CTAs to the SMs that have waited longest; returns them.
  std::vector<uint32_t> hand_out();
  [[nodiscard]] Status check_progress();
  void end_epoch();
  void send_to_l2();
  void send(uint32_t sm, size_t first, size_t last);
  [[nodiscard]] bool is_traced(uint32_t sm) const { return tracer_ && tracer_->sm() == sm; }

  Producer& producer_;
  const Config& config_;
  const Schedule& schedule_;
  uint32_t threads_;
  Hierarchy hierarchy_;
  Supply supply_;
  const Observer& observer_;
  CacheTracer* tracer_;
  uint32_t visits_;     // to each SM, of an epoch
  uint32_t still_ = 0;  // turns without progress
  uint64_t rounds_ = 0;
  std::vector<SmState> sms_;
  Order order_;
  Epoch played_;
  std::mt19937_64 random_;
};

Replay::Replay(Producer& producer, const Config& config, const Schedule& schedule,
               const ReplayOptions& options)
    : producer_(producer),
      config_(config),
      schedule_(schedule),
      threads_(threads_for(producer, options.threads)),
      hierarchy_(config, producer.launch(), groups_for(producer, config, options.threads)),
      supply_(options.itinerary, producer.launch().ctas()),
      observer_(options.observer),
      tracer_(options.tracer),
      visits_(visits_for(producer, options)),
      order_(visits_, std::vector<uint32_t>(config.sms)),
      random_(schedule.seed) {
  for (uint32_t sm = 0; sm < config.sms; ++sm) {
    sms_.push_back(
        {Residents(sm, sm * config.ctas_per_sm, producer.launch().warps(), schedule.seed)});
  }
  if (tracer_ && tracer_->sm() >= config.sms) tracer_ = nullptr;
  if (tracer_) tracer_->begin(hierarchy_.group_of(tracer_->sm()), producer.launch(), config);
  std::iota(order_.back().begin(), order_.back().end(), 0);
  played_.queues.resize(config.sms);
  played_.visits.resize(config.sms);
}

void Replay::place_first_ctas() {
  producer_.set_slots(config_.sms * config_.ctas_per_sm);
  for (uint32_t place = 0; place < config_.ctas_per_sm; ++place) {
    for (uint32_t sm = 0; sm < config_.sms && !supply_.empty(); ++sm) {
      sms_[sm].given.emplace_back(sm * config_.ctas_per_sm + place, supply_.next());
    }
  }
}

void Replay::begin_epoch() {
  std::vector<uint32_t> last = order_.back();
  for (std::vector<uint32_t>& order : order_) {
    if (schedule_.shuffle_sms) shuffle(last, random_);
    order = last;
  }
  for (SmState& sm : sms_) sm.visits.clear();
}

void Replay::play(const std::vector<uint32_t>& due) {
  std::vector<std::vector<uint32_t>> by_group(hierarchy_.groups().size());
  for (const uint32_t sm : due) by_group[hierarchy_.group_index(sm)].push_back(sm);
  for_each_index(static_cast<uint32_t>(by_group.size() + 1), threads_, [&](uint32_t task) {
    if (task == 0) return send_to_l2();
    for (const uint32_t sm : by_group[task - 1]) play_one(sm);
  });
}

void Replay::play_one(uint32_t index) {
  SmState& sm = sms_[index];
  SmGroup& group = hierarchy_.group_of(index);
  for (const auto& [slot, cta] : sm.given) {
    producer_.start(slot, cta);
    if (is_traced(index)) tracer_->start(slot - index * config_.ctas_per_sm, cta);
    sm.residents.add(slot, schedule_.pace(cta), producer_.buffers(slot));
  }
  sm.given.clear();
  while (!sm.residents.empty()) {
    if (sm.rounds == schedule_.rounds_per_visit || sm.visits.empty()) {
      if (sm.visits.size() == visits_) return;
      sm.visits.emplace_back();
      sm.rounds = 0;
    }
    Visit& visit = sm.visits.back();
    visit.round += is_traced(index) ? sm.residents.play(producer_, schedule_, *tracer_)
                                    : sm.residents.play(producer_, schedule_, group);
    visit.sent = group.queue(index).size();
    if (visit.round.fault) return;
    ++sm.rounds;
    if (sm.residents.free_ended().empty() || supply_.empty()) continue;
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
      if (!supply_.empty()) sm.given.emplace_back(slot, supply_.next());
    }
    sm.freed.clear();
    served.push_back(index);
    if (schedule_.rounds_per_visit > 1) break;  // its visit continues before the next SM's
  }
  return served;
}

/// The first fault in the order of the schedule; or turns of all SMs in which none could go on. One
/// such turn says little: blocks of a cluster start one after the other, and meet before they touch
/// memory.
Status Replay::check_progress() {
  for (uint32_t visit = 0; visit < visits_; ++visit) {
    bool alive = false, moved = false;
    for (const uint32_t index : order_[visit]) {
      if (sms_[index].visits.size() <= visit) continue;
      const Round& round = sms_[index].visits[visit].round;
      if (round.fault) return *round.fault;
      alive = true;
      moved |= round.moved || !round.tried;
    }
    still_ = alive && !moved ? still_ + 1 : 0;
    if (still_ == kStillTurns) {
      return Diagnostic{.message = "every resident CTA waits for another one",
                        .hint = "the kernel needs more CTAs at once than this GPU holds",
                        .code = "ctas-wait-for-each-other"};
    }
  }
  return {};
}

void Replay::end_epoch() {
  played_.order = order_;
  for (uint32_t sm = 0; sm < sms_.size(); ++sm) {
    std::swap(played_.queues[sm], hierarchy_.group_of(sm).queue(sm));
    std::swap(played_.visits[sm], sms_[sm].visits);
  }
}

void Replay::send_to_l2() {
  for (uint32_t visit = 0; visit < played_.order.size(); ++visit) {
    for (const uint32_t sm : played_.order[visit]) {
      const std::vector<Visit>& visits = played_.visits[sm];
      if (visits.size() <= visit) continue;
      const size_t first = visit == 0 ? 0 : visits[visit - 1].sent;
      send(sm, first, visits[visit].sent);
    }
  }
  played_.order.clear();
  for (L2Queue& queue : played_.queues) queue.clear();
}

/// Requests of the SM that is watched go one by one.
void Replay::send(uint32_t sm, size_t first, size_t last) {
  const L2Queue& queue = played_.queues[sm];
  if (!is_traced(sm)) return hierarchy_.send(sm, queue, first, last);
  for (size_t i = first; i < last; ++i) {
    const L2Request& request = queue.requests()[i];
    tracer_->note_l2(request, hierarchy_.look(sm, request));
    hierarchy_.send(sm, queue, i, i + 1);
  }
}

Result<Counters> Replay::run() {
  place_first_ctas();
  const auto lives = [](const SmState& sm) { return !sm.residents.empty() || !sm.given.empty(); };
  while (std::any_of(sms_.begin(), sms_.end(), lives)) {
    begin_epoch();
    std::vector<uint32_t> due(sms_.size());
    std::iota(due.begin(), due.end(), 0);
    while (!due.empty()) {
      play(due);
      due = hand_out();
    }
    WL_TRY_STATUS(check_progress());
    end_epoch();
    rounds_ += visits_;
    if (observer_) observer_(*this);
  }
  send_to_l2();
  return hierarchy_.finish();
}

}  // namespace

uint64_t ctas_of(const Itinerary& itinerary) {
  uint64_t sum = 0;
  for (const Stretch& stretch : itinerary) sum += stretch.end - stretch.first;
  return sum;
}

Result<Counters> replay(Producer& producer, const Config& config, const Schedule& schedule,
                        const ReplayOptions& options) {
  Replay replay(producer, config, schedule, options);
  if (options.before) {
    const ReplayOptions how{.threads = options.threads};
    Replay before(*options.before, config, schedule, how);
    WL_TRY(const Counters unused, before.run());
    replay.inherit(std::move(before));
  }
  return replay.run();
}

Result<Counters> replay(Producer& producer, const Config& config, const Schedule& schedule,
                        uint32_t threads) {
  return replay(producer, config, schedule, ReplayOptions{.threads = threads});
}

}  // namespace warpledger::memory
