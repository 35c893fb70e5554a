#include "warpledger/profile/sampling/extrapolate.h"

#include <algorithm>
#include <functional>

#include "warpledger/base/check.h"
#include "warpledger/profile/value/fields.h"

namespace warpledger::profile {
namespace {

using memory::Counters;
using trace::Kind;

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
double extend(const Series& number, const Series& base, double base_total) {
  const double rest = base_total - base.once;
  if (base.windows > 0) return number.once + number.windows / base.windows * rest;
  // Nothing in the windows: what the cold waves and the tail show must do.
  return base.once > 0 ? number.once / base.once * base_total : 0;
}

SiteFields extend_site(const Sampled& run, size_t site, const memory::SiteCounters& asked) {
  SiteFields fields = fields_of(asked);
  const auto series = [&](size_t field) {
    return series_of(run, [&](const Counters& c) { return fields_of(c.sites[site])[field]; });
  };
  // Tag banks are found by a hash of the address: every block that ran says more than a few that
  // stand for all.
  const SiteFields ran = fields_of(run.end.sites[site]);
  if (ran[kRequests] > 0) {
    fields[kTagWavefronts] = ran[kTagWavefronts] / ran[kRequests] * fields[kRequests];
  }
  const Series requests = series(kRequests);
  for (size_t field = kExactSiteFields; field < kSiteFields; ++field) {
    fields[field] = extend(series(field), requests, fields[kRequests]);
  }
  return fields;
}

enum class Class : uint8_t { kRead, kWrite, kAtomic, kChange, kAll };  // kChange: the two before it

Class class_of(const trace::Site& site) {
  if (site.kind == Kind::kStore || site.kind == Kind::kStoreMatrix) return Class::kWrite;
  const bool atomic = site.kind == Kind::kAtomic || site.kind == Kind::kCompareSwap ||
                      site.kind == Kind::kReduction;
  return atomic ? Class::kAtomic : Class::kRead;
}

/// Sums over sites of a class, of the sampled run and of the extrapolated total alike.
class Sums {
 public:
  Sums(const Sampled& run, const trace::Sites& sites, const std::vector<SiteFields>& totals)
      : run_(run), sites_(sites), totals_(totals) {}

  /// The total of a counter of the whole chip that is proportional to the sites' `field`.
  double extend_by(size_t field, Class which,
                   const std::function<double(const Counters&)>& read) const {
    const Series base = series_of(run_, [&](const Counters& c) {
      double sum = 0;
      for (size_t i = 0; i < sites_.size(); ++i) {
        if (counts(i, which)) sum += fields_of(c.sites[i])[field];
      }
      return sum;
    });
    double total = 0;
    for (size_t i = 0; i < sites_.size(); ++i) {
      if (counts(i, which)) total += totals_[i][field];
    }
    return extend(series_of(run_, read), base, total);
  }

 private:
  [[nodiscard]] bool counts(size_t site, Class which) const {
    const Class own = class_of(sites_[site]);
    return which == Class::kAll || own == which || (which == Class::kChange && own != Class::kRead);
  }
  const Sampled& run_;
  const trace::Sites& sites_;
  const std::vector<SiteFields>& totals_;
};

#define WL_READ(field) [](const Counters& c) { return static_cast<double>(c.field); }

memory::L2Counters extend_l2(const Sums& sums) {
  const auto by = [&](Class which, const std::function<double(const Counters&)>& read) {
    return whole(sums.extend_by(kL2Sectors, which, read));
  };
  return {.read_sectors = by(Class::kRead, WL_READ(l2.read_sectors)),
          .read_hits = by(Class::kRead, WL_READ(l2.read_hits)),
          .write_sectors = by(Class::kWrite, WL_READ(l2.write_sectors)),
          .write_hits = by(Class::kWrite, WL_READ(l2.write_hits)),
          .atomic_sectors = by(Class::kAtomic, WL_READ(l2.atomic_sectors)),
          .atomic_hits = by(Class::kAtomic, WL_READ(l2.atomic_hits)),
          .fabric_sectors = by(Class::kAll, WL_READ(l2.fabric_sectors)),
          .fabric_hits = by(Class::kAll, WL_READ(l2.fabric_hits)),
          .promoted_sectors = by(Class::kRead, WL_READ(l2.promoted_sectors)),
          .ecc_sectors = by(Class::kWrite, WL_READ(l2.ecc_sectors))};
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
  const double growth = dirty_growth(run) * std::max(0.0, dirtied_total - dirtied(run.end));
  const double share = dirtied_total / std::max(1.0, dirtied_total + reads_total);
  return std::max(here, std::min({here + growth, room.dirty_limit, room.sectors * share}));
}

memory::DramCounters extend_dram(const Sampled& run, const Sums& sums, L2Room room) {
  const auto reads = [&](const std::function<double(const Counters&)>& read) {
    return sums.extend_by(kDramReads, Class::kAll, read);
  };
  const double read = reads(WL_READ(dram.read_sectors));
  const double all = sums.extend_by(kL2Sectors, Class::kChange, dirtied);
  const double left = dirty_at_end(run, all, read, room);
  const double written = std::max(0.0, all - left);
  const auto ecc = static_cast<double>(run.end.dram.ecc_write_sectors);
  const double plain = static_cast<double>(run.end.dram.write_sectors) - ecc;
  const double check = plain > 0 ? ecc / plain : 0;
  return {.read_sectors = whole(read),
          .write_sectors = whole(written * (1 + check)),
          .ecc_read_sectors = whole(reads(WL_READ(dram.ecc_read_sectors))),
          .ecc_write_sectors = whole(written * check),
          .dirty_left_sectors = whole(left)};
}

}  // namespace

Counters extrapolate(const Sampled& sampled, const trace::Sites& sites,
                     const std::vector<memory::SiteCounters>& asked, L2Room room) {
  WL_CHECK(!sampled.windows.empty() && asked.size() == sites.size());
  std::vector<SiteFields> totals;
  for (size_t i = 0; i < sites.size(); ++i) totals.push_back(extend_site(sampled, i, asked[i]));
  const Sums sums(sampled, sites, totals);
  Counters made{.sites = {}, .l2 = extend_l2(sums), .dram = extend_dram(sampled, sums, room)};
  for (const SiteFields& fields : totals) made.sites.push_back(counters_of(fields));
  return made;
}

}  // namespace warpledger::profile
