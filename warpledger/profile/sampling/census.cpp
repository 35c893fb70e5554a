#include "warpledger/profile/sampling/census.h"

#include <algorithm>
#include <cmath>

#include "warpledger/memory/request_counter.h"
#include "warpledger/profile/sampling/probe.h"
#include "warpledger/profile/value/fields.h"

namespace warpledger::profile {
namespace {

constexpr uint32_t kBudget = 4096;  // slots a warp and run, as trace::run_all() takes them

/// Runs a CTA for a while and counts what it asked for.
Result<trace::Progress> advance(trace::Producer& producer, memory::RequestCounter& counter,
                                uint32_t slot) {
  WL_TRY(const trace::Progress progress, producer.run(slot, kBudget));
  const std::span<trace::Buffer> warps = producer.buffers(slot);
  for (uint32_t warp = 0; warp < warps.size(); ++warp) counter.drain(warp, warps[warp]);
  return progress;
}

/// The CTAs of a cluster, side by side; of a grid without clusters, one.
Status run_one(trace::Producer& producer, memory::RequestCounter& counter, uint64_t number,
               uint32_t cluster) {
  for (uint32_t slot = 0; slot < cluster; ++slot) producer.start(slot, number * cluster + slot);
  std::vector<bool> alive(cluster, true);
  for (uint32_t living = cluster; living > 0;) {
    bool moved = false;
    for (uint32_t slot = 0; slot < cluster; ++slot) {
      if (!alive[slot]) continue;
      WL_TRY(const trace::Progress progress, advance(producer, counter, slot));
      moved |= progress != trace::Progress::kBlocked;
      alive[slot] = progress != trace::Progress::kEnded;
      living -= alive[slot] ? 0 : 1;
    }
    if (!moved) {
      return Diagnostic{.message = "a block waits for another block, although none should",
                        .hint = "use --exact to run them together",
                        .code = "ctas-wait-for-each-other"};
    }
  }
  return {};
}

/// Every number of an engine's statistics.
template <class Visit>
void each_executed(exec::Statistics& s, Visit visit) {
  for (uint64_t* n : {&s.ctas, &s.warps, &s.warp_instructions, &s.thread_instructions, &s.barriers,
                      &s.divergent_branches}) {
    visit(*n);
  }
  for (uint64_t& n : s.by_family) visit(n);
  for (exec::Statistics::Accesses& space : s.by_space) {
    for (uint64_t* n : {&space.loads, &space.stores, &space.atomics, &space.lanes, &space.bytes}) {
      visit(*n);
    }
  }
}

/// Sums of what delegates stand for.
class Tally {
 public:
  explicit Tally(size_t sites) : sites_(sites), halves_(2, std::vector<SiteNumbers>(sites)) {}

  void add(const Delegate& delegate, const memory::CtaRequests& asked) {
    for (size_t i = 0; i < sites_.size(); ++i) {
      const SiteNumbers numbers = numbers_of(asked.sites[i]);
      add_scaled(sites_[i], numbers, delegate.weight);
      for (uint32_t half = 0; half < 2; ++half) {
        const double share = delegate.half == 2 ? 1 : delegate.half == half ? 2 : 0;
        add_scaled(halves_[half][i], numbers, share * delegate.weight);
      }
    }
    accesses_ += delegate.weight * static_cast<double>(asked.accesses);
    batches_ += delegate.weight * static_cast<double>(asked.batches);
    weight_ += delegate.weight;
    lengths_.emplace_back(delegate.weight, static_cast<double>(asked.accesses));
  }
  void fill(Census& census, uint32_t cluster) const {
    census.sites = rounded(sites_);
    census.halves = {rounded(halves_[0]), rounded(halves_[1])};
    census.accesses = accesses_;
    census.batches_per_cta = batches_ / weight_ / cluster;
    double apart = 0;
    for (const auto& [weight, length] : lengths_) {
      apart += weight * std::abs(length - accesses_ / weight_);
    }
    census.deviation = accesses_ > 0 ? apart / accesses_ : 0;
  }

 private:
  static std::vector<memory::SiteCounters> rounded(const std::vector<SiteNumbers>& all) {
    std::vector<memory::SiteCounters> counters;
    for (const SiteNumbers& numbers : all) counters.push_back(counters_of(numbers));
    return counters;
  }
  std::vector<SiteNumbers> sites_;
  std::vector<std::vector<SiteNumbers>> halves_;
  std::vector<std::pair<double, double>> lengths_;  // weights and accesses
  double accesses_ = 0, batches_ = 0, weight_ = 0;
};

/// What an engine counted, as numbers that can be weighted.
std::vector<double> executed(const exec::Engine& engine) {
  std::vector<double> all;
  exec::Statistics statistics = engine.statistics();
  each_executed(statistics, [&](uint64_t& n) { all.push_back(static_cast<double>(n)); });
  for (const exec::InstructionCount& count : engine.instruction_counts()) {
    all.push_back(static_cast<double>(count.executions));
    all.push_back(static_cast<double>(count.lanes));
  }
  return all;
}

void fill_executed(const std::vector<double>& sums, Census& census) {
  size_t at = 0;
  const auto next = [&] { return static_cast<uint64_t>(std::llround(sums[at++])); };
  each_executed(census.statistics, [&](uint64_t& n) { n = next(); });
  while (at < sums.size()) {
    const uint64_t executions = next();
    census.code.push_back({executions, next()});
  }
}

/// Of the first block of each delegate, the one nearest to the grid's middle.
uint64_t logged_block(uint64_t ctas, const std::vector<Delegate>& delegates, uint32_t cluster) {
  const auto distance = [&](const Delegate& one) {
    const uint64_t cta = one.cta * cluster, middle = ctas / 2;
    return cta < middle ? middle - cta : cta - middle;
  };
  const auto nearest =
      std::min_element(delegates.begin(), delegates.end(),
                       [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  return nearest->cta * cluster;
}

}  // namespace

Result<Census> take_census(exec::Engine& engine, const trace::Sites& sites,
                           const std::vector<Delegate>& delegates, uint32_t cluster) {
  Probe producer(engine, {}, sites);
  memory::RequestCounter counter;
  producer.set_slots(cluster);
  counter.begin(producer.launch());
  Tally tally(sites.size());
  engine.log_block(logged_block(engine.launch().ctas(), delegates, cluster));
  std::vector<double> before = executed(engine), sums(before.size());
  for (const Delegate& delegate : delegates) {
    WL_TRY_STATUS(run_one(producer, counter, delegate.cta, cluster));
    tally.add(delegate, counter.take());
    std::vector<double> now = executed(engine);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += delegate.weight * (now[i] - before[i]);
    before = std::move(now);
  }
  Census census{.counted = delegates.size() * cluster};
  tally.fill(census, cluster);
  fill_executed(sums, census);
  if (engine.block_log() != nullptr) census.log = *engine.block_log();
  return census;
}

}  // namespace warpledger::profile
