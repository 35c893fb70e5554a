#include "warpledger/profile/metrics/metric.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "warpledger/profile/metrics/inputs.h"

namespace warpledger::profile {
namespace {

constexpr int kPercent = 100;

template <class T>
double known(const Fact<T>& fact) {
  return fact ? static_cast<double>(fact->value) : 0;
}

/// What a roll-up divides by. None without a model of time, or without the clock of the domain.
Term of_time(std::string name, Domain domain, double (*pick)(const Timing&, double cycles)) {
  return computed(std::move(name), [=](const Evidence& e) {
    const double cycles = elapsed_cycles(domain, e.profile);
    if (!e.profile.timing || cycles <= 0) return not_modeled();
    return Value{.raw = pick(*e.profile.timing, cycles)};
  });
}

Term instances_of(Domain domain) {
  constexpr const char* kNames[] = {"SMs", "schedulers", "L2 slices", "interfaces to DRAM",
                                    "DRAM units"};
  return fact(kNames[static_cast<size_t>(domain)],
              [domain](const Gpu& gpu) { return instances(domain, gpu); });
}

Term rolled_up(const Counter& counter, std::string_view rollup) {
  const Domain domain = counter.domain;
  if (rollup == "sum") return counter.sum;
  const Term sum = Term::named(counter.base + ".sum", counter.sum);
  const Term units = instances_of(domain);
  if (rollup == "avg") return Term::quotient(sum, units);
  if (rollup == "sum.per_second") {
    return sum * Term::quotient(1, of_time("seconds", domain, [](const Timing& timing, double) {
                                  return timing.seconds();
                                }));
  }
  const bool of_active = rollup.ends_with("active");
  const Term cycles =
      of_active ? of_time("active cycles", domain,
                          [](const Timing& timing, double) { return timing.active_cycles; })
                : of_time("elapsed cycles", domain, [](const Timing&, double n) { return n; });
  if (rollup.starts_with("sum.per_cycle")) return sum * Term::quotient(1, cycles);
  if (rollup.starts_with("avg.per_cycle")) return sum * Term::quotient(1, cycles * units);
  const auto peak = counter.peak;
  const Term most = fact(counter.unit.empty() ? "peak a cycle" : counter.unit + "s a cycle at most",
                         [peak](const Gpu& gpu) { return peak ? peak(gpu) : 0; });
  return sum * Term::quotient(Term::quotient(kPercent, units * most), cycles);
}

std::string unit_of(const Counter& counter, std::string_view rollup) {
  if (rollup.ends_with("per_second")) return counter.unit + "/s";
  if (rollup.find("per_cycle") != std::string_view::npos) return counter.unit + "/cycle";
  if (rollup.find("pct_of_peak") != std::string_view::npos) return "%";
  return counter.unit;
}

constexpr std::string_view kRollups[] = {"sum",
                                         "avg",
                                         "sum.per_second",
                                         "sum.per_cycle_elapsed",
                                         "avg.per_cycle_elapsed",
                                         "sum.per_cycle_active",
                                         "avg.per_cycle_active",
                                         "avg.pct_of_peak_sustained_elapsed",
                                         "avg.pct_of_peak_sustained_active"};

Diagnostic unknown(const Catalog& catalog, std::string_view name) {
  std::vector<std::string> names;
  for (const Single& single : catalog.singles) names.push_back(single.name);
  for (const Counter& counter : catalog.counters) names.push_back(counter.base + ".sum");
  return {.message = fmt::format("the metric '{}' is not modeled", name),
          .hint = did_you_mean(name, names),
          .code = "unknown-metric"};
}

}  // namespace

double instances(Domain domain, const Gpu& gpu) {
  const auto sms = static_cast<double>(gpu.sms.value);
  switch (domain) {
    case Domain::kSm:
      return sms;
    case Domain::kSmsp:
      return sms * static_cast<double>(gpu.architecture.execution.sub_partitions_per_sm.value);
    case Domain::kLts:
      return known(gpu.l2.slices);
    case Domain::kFbpa:
    case Domain::kDram: {
      // A unit drives 32 bits of GDDR or 128 of HBM: 12 units on RTX 3090, 8 on T4, 40 on A100
      // and H100 (Total over Elapsed Cycles of their reports).
      if (!gpu.dram.bus_bits || !gpu.dram.type) return 0;
      return known(gpu.dram.bus_bits) / (gpu.dram.type->value.starts_with("HBM") ? 128 : 32);
    }
  }
  return 0;
}

double elapsed_cycles(Domain domain, const Profile& profile) {
  if (!profile.timing) return 0;
  const Timing& timing = *profile.timing;
  switch (domain) {
    case Domain::kSm:
    case Domain::kSmsp:
      return timing.elapsed_cycles;
    case Domain::kLts:
    case Domain::kFbpa:
      return timing.seconds() * timing.l2_hertz;
    case Domain::kDram:
      return timing.seconds() * timing.dram_hertz;
  }
  return 0;
}

double dram_megahertz(const Gpu& gpu) {
  return known(gpu.dram.ncu_mhz ? gpu.dram.ncu_mhz : gpu.dram.mhz);
}

std::optional<double> least_cycles(const Counter& counter, const Evidence& evidence) {
  const Gpu& gpu = evidence.profile.gpu;
  const auto sum = counter.sum(evidence).number();
  const double peak = counter.peak ? counter.peak(gpu) : 0;
  double units = instances(counter.domain, gpu);
  if (!sum || peak == 0 || units == 0) return {};
  if (counter.domain == Domain::kSm) {  // SMs without a block do nothing
    const auto blocks = static_cast<double>(evidence.profile.statistics.blocks);
    // Two SMs share what a TPC has once; blocks go to different TPCs first.
    const double rivals = counter.per_tpc && counter.per_tpc(gpu) && 2 * blocks > units ? 2 : 1;
    units = std::min(units, blocks) / rivals;
  }
  const double cycles = *sum / (units * peak);
  if (counter.domain == Domain::kLts || counter.domain == Domain::kFbpa) {
    const double share = known(gpu.clocks.ncu_l2_ratio);
    return share == 0 ? std::nullopt : std::optional(cycles / share);
  }
  if (counter.domain == Domain::kDram) {
    const double dram = dram_megahertz(gpu);
    const double sm = known(gpu.clocks.ncu_sm_mhz);
    return dram == 0 || sm == 0 ? std::nullopt : std::optional(cycles * sm / dram);
  }
  return cycles;
}

const Catalog& catalog() {
  static const Catalog all = [] {
    Catalog made;
    add_launch_metrics(made);
    add_sm_metrics(made);
    add_pipe_metrics(made);
    add_tensor_metrics(made);
    add_l1_metrics(made);
    add_texture_metrics(made);
    add_shared_metrics(made);
    add_dram_metrics(made);  // the L2's name these
    add_l2_metrics(made);
    add_source_metrics(made);
    add_time_metrics(made);
    add_state_metrics(made);
    return made;
  }();
  return all;
}

const Counter* find_counter(const Catalog& catalog, std::string_view base) {
  for (const Counter& counter : catalog.counters) {
    if (counter.base == base) return &counter;
  }
  return nullptr;
}

const Counter* find_counter(std::string_view base) { return find_counter(catalog(), base); }

Term sum_of(const Catalog& catalog, std::string_view base) {
  const Counter* counter = find_counter(catalog, base);
  WL_CHECK(counter != nullptr);
  return Term::named(counter->base + ".sum", counter->sum);
}

Result<Metric> find_metric(const Catalog& catalog, std::string_view name) {
  for (const Single& single : catalog.singles) {
    if (single.name == name) return Metric{single.name, single.unit, single.formula};
  }
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return unknown(catalog, name);
  const std::string_view base = name.substr(0, dot), rollup = name.substr(dot + 1);
  const Counter* counter = find_counter(catalog, base);
  const auto found = std::find(std::begin(kRollups), std::end(kRollups), rollup);
  if (counter == nullptr || found == std::end(kRollups)) return unknown(catalog, name);
  return Metric{std::string(name), unit_of(*counter, rollup), rolled_up(*counter, rollup)};
}

Result<Metric> find_metric(std::string_view name) { return find_metric(catalog(), name); }

namespace {

/// Facts of the launch stay what they are when blocks are left out.
bool is_of_launch(const std::string& name) {
  static const std::set<std::string> names = [] {
    Catalog launch;
    add_launch_metrics(launch);
    std::set<std::string> made;
    for (const Single& single : launch.singles) made.insert(single.name);
    return made;
  }();
  return names.contains(name);
}

}  // namespace

Value evaluate(const Metric& metric, const Profile& profile) {
  Value value = metric.formula({profile, profile.counters});
  if (value.is_known() && !is_of_launch(metric.name)) {
    value.fidelity = weakest(value.fidelity, profile.counted_as());
  }
  const auto here = value.number();
  if (!here) return value;
  double low = *here, high = *here;
  for (const memory::Counters& counters : profile.other_orders) {
    const auto there = metric.formula({profile, counters}).number();
    low = std::min(low, there.value_or(low));
    high = std::max(high, there.value_or(high));
  }
  if (low < high) {
    value.low = low;
    value.high = high;
  }
  return value;
}

}  // namespace warpledger::profile
