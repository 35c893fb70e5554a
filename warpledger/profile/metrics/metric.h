// profile/metrics/: a Profile under ncu's names. metrics_*.cpp are the table; section.h says which
// metric stands where, page.h prints the details, raw and source pages as text and as ncu's CSV,
// ledger.h writes the same as a ledger. The room computes formulas over counters that are there; it
// must not know how they were counted.
//
// This file: ncu's metrics. A hardware counter's name and a roll-up make a metric:
//
//   lts__t_sectors . sum                          over all instances of the unit
//                  . avg                          per instance
//                  . sum.per_second               needs time
//                  . avg.per_cycle_elapsed        needs time
//                  . avg.pct_of_peak_sustained_elapsed   needs time and the unit's peak
//
// so that one row of the table answers a whole family. Ratios and launch attributes have one name
// each. Every definition is a Term (term.h): its value and its formula are the same tree. What
// needs time has no value until a model of time has filled Profile::timing.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "warpledger/profile/metrics/term.h"

namespace warpledger::profile {

/// Whose instances and cycles a counter is averaged over.
/// kFbpa: the interfaces between the L2 and DRAM, one for each DRAM unit, in the L2's clock.
enum class Domain : uint8_t { kSm, kSmsp, kLts, kFbpa, kDram };

/// A hardware counter. `peak`: per instance and cycle; 0: it has none, or it is not known.
struct Counter {
  std::string base = {};  // "lts__t_sectors"
  std::string unit = {};  // "sector"
  Domain domain = Domain::kSm;
  Term sum = {};
  std::function<double(const Gpu&)> peak = nullptr;
  std::function<bool(const Gpu&)> per_tpc =
      nullptr;  // two SMs share one: the peak of both together
};

/// A metric with one name: ratios, attributes of the launch, source counters.
struct Single {
  std::string name = {};
  std::string unit = {};
  Term formula = {};
};

struct Catalog {
  std::vector<Counter> counters = {};
  std::vector<Single> singles = {};
};

/// One file each adds its part.
void add_launch_metrics(Catalog& catalog);
void add_sm_metrics(Catalog& catalog);
void add_pipe_metrics(Catalog& catalog);
void add_tensor_metrics(Catalog& catalog);
void add_l1_metrics(Catalog& catalog);
void add_texture_metrics(Catalog& catalog);
void add_shared_metrics(Catalog& catalog);
void add_l2_metrics(Catalog& catalog);
void add_dram_metrics(Catalog& catalog);
void add_source_metrics(Catalog& catalog);
void add_time_metrics(Catalog& catalog);
void add_state_metrics(Catalog& catalog);

[[nodiscard]] const Catalog& catalog();
/// "`base`.sum" for a formula of another metric. Pre: the catalog has the counter by now.
[[nodiscard]] Term sum_of(const Catalog& catalog, std::string_view base);
[[nodiscard]] const Counter* find_counter(std::string_view base);

/// A metric ready to be evaluated.
struct Metric {
  std::string name = {};
  std::string unit = {};
  Term formula = {};
};

/// Fails with the nearest name when the catalog knows none.
[[nodiscard]] Result<Metric> find_metric(std::string_view name);
[[nodiscard]] Result<Metric> find_metric(const Catalog& catalog, std::string_view name);

/// The metric in the profile's own order, with the band over all its orders.
[[nodiscard]] Value evaluate(const Metric& metric, const Profile& profile);

/// Instances and cycles of a domain; cycles are 0 without a model of time.
[[nodiscard]] double instances(Domain domain, const Gpu& gpu);
[[nodiscard]] double elapsed_cycles(Domain domain, const Profile& profile);

/// DRAM's clock as ncu holds it, where a report showed that; 0 where it is not known.
[[nodiscard]] double dram_megahertz(const Gpu& gpu);

/// count / (instances x peak), in cycles of the SM clock: the least time that the unit needs for
/// what it was asked, the SMs sharing it evenly as far as there are blocks. Nothing when the peak
/// or a clock is not known.
[[nodiscard]] std::optional<double> least_cycles(const Counter& counter, const Evidence& evidence);

}  // namespace warpledger::profile
