#include "warpledger/profile/sampling/extrapolate.h"

#include <algorithm>
#include <functional>
#include <initializer_list>

#include "warpledger/base/check.h"
#include "warpledger/profile/value/fields.h"

namespace warpledger::profile {
namespace {

using memory::Counters;

/// One number along the sampled run: once in the cold waves and the tail, and in the windows.
struct Series {
  double once = 0, windows = 0;
};

template <class Read>
Series series_of(const Sampled& run, Read read) {
  Series series{.once = read(run.cold) + read(run.end) - read(run.tail_begin)};
  for (const Window& window : run.windows) series.windows += read(window.end) - read(window.begin);
  return series;
}

/// The number's total when that of `base`, to which it is proportional in the windows, is known.
/// `unseen`: number over base, assumed where the sample has nothing of either.
double extend(const Series& number, const Series& base, double base_total, double unseen = 0) {
  const double rest = base_total - base.once;
  if (base.windows > 0) return number.once + number.windows / base.windows * rest;
  // Nothing in the windows: what the cold waves and the tail show must do.
  return base.once > 0 ? number.once / base.once * base_total : unseen * base_total;
}

/// All counters of one site along the sampled run, as Series has one.
struct SiteSeries {
  SiteNumbers once, windows;
};

SiteSeries series_of(const Sampled& run, size_t site) {
  SiteSeries series;
  const auto change = [](double& sum, uint64_t from, uint64_t to) {
    sum += static_cast<double>(to) - static_cast<double>(from);
  };
  series.once = numbers_of(run.cold.sites[site]);
  memory::each_counter(change, series.once, run.tail_begin.sites[site], run.end.sites[site]);
  for (const Window& window : run.windows) {
    memory::each_counter(change, series.windows, window.begin.sites[site], window.end.sites[site]);
  }
  return series;
}

/// Of a site that the sample never came to, a store behind a long loop for example: its bytes are
/// taken to be new to both caches.
void assume_new(const trace::Site& site, SiteNumbers& total) {
  const auto& asked = total.request;
  memory::each_modeled_counter([](double& number) { number = 0; }, total);
  const bool is_bulk = asked.sectors == 0;  // past the L1
  total.l2_sectors = is_bulk ? asked.theoretical_sectors : asked.sectors;
  total.l2_requests = is_bulk ? total.l2_sectors / 4 : asked.tags;
  const bool reads = effect_of(site) == trace::Effect::kRead;
  total.l2_hit_sectors = effect_of(site) == trace::Effect::kWrite ? total.l2_sectors : 0;
  total.dram_read_sectors = reads ? total.l2_sectors : 0;
}

SiteNumbers extend_site(const Sampled& run, const trace::Sites& sites, size_t site,
                        const memory::SiteCounters& asked) {
  SiteNumbers total = numbers_of(asked);
  const double requests = total.request.requests;
  // Tag banks are found by a hash of the address: every block that ran says more than a few that
  // stand for all.
  const SiteNumbers ran = numbers_of(run.end.sites[site]);
  if (ran.request.requests > 0) {
    total.tag_wavefronts = ran.tag_wavefronts / ran.request.requests * requests;
  }
  const SiteSeries series = series_of(run, site);
  const Series base{series.once.request.requests, series.windows.request.requests};
  if (base.once == 0 && base.windows == 0) {
    assume_new(sites[site], total);
    return total;
  }
  memory::each_modeled_counter(
      [&](double& number, double once, double windows) {
        number = extend({once, windows}, base, requests);
      },
      total, series.once, series.windows);
  return total;
}

using Effects = std::initializer_list<trace::Effect>;
constexpr Effects kReads = {trace::Effect::kRead}, kWrites = {trace::Effect::kWrite},
                  kUpdates = {trace::Effect::kUpdate},
                  kChanges = {trace::Effect::kWrite, trace::Effect::kUpdate},
                  kAll = {trace::Effect::kRead, trace::Effect::kWrite, trace::Effect::kUpdate};

// Of SiteCounters and SiteNumbers alike.
constexpr auto kL2Sectors = [](const auto& c) { return static_cast<double>(c.l2_sectors); };
constexpr auto kDramReads = [](const auto& c) { return static_cast<double>(c.dram_read_sectors); };

/// Sums over the sites of some effects, of the sampled run and of the extrapolated total alike.
class Sums {
 public:
  Sums(const Sampled& run, const trace::Sites& sites, const std::vector<SiteNumbers>& totals)
      : run_(run), sites_(sites), totals_(totals) {}

  /// The total of a counter of the whole chip that is proportional to one of the sites.
  template <class OfSite>
  double extend_by(OfSite of_site, Effects effects,
                   const std::function<double(const Counters&)>& read, double unseen = 0) const {
    const Series base =
        series_of(run_, [&](const Counters& c) { return sum(c.sites, of_site, effects); });
    return extend(series_of(run_, read), base, sum(totals_, of_site, effects), unseen);
  }

 private:
  template <class All, class OfSite>
  [[nodiscard]] double sum(const All& all, OfSite of_site, Effects effects) const {
    double total = 0;
    for (size_t i = 0; i < sites_.size(); ++i) {
      const bool counts =
          std::find(effects.begin(), effects.end(), effect_of(sites_[i])) != effects.end();
      if (counts) total += of_site(all[i]);
    }
    return total;
  }
  const Sampled& run_;
  const trace::Sites& sites_;
  const std::vector<SiteNumbers>& totals_;
};

#define WL_READ(field) [](const Counters& c) { return static_cast<double>(c.field); }

memory::L2Counters extend_l2(const Sums& sums) {
  const auto by = [&](Effects effects, const std::function<double(const Counters&)>& read,
                      double unseen = 0) {
    return whole(sums.extend_by(kL2Sectors, effects, read, unseen));
  };
  return {.read_sectors = by(kReads, WL_READ(l2.read_sectors), 1),
          .read_hits = by(kReads, WL_READ(l2.read_hits)),
          .write_sectors = by(kWrites, WL_READ(l2.write_sectors), 1),
          .write_hits = by(kWrites, WL_READ(l2.write_hits), 1),
          .atomic_sectors = by(kUpdates, WL_READ(l2.atomic_sectors), 1),
          .atomic_hits = by(kUpdates, WL_READ(l2.atomic_hits)),
          .hottest_atomics = by(kUpdates, WL_READ(l2.hottest_atomics)),
          .fabric_sectors = by(kAll, WL_READ(l2.fabric_sectors)),
          .fabric_hits = by(kAll, WL_READ(l2.fabric_hits)),
          .promoted_sectors = by(kReads, WL_READ(l2.promoted_sectors)),
          .ecc_sectors = by(kWrites, WL_READ(l2.ecc_sectors))};
}

/// Sectors that become dirty: written already, or waiting in the L2.
double dirtied(const Counters& c) {
  const memory::DramCounters& d = c.dram;
  return static_cast<double>(d.write_sectors - d.ecc_write_sectors + d.dirty_left_sectors);
}

/// The share of what windows make dirty that stays so: 0 once the L2 holds as much as it will.
double dirty_growth(const Sampled& run) {
  const Window& last = run.windows.back();
  const double made = dirtied(last.end) - dirtied(last.begin);
  const auto stayed = static_cast<double>(last.end.dram.dirty_left_sectors) -
                      static_cast<double>(last.begin.dram.dirty_left_sectors);
  return made > 0 ? std::clamp(stayed / made, 0.0, 1.0) : 0;
}

/// Dirty sectors in the L2 at the end. A sample that is too short to fill the L2 sees them still
/// grow; they stop at the limit, or where what comes in beside them pushes as many out.
double dirty_at_end(const Sampled& run, double dirtied_total, double reads_total, L2Room room) {
  const auto here = static_cast<double>(run.end.dram.dirty_left_sectors);
  const Window& last = run.windows.back();
  const bool comes_late = dirtied(last.end) == dirtied(last.begin);
  if (comes_late) {  // and nothing pushes it out
    const double rest = std::max(0.0, dirtied_total - dirtied(run.end));
    return std::max(here, std::min(here + rest, room.dirty_limit));
  }
  const double growth = dirty_growth(run) * std::max(0.0, dirtied_total - dirtied(run.end));
  const double share = dirtied_total / std::max(1.0, dirtied_total + reads_total);
  return std::max(here, std::min({here + growth, room.dirty_limit, room.sectors * share}));
}

memory::DramCounters extend_dram(const Sampled& run, const Sums& sums, L2Room room) {
  const auto reads = [&](const std::function<double(const Counters&)>& read, double unseen = 0) {
    return sums.extend_by(kDramReads, kAll, read, unseen);
  };
  const double read = reads(WL_READ(dram.read_sectors), 1);
  const double all = sums.extend_by(kL2Sectors, kChanges, dirtied, 1);
  const double left = dirty_at_end(run, all, read, room);
  const double written = std::max(0.0, all - left);
  const auto ecc = static_cast<double>(run.end.dram.ecc_write_sectors);
  const double plain = static_cast<double>(run.end.dram.write_sectors) - ecc;
  const double check = plain > 0 ? ecc / plain : 0;
  const double made = dirtied(run.end);
  const auto first = static_cast<double>(run.end.dram.unique_written_sectors);
  return {.read_sectors = whole(read),
          .write_sectors = whole(written * (1 + check)),
          .ecc_read_sectors = whole(reads(WL_READ(dram.ecc_read_sectors))),
          .ecc_write_sectors = whole(written * check),
          .dirty_left_sectors = whole(left),
          .unique_read_sectors = whole(reads(WL_READ(dram.unique_read_sectors), 1)),
          .unique_written_sectors = whole(made > 0 ? all * std::min(1.0, first / made) : all),
          .opened_rows = whole(reads(WL_READ(dram.opened_rows)))};
}

}  // namespace

Counters extrapolate(const Sampled& sampled, const trace::Sites& sites,
                     const std::vector<memory::SiteCounters>& asked, L2Room room) {
  WL_CHECK(!sampled.windows.empty() && asked.size() == sites.size());
  std::vector<SiteNumbers> totals;
  for (size_t i = 0; i < sites.size(); ++i)
    totals.push_back(extend_site(sampled, sites, i, asked[i]));
  const Sums sums(sampled, sites, totals);
  Counters made{.sites = {}, .l2 = extend_l2(sums), .dram = extend_dram(sampled, sums, room)};
  for (const SiteNumbers& total : totals) made.sites.push_back(counters_of(total));
  return made;
}

}  // namespace warpledger::profile
