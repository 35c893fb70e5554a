// Atomics of many threads at few addresses: the L2 does those at one address one after another.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {
namespace {

constexpr double kContended = 2;     // lanes per address
constexpr double kOneAddress = 0.5;  // of a line's updates go to the hottest sector

double number(uint64_t n) { return static_cast<double>(n); }

/// How many lanes of a request share an address.
double lanes_per_address(const Group& group) {
  return number(group.sum.request.lanes) / number(std::max<uint64_t>(1, group.sum.request.words));
}

/// Whether most of all warps' updates go to one sector: blocks can add up first.
bool is_one_address(const Evidence& evidence, const Group& group) {
  return group.space == trace::Space::kGlobal && group.sum.l2_requests > 0 &&
         number(evidence.counters.l2.hottest_atomics) >= kOneAddress * number(group.sum.l2_sectors);
}

/// One update for each address of a warp; where all go to one address, one for each block.
void add_up_first(const Evidence& evidence, const Group& group, memory::Counters& counters) {
  const bool is_one = is_one_address(evidence, group);
  uint64_t before = 0, after = 0;
  for (const size_t i : group.sites) {
    memory::SiteCounters& site = counters.sites[i];
    const uint64_t blocks = evidence.profile.execution.ctas / group.sites.size();
    const uint64_t by_warp = std::min(site.l2_sectors, site.request.words);
    before += site.l2_sectors;
    site.l2_sectors = is_one ? std::min(by_warp, std::max<uint64_t>(1, blocks)) : by_warp;
    site.l2_requests = std::min(site.l2_requests, site.l2_sectors);
    after += site.l2_sectors;
    site.request.data_wavefronts = std::min(site.request.data_wavefronts, site.request.requests);
    site.tag_wavefronts = std::min(site.tag_wavefronts, site.request.requests);
  }
  if (before == 0) return;
  memory::L2Counters& l2 = counters.l2;
  l2.atomic_sectors -= std::min(l2.atomic_sectors, before - after);
  l2.hottest_atomics =
      static_cast<uint64_t>(number(l2.hottest_atomics) * number(after) / number(before));
}

Finding describe(const Evidence& evidence, const Group& group) {
  Finding finding{.code = to_text(FindingCode::kContendedAtomics),
                  .title = fmt::format("Threads update the same address: {}", group.name()),
                  .where = group.source,
                  .topic = Topic::kAtomics};
  finding.because.push_back(
      fmt::format("{:.1f} lanes per address and request", lanes_per_address(group)));
  if (is_one_address(evidence, group)) {
    const auto turns = static_cast<int64_t>(evidence.counters.l2.hottest_atomics);
    finding.because.push_back(
        fmt::format("the L2 serializes {} at one address", counted(turns, "update")));
    finding.remedy =
        "add within the block first (__reduce_add_sync or shuffles in each warp, then shared "
        "memory), and let one thread of the block update";
  } else {
    finding.remedy =
        "add within the warp first (__reduce_add_sync, shuffles), then let one lane update; where "
        "few addresses are used, keep a copy for each block in shared memory";
  }
  return finding;
}

}  // namespace

void find_contended_atomics(const Evidence& evidence, std::vector<Finding>& findings) {
  for (const Group& group : groups_of(evidence)) {
    const bool updates =
        group.kind == trace::Kind::kAtomic || group.kind == trace::Kind::kReduction;
    const bool contended =
        lanes_per_address(group) >= kContended || is_one_address(evidence, group);
    if (!updates || !contended) continue;
    Finding finding = describe(evidence, group);
    estimate(finding, evidence,
             [&](memory::Counters& counters) { add_up_first(evidence, group, counters); });
    const Limit limit = find_limit(evidence);
    finding.is_limit = limit.kind == Limit::Kind::kUnit &&
                       limit.busiest->unit.find("atomics") != std::string::npos &&
                       finding.saving >= kLeastSaving;
    findings.push_back(std::move(finding));
  }
}

}  // namespace warpledger::profile
