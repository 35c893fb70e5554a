#include "warpledger/profile/advice/finding.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "warpledger/base/number.h"
#include "warpledger/profile/time/model.h"

namespace warpledger::profile {
namespace {

constexpr double kExplains = 0.1;  // of the launch: a waste that is why a unit is the limit

uint64_t scaled(uint64_t n, double by) {
  return static_cast<uint64_t>(std::llround(static_cast<double>(n) * by));
}

std::string gain_of(double saving, bool has_timing) {
  if (saving < kLeastSaving) return "";
  return fmt::format("Saves up to {:.0f} % of the {} time (modeled)", 100 * saving,
                     has_timing ? "launch's" : "busiest unit's");
}

/// A limit of the memory system: a waste there is its cause, and says more.
bool is_about_memory(const Finding& finding) {
  constexpr Topic kTopics[] = {Topic::kLsu, Topic::kDram, Topic::kL2, Topic::kTags};
  return std::find(std::begin(kTopics), std::end(kTopics), finding.topic) != std::end(kTopics);
}

}  // namespace

double saving_of(const Evidence& before, const Evidence& after) {
  if (!before.profile.timing) return saving_of(before, after, {});
  time::Path path = time::path_of(*before.profile.timing);
  // Loads that find more in the caches are waited for less.
  if (const auto latency = time::latencies(before.profile.gpu)) {
    const double less = time::mean_wait(before, *latency) - time::mean_wait(after, *latency);
    path.cycles = std::max(0.0, path.cycles - path.waits * std::max(0.0, less));
  }
  return saving_of(before, after, path);
}

double saving_of(const Evidence& before, const Evidence& after, const time::Path& path) {
  const auto share = [](double was, double is) {
    return was > 0 && std::isfinite(is) ? std::clamp(1 - is / was, 0.0, 1.0) : 0.0;
  };
  const auto& timing = before.profile.timing;
  if (!timing) return share(least_cycles(before), least_cycles(after));
  // Files keep the path and not the code that it came from: both times follow from the path.
  const auto was = time::estimate(before, time::path_of(*timing));
  const auto is = time::estimate(after, path);
  return was && is ? share(was->elapsed_cycles, is->elapsed_cycles) : 0.0;
}

void estimate(Finding& finding, const Evidence& evidence, const Relief& relief) {
  memory::Counters after = evidence.counters;
  relief(after);
  finding.saving = saving_of(evidence, {evidence.profile, after});
}

void scale_traffic(memory::Counters& counters, size_t site, double kept, bool is_write) {
  memory::SiteCounters& c = counters.sites[site];
  const uint64_t sectors = c.l2_sectors, hits = c.l2_hit_sectors, fetched = c.dram_read_sectors;
  c.l1_hit_sectors = scaled(c.l1_hit_sectors, kept);
  c.l2_requests = scaled(c.l2_requests, kept);
  c.l2_sectors = scaled(c.l2_sectors, kept);
  c.l2_hit_sectors = scaled(c.l2_hit_sectors, kept);
  c.dram_read_sectors = scaled(c.dram_read_sectors, kept);
  const auto reduce = [](uint64_t& total, uint64_t by) { total -= std::min(total, by); };
  reduce(is_write ? counters.l2.write_sectors : counters.l2.read_sectors, sectors - c.l2_sectors);
  reduce(is_write ? counters.l2.write_hits : counters.l2.read_hits, hits - c.l2_hit_sectors);
  reduce(counters.dram.read_sectors, fetched - c.dram_read_sectors);
}

std::vector<Finding> find(const Profile& profile) {
  const Evidence evidence{profile, profile.counters};
  std::vector<Finding> findings;
  for (const auto rule :
       {find_host_memory, find_l1_bound, find_uncoalesced, find_bank_conflicts, find_thrashing,
        find_partial_writes, find_local_memory, find_contended_atomics, find_divergence,
        find_divisions, find_memory_accumulators, find_low_occupancy, find_unit_bound}) {
    rule(evidence, findings);
  }
  const bool is_explained = std::any_of(findings.begin(), findings.end(), [](const Finding& one) {
    return !one.is_limit && one.saving >= kExplains;
  });
  // Where a waste explains the limit, it comes first, and advice for the limit alone misleads.
  std::erase_if(findings, [is_explained](const Finding& finding) {
    if (is_explained && is_about_memory(finding)) return finding.saving < kExplains;
    return !finding.is_limit && finding.saving < kLeastSaving;
  });
  if (!is_explained) find_latency_bound(evidence, findings);
  std::stable_sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) {
    const auto leads = [is_explained](const Finding& one) {
      return one.is_limit && (!is_explained || one.topic == Topic::kHostMemory);
    };
    return leads(a) != leads(b) ? leads(a) : a.saving > b.saving;
  });
  if (findings.size() > kMostFindings) findings.resize(kMostFindings);
  for (Finding& finding : findings) {
    finding.gain = gain_of(finding.saving, profile.timing.has_value());
  }
  return findings;
}

std::string in_words(double count) {
  if (count >= 1e9) return fmt::format("{:.2f} billion", count / 1e9);
  if (count >= 1e6) return fmt::format("{:.2f} million", count / 1e6);
  const bool whole = count == std::floor(count) || count >= 1000;
  return whole ? group_thousands(std::llround(count)) : fmt::format("{:.2f}", count);
}

std::string bytes_in_words(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.2f} GB", bytes / 1e9);
  if (bytes >= 1e6) return fmt::format("{:.2f} MB", bytes / 1e6);
  if (bytes >= 1e3) return fmt::format("{:.2f} KB", bytes / 1e3);
  return counted(std::llround(bytes), "byte");
}

std::string time_in_words(double nanoseconds) {
  if (nanoseconds >= 1e6) return fmt::format("{:.2f} ms", nanoseconds / 1e6);
  if (nanoseconds >= 1e3) return fmt::format("{:.2f} us", nanoseconds / 1e3);
  return fmt::format("{:.0f} ns", nanoseconds);
}

std::string counted(int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", group_thousands(count), noun, count == 1 ? "" : "s");
}

}  // namespace warpledger::profile
