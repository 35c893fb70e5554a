// The unit that is busy longest, when it is the load/store unit or a part of the L1: how many
// requests there are, what each costs, and how little each brings.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "warpledger/base/number.h"
#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {
namespace {

/// "A: 2 addresses per warp and step for 32 lanes; over 2,000 steps 4,000 unique addresses".
std::string sentence(const WarpSample& sample) {
  const auto per_step = [&](uint64_t n) {
    return in_words(static_cast<double>(n) / static_cast<double>(sample.requests));
  };
  const std::string steps =
      sample.requests == 1
          ? ""
          : fmt::format("; {} unique over the {} steps of a warp",
                        group_thousands(static_cast<int64_t>(sample.unique_addresses)),
                        group_thousands(static_cast<int64_t>(sample.requests)));
  return fmt::format("{}{}: {} address{} per warp{} for {} lane{}{}", to_text(sample.source),
                     sample.array.empty() ? "" : " " + sample.array, per_step(sample.addresses),
                     sample.addresses == sample.requests ? "" : "es",
                     sample.requests == 1 ? "" : " and step", per_step(sample.lanes),
                     sample.lanes == sample.requests ? "" : "s", steps);
}

std::string sentence(const Group& group, double all) {
  const memory::RequestCounters& request = group.sum.request;
  return fmt::format("{}: {:.0f} % of the requests, {:.1f} distinct words for {:.1f} lanes each",
                     group.name(), 100 * static_cast<double>(request.requests) / all,
                     static_cast<double>(request.words) / static_cast<double>(request.requests),
                     static_cast<double>(request.lanes) / static_cast<double>(request.requests));
}

/// The loads that make most requests; equal ones by line and array.
std::vector<Group> busiest_loads(const Evidence& evidence) {
  std::vector<Group> loads;
  for (const Group& group : groups_of(evidence)) {
    if (group.kind == trace::Kind::kLoad || group.kind == trace::Kind::kLoadMatrix) {
      loads.push_back(group);
    }
  }
  std::stable_sort(loads.begin(), loads.end(), [](const Group& a, const Group& b) {
    return std::tie(b.sum.request.requests, a.source, a.array) <
           std::tie(a.sum.request.requests, b.source, b.array);
  });
  if (loads.size() > kMostFindings) loads.resize(kMostFindings);
  return loads;
}

/// What the watched warp asked there, if anything.
const WarpSample* sample_of(const Profile& profile, const Group& group) {
  for (const WarpSample& sample : profile.samples) {
    if (group.space == trace::Space::kGlobal && sample.source == group.source &&
        sample.array == group.array && sample.kind == group.kind) {
      return &sample;
    }
  }
  return nullptr;
}

/// Requests that would be left if each brought as many distinct words as it has lanes.
void pack_requests(const Evidence& evidence, memory::Counters& counters) {
  for (size_t i = 0; i < counters.sites.size(); ++i) {
    const trace::Site& site = evidence.profile.instructions[i].site;
    memory::RequestCounters& request = counters.sites[i].request;
    if (operation_of(site) != Operation::kLoad || request.lanes == 0) continue;
    const double words_per_lane = std::max(1.0, site.width / 4.0);
    const double useful = std::min(1.0, static_cast<double>(request.words) /
                                            (static_cast<double>(request.lanes) * words_per_lane));
    const auto keep = [useful](uint64_t& n) {
      n = static_cast<uint64_t>(std::ceil(static_cast<double>(n) * useful));
    };
    keep(request.instructions);
    keep(request.requests);
    keep(request.data_wavefronts);
    keep(counters.sites[i].tag_wavefronts);
  }
}

}  // namespace

void find_l1_bound(const Evidence& evidence, std::vector<Finding>& findings) {
  const Profile& profile = evidence.profile;
  const Limit limit = find_limit(evidence);
  if (!limit.busiest || !is_l1_side(*limit.busiest)) return;
  const std::vector<UnitLoad> loads = unit_loads(evidence);
  const auto busy = static_cast<double>(std::min(profile.gpu.sms.value, profile.statistics.blocks));
  const double requests = static_cast<double>(lsu_work(evidence).instructions) / busy;
  Finding finding{.code = to_text(FindingCode::kLsuBound),
                  .is_limit = limit.kind == Limit::Kind::kUnit,
                  .topic = Topic::kLsu};
  finding.title = finding.is_limit
                      ? fmt::format("The {} is the limit, not DRAM or the L2", limit.busiest->unit)
                      : fmt::format("The {} is the busiest unit: {:.0f} % of the launch (modeled)",
                                    limit.busiest->unit, 100 * limit.share);
  finding.because.push_back(fmt::format(
      "{} requests per SM at {} cycles each: busy for at least {} cycles{}", in_words(requests),
      in_words(loads.front().cycles / requests), in_words(loads.front().cycles),
      loads.size() > 1
          ? fmt::format("; the next, {}, for {}", loads[1].unit, in_words(loads[1].cycles))
          : ""));
  for (const Group& group : busiest_loads(evidence)) {
    const WarpSample* sample = sample_of(profile, group);
    finding.because.push_back(sample ? sentence(*sample) : sentence(group, requests * busy));
    if (finding.where.line == 0) finding.where = group.source;
  }
  finding.remedy =
      "get more out of each request: compute several results per thread so that a loaded value is "
      "used more than once (register tiling), load 64 or 128 bits per lane, keep tiles in shared "
      "memory";
  estimate(finding, evidence,
           [&](memory::Counters& counters) { pack_requests(evidence, counters); });
  findings.push_back(std::move(finding));
}

}  // namespace warpledger::profile
