#include "warpledger/report/roofline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "warpledger/base/number.h"
#include "warpledger/base/units.h"
#include "warpledger/profile/advice/summary.h"
#include "warpledger/render/chart.h"
#include "warpledger/report/flops.h"
#include "warpledger/report/words.h"

namespace warpledger::report {
namespace {

using profile::Profile;

double value(const Fact<int64_t>& fact) { return fact ? static_cast<double>(fact->value) : 0; }

double dram_rate(const Profile& profile) {
  const double transfers = profile.gpu.architecture.dram_transfers_per_clk
                               ? value(profile.gpu.architecture.dram_transfers_per_clk)
                               : 2;
  return transfers * value(profile.gpu.dram.bus_bits) / 8 * profile.timing->dram_hertz;
}

double l2_rate(const Profile& profile) {
  const L2Facts& l2 = profile.gpu.l2;
  return kSectorBytes * value(l2.read_sectors_per_clk_slice) * value(l2.slices) *
         profile.timing->l2_hertz;
}

double l1_rate(const Profile& profile) {
  const L1Facts& l1 = profile.gpu.architecture.l1;
  return value(l1.data_wavefront_bytes) * static_cast<double>(profile.gpu.sms.value) *
         profile.timing->sm_hertz;
}

std::string limit_sentence(const Profile& profile) {
  const auto loads = profile::unit_loads({profile, profile.counters});
  if (loads.empty()) return "No unit is busy.";
  const std::string limit = profile::limit_of(profile), &busiest = loads.front().unit;
  const std::string busy =
      fmt::format("at least {} cycles (modeled)", compact(loads.front().cycles));
  if (limit == busiest) return fmt::format("The limit: {}, busy longest, for {}.", limit, busy);
  const bool waits = limit == "latency";
  return fmt::format("The limit: {}{}; the busiest unit, {}, is busy for {}.", limit,
                     waits ? " (waits, start, tail)" : "", busiest, busy);
}

/// What a launch reaches, and what it could.
struct Reached {
  double flops = 0, flops_per_second = 0;
  ArithmeticPeak peak;
  std::string limit;  // profile::limit_of()
};

/// Flops per second under the roof, at the intensity that its level has. Pre: roof.bytes > 0.
double attainable(const Roof& roof, const Reached& reached) {
  return std::min(reached.flops / roof.bytes * roof.bytes_per_second,
                  reached.peak.flops_per_second);
}

Table data_of(const std::vector<Roof>& roofs, const Reached& reached, Fidelity counted) {
  const auto modeled = Fidelity::kModeled;
  Table table{.columns = {{"Level", "level"},
                          {"Bytes", "bytes", Align::kRight},
                          {"Flops", "flops", Align::kRight},
                          {"Flop/B", "flops_per_byte", Align::kRight},
                          {"Level's roof GB/s", "roof_gbs", Align::kRight},
                          {"GFLOP/s", "gflops", Align::kRight},
                          {"Attainable GFLOP/s", "attainable_gflops", Align::kRight},
                          {"Reached %", "reached_percent", Align::kRight},
                          {"Roof", "roof"}}};
  for (const Roof& roof : roofs) {
    if (roof.bytes <= 0) continue;
    const double intensity = reached.flops / roof.bytes;
    const double allowed = attainable(roof, reached);
    table.rows.push_back(
        {{roof.level,
          Cell(static_cast<int64_t>(roof.bytes), roof.level == "L1" ? counted : modeled),
          Cell(static_cast<int64_t>(reached.flops), counted), number_cell(intensity, 2, modeled),
          number_cell(roof.bytes_per_second / 1e9, 0, modeled),
          number_cell(reached.flops_per_second / 1e9, 1, modeled),
          number_cell(allowed / 1e9, 1, modeled),
          number_cell(100 * reached.flops_per_second / allowed, 1, modeled),
          allowed < reached.peak.flops_per_second ? "bandwidth" : "arithmetic"}});
  }
  return table;
}

/// The power of ten below.
double floor_of(double value) { return std::pow(10, std::floor(std::log10(value))); }

double lowest_rate(const std::vector<Roof>& roofs) {
  double lowest = roofs.front().bytes_per_second;
  for (const Roof& roof : roofs) lowest = std::min(lowest, roof.bytes_per_second);
  return lowest;
}

Chart chart_of(const std::vector<Roof>& roofs, const Reached& reached, bool narrow) {
  Chart chart{.title = narrow ? "Roofline" : fmt::format("Roofline, {} peak", reached.peak.pipe),
              .x = {.label = "flop per byte", .logarithmic = true},
              .y = {.label = "GFLOP/s", .logarithmic = true}};
  if (!narrow && !reached.limit.empty()) chart.title += "; limit: " + reached.limit;
  if (narrow) chart.width = 350, chart.height = 330;
  double low = 1e300, high = 0;
  for (const Roof& roof : roofs) {
    const double ridge = reached.peak.flops_per_second / roof.bytes_per_second;
    const double here = roof.bytes > 0 ? reached.flops / roof.bytes : ridge;
    low = std::min({low, ridge / 4, here / 2});
    high = std::max({high, ridge * 4, here * 2});
  }
  // Below the points, where no roof is, one under the other.
  double shift = 30;
  chart.y.low = floor_of(std::min(low * lowest_rate(roofs), reached.flops_per_second) / 3e9);
  for (const Roof& roof : roofs) {
    const double peak = reached.peak.flops_per_second / 1e9, rate = roof.bytes_per_second / 1e9;
    chart.series.push_back(
        {.label = narrow ? roof.level
                         : fmt::format("{} {} GB/s~", roof.level, compact(std::round(rate))),
         .points = {{low, low * rate}, {peak / rate, peak}, {high, peak}}});
    if (roof.bytes <= 0) continue;
    chart.annotations.push_back({.at = {reached.flops / roof.bytes, reached.flops_per_second / 1e9},
                                 .words = roof.level,
                                 .shift = {0, shift}});
    shift += 14;
  }
  return chart;
}

std::string reached_sentence(const std::vector<Roof>& roofs, const Reached& reached,
                             Fidelity counted) {
  const Roof* nearest = nullptr;
  double most = 0;
  for (const Roof& roof : roofs) {
    if (roof.bytes <= 0) continue;
    const double share = reached.flops_per_second / attainable(roof, reached);
    if (share > most) {
      most = share;
      nearest = &roof;
    }
  }
  if (nearest == nullptr) return "Nothing was moved.";
  return fmt::format(
      "{} flops ({}, of the PTX) at {} GFLOP/s (modeled): {:.1f} % of what the {} roof "
      "allows, the nearest of the three.",
      compact(reached.flops), to_text(counted), compact(reached.flops_per_second / 1e9), 100 * most,
      nearest->level);
}

}  // namespace

std::vector<Roof> roofs_of(const Profile& profile) {
  if (!profile.timing) return {};
  const memory::DramCounters& dram = profile.counters.dram;
  const auto l2 = static_cast<double>(profile.counters.l2.sm_sectors());
  const auto l1 = number_of(profile, "l1tex__t_sectors.sum").value_or(0);
  std::vector<Roof> roofs = {
      {"DRAM", kSectorBytes * static_cast<double>(dram.read_sectors + dram.write_sectors),
       dram_rate(profile)},
      {"L2", kSectorBytes * l2, l2_rate(profile)},
      {"L1", kSectorBytes * l1, l1_rate(profile)}};
  std::erase_if(roofs, [](const Roof& roof) { return roof.bytes_per_second <= 0; });
  return roofs;
}

Block roofline(const Profile& profile) {
  const Flops flops = flops_of(profile);
  const auto peak = peak_of(profile, flops);
  const std::vector<Roof> roofs = roofs_of(profile);
  if (flops.total() <= 0) {
    return Prose{
        {"This kernel does no floating-point arithmetic, so it cannot be placed under a roofline.",
         limit_sentence(profile)}};
  }
  // A damaged file may hold any clock: an axis of logarithms needs numbers above 0.
  const double rate = profile.timing ? flops.total() / profile.timing->seconds() : 0;
  const bool has_place = rate > 0 && std::isfinite(rate);
  if (!peak || !(peak->flops_per_second > 0) || roofs.empty() || !has_place) {
    return Prose{
        {"The GPU's file lacks a clock or a peak that a roofline needs.", limit_sentence(profile)}};
  }
  const Reached reached{flops.total(), rate, *peak, profile::limit_of(profile)};
  return Illustration{
      .name = "roofline",
      .title = "Roofline",
      .caption = {reached_sentence(roofs, reached, profile.counted_as()), limit_sentence(profile)},
      .wide = draw(chart_of(roofs, reached, false)),
      .narrow = draw(chart_of(roofs, reached, true)),
      .data = data_of(roofs, reached, profile.counted_as())};
}

}  // namespace warpledger::report
