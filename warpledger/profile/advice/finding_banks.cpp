// Shared-memory bank conflicts: more wavefronts than the accesses need.
#include <fmt/core.h>

#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {
namespace {

constexpr double kWorthSaying = 0.1;  // of the wavefronts; ncu's rule uses the same

bool has_conflicts(const Group& group) {
  const memory::RequestCounters& request = group.sum.request;
  const bool is_atomic = effect_of(group.space, group.kind) == trace::Effect::kUpdate;
  const auto wavefronts = static_cast<double>(request.data_wavefronts);
  const auto conflicts = static_cast<double>(request.data_wavefronts - request.ideal_wavefronts);
  return group.space == trace::Space::kShared && !is_atomic &&
         conflicts >= kWorthSaying * wavefronts;
}

Finding describe(const Group& group) {
  const memory::RequestCounters& request = group.sum.request;
  const auto wavefronts = static_cast<double>(request.data_wavefronts);
  const auto conflicts = static_cast<double>(request.data_wavefronts - request.ideal_wavefronts);
  Finding finding{.code = to_text(FindingCode::kBankConflicts),
                  .title = fmt::format("Bank conflicts: {}", group.name()),
                  .where = group.source};
  finding.because.push_back(fmt::format(
      "{:.1f} wavefronts per request where {:.1f} would suffice: {} conflicts in {} wavefronts",
      wavefronts / static_cast<double>(request.requests),
      static_cast<double>(request.ideal_wavefronts) / static_cast<double>(request.requests),
      in_words(conflicts), in_words(wavefronts)));
  finding.remedy =
      "pad the rows of the array by one element (or by 16 bytes for ldmatrix), or swizzle the "
      "columns with XOR; `warpledger layout banks` derives a layout without conflicts";
  return finding;
}

}  // namespace

void find_bank_conflicts(const Evidence& evidence, std::vector<Finding>& findings) {
  std::vector<Group> groups = groups_of(evidence);
  std::erase_if(groups, [](const Group& group) { return !has_conflicts(group); });
  for (const Group& group : merge_alike(groups)) {
    Finding finding = describe(group);
    estimate(finding, evidence, [&](memory::Counters& counters) {
      for (const size_t i : group.sites) {
        counters.sites[i].request.data_wavefronts = counters.sites[i].request.ideal_wavefronts;
      }
    });
    findings.push_back(std::move(finding));
  }
}

}  // namespace warpledger::profile
