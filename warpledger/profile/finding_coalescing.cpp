// Global accesses whose lanes lie apart: more sectors per request than their bytes fill.
#include <fmt/format.h>

#include "warpledger/profile/finding.h"

namespace warpledger::profile {
namespace {

constexpr double kWorthSaying = 0.1;  // of the sectors are excessive; ncu's rule uses the same

void pack(memory::Counters& counters, const Group& group) {
  for (const size_t i : group.sites) {
    memory::SiteCounters& site = counters.sites[i];
    if (site.request.theoretical_sectors == 0) continue;
    const double kept = static_cast<double>(site.request.ideal_sectors) /
                        static_cast<double>(site.request.theoretical_sectors);
    scale_traffic(counters, i, kept);
    site.request.sectors = site.request.ideal_sectors;
    site.request.data_wavefronts = site.request.ideal_wavefronts;
    site.tag_wavefronts = static_cast<uint64_t>(static_cast<double>(site.tag_wavefronts) * kept);
  }
}

Finding describe(const Group& group) {
  const memory::RequestCounters& request = group.sum.request;
  const auto per_request = [&](uint64_t n) {
    return static_cast<double>(n) / static_cast<double>(request.requests);
  };
  Finding finding{.code = "uncoalesced",
                  .title = fmt::format("Uncoalesced {}", group.name()),
                  .where = group.source};
  finding.because.push_back(fmt::format(
      "{:.1f} sectors of 32 B per request where {:.1f} would hold the bytes: {} of {} "
      "sectors are excessive",
      per_request(request.theoretical_sectors), per_request(request.ideal_sectors),
      in_words(static_cast<double>(request.theoretical_sectors - request.ideal_sectors)),
      in_words(static_cast<double>(request.theoretical_sectors))));
  finding.remedy =
      "let neighbouring lanes touch neighbouring addresses: swap the roles of the thread indices, "
      "store the data as a structure of arrays, or pass through shared memory";
  return finding;
}

}  // namespace

void find_uncoalesced(const Evidence& evidence, std::vector<Finding>& findings) {
  for (const Group& group : groups_of(evidence)) {
    const memory::RequestCounters& request = group.sum.request;
    const auto excessive = static_cast<double>(request.theoretical_sectors - request.ideal_sectors);
    const bool plain = group.kind == trace::Kind::kLoad || group.kind == trace::Kind::kStore ||
                       group.kind == trace::Kind::kAsyncCopy;
    if (group.space != trace::Space::kGlobal || !plain ||
        excessive < kWorthSaying * static_cast<double>(request.theoretical_sectors)) {
      continue;
    }
    Finding finding = describe(group);
    estimate(finding, evidence, [&](memory::Counters& counters) { pack(counters, group); });
    findings.push_back(std::move(finding));
  }
}

}  // namespace warpledger::profile
