// Global accesses that touch more sectors per request than their bytes fill. Two causes, told apart
// by the number of contiguous bytes: lanes that are apart (strided, scattered), and rows of whole
// sectors that begin off a sector's boundary (a halo, an offset by an element).
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/units.h"
#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {
namespace {

constexpr double kWorthSaying = 0.1;  // of the sectors are excessive; ncu's rule uses the same

/// Whether neighboring lanes do touch neighboring addresses, from an odd place on.
bool is_shifted(const Group& group) { return group.run_bytes >= static_cast<double>(kSectorBytes); }

/// What a shift adds to a request, its neighbor asks for too: the L1 has it unless the hits say
/// so.
void align(memory::Counters& counters, const Group& group) {
  for (const size_t i : group.sites) {
    memory::SiteCounters& site = counters.sites[i];
    const uint64_t excess = site.request.theoretical_sectors - site.request.ideal_sectors;
    const uint64_t hits = std::min(excess, site.l1_hit_sectors);
    const uint64_t fetched = std::min(excess - hits, site.l2_sectors);
    if (site.l2_sectors > 0) {
      const double kept = 1 - static_cast<double>(fetched) / static_cast<double>(site.l2_sectors);
      scale_traffic(counters, i, kept, group.kind == trace::Kind::kStore);
    }
    site.request.sectors -= std::min(site.request.sectors, excess);
    site.request.data_wavefronts = site.request.ideal_wavefronts;
  }
}

void pack(memory::Counters& counters, const Group& group) {
  for (const size_t i : group.sites) {
    memory::SiteCounters& site = counters.sites[i];
    if (site.request.theoretical_sectors == 0) continue;
    const double kept = static_cast<double>(site.request.ideal_sectors) /
                        static_cast<double>(site.request.theoretical_sectors);
    scale_traffic(counters, i, kept, group.kind == trace::Kind::kStore);
    site.l2_partial_requests = 0;
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
  const bool shifted = is_shifted(group);
  Finding finding{
      .code = to_text(shifted ? FindingCode::kMisaligned : FindingCode::kUncoalesced),
      .title = fmt::format("{} {}", shifted ? "Misaligned" : "Uncoalesced", group.name()),
      .where = group.source};
  finding.because.push_back(fmt::format(
      "{:.1f} sectors of 32 B per request where {:.1f} would hold the bytes: {} of {} "
      "sectors are excessive",
      per_request(request.theoretical_sectors), per_request(request.ideal_sectors),
      in_words(static_cast<double>(request.theoretical_sectors - request.ideal_sectors)),
      in_words(static_cast<double>(request.theoretical_sectors))));
  if (shifted) {
    finding.because.push_back(
        fmt::format("lanes access {:.0f} contiguous bytes that do not start at a multiple of 32 B",
                    group.run_bytes));
    finding.remedy =
        "start rows at multiples of 32 B (cudaMallocPitch, padded rows); for a halo that is "
        "shifted by an element, load whole aligned rows into shared memory and shift there";
    return finding;
  }
  finding.remedy =
      "make adjacent lanes access adjacent addresses: swap the roles of the thread indices, "
      "store the data as a structure of arrays, or pass through shared memory";
  return finding;
}

}  // namespace

bool wastes_sectors(const Group& group) {
  const memory::RequestCounters& request = group.sum.request;
  const auto all = static_cast<double>(request.theoretical_sectors);
  const double excessive = all - static_cast<double>(request.ideal_sectors);
  return excessive > 0 && excessive >= kWorthSaying * all;
}

void find_uncoalesced(const Evidence& evidence, std::vector<Finding>& findings) {
  std::vector<Group> groups = groups_of(evidence);
  std::erase_if(groups, [](const Group& group) {
    const bool is_plain = group.kind == trace::Kind::kLoad || group.kind == trace::Kind::kStore ||
                          group.kind == trace::Kind::kAsyncCopy;
    return group.space != trace::Space::kGlobal || !is_plain || !wastes_sectors(group);
  });
  for (const Group& group : merge_alike(groups)) {
    Finding finding = describe(group);
    estimate(finding, evidence, [&](memory::Counters& counters) {
      is_shifted(group) ? align(counters, group) : pack(counters, group);
    });
    findings.push_back(std::move(finding));
  }
}

}  // namespace warpledger::profile
