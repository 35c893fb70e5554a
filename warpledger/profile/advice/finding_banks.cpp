// Shared memory: more wavefronts than the accesses need. Two causes: conflicts of banks, and copies
// (cp.async) whose lanes read more lines than wavefronts are needed.
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

/// Lines that the group's copies read; 0 if it has none. The reading side of a copy is the site
/// before; a profile from a file may lack it.
uint64_t lines_read(const Evidence& evidence, const Group& group) {
  if (group.kind != trace::Kind::kAsyncCopy) return 0;
  uint64_t lines = 0;
  for (const size_t i : group.sites)
    lines += i == 0 ? 0 : evidence.counters.sites[i - 1].request.tags;
  return lines;
}

std::string wavefronts_per_request(const memory::RequestCounters& request) {
  return fmt::format(
      "{:.1f} wavefronts per request where {:.1f} would suffice",
      static_cast<double>(request.data_wavefronts) / static_cast<double>(request.requests),
      static_cast<double>(request.ideal_wavefronts) / static_cast<double>(request.requests));
}

Finding describe_conflicts(const Group& group) {
  const memory::RequestCounters& request = group.sum.request;
  const auto wavefronts = static_cast<double>(request.data_wavefronts);
  const auto conflicts = static_cast<double>(request.data_wavefronts - request.ideal_wavefronts);
  Finding finding{.code = to_text(FindingCode::kBankConflicts),
                  .title = fmt::format("Bank conflicts: {}", group.name()),
                  .where = group.source};
  finding.because.push_back(fmt::format("{}: {} conflicts in {} wavefronts",
                                        wavefronts_per_request(request), in_words(conflicts),
                                        in_words(wavefronts)));
  finding.remedy =
      "pad the rows of the array by one element (or by 16 bytes for ldmatrix), or swizzle the "
      "columns with XOR; `warpledger layout banks` derives a layout without conflicts";
  return finding;
}

Finding describe_short_copies(const Group& group) {
  Finding finding{.code = to_text(FindingCode::kShortCopies),
                  .title = fmt::format("Copies of short rows: {}", group.name()),
                  .where = group.source};
  finding.because.push_back(fmt::format(
      "{}: cp.async takes one per 128 B line that it reads, and these rows are shorter than a line",
      wavefronts_per_request(group.sum.request)));
  finding.remedy =
      "make the tile at least 128 B wide in the contiguous dimension, so that 8 neighboring lanes "
      "copy 16 B each from one row, or let one warp copy the tiles of several warps";
  return finding;
}

}  // namespace

void find_bank_conflicts(const Evidence& evidence, std::vector<Finding>& findings) {
  std::vector<Group> groups = groups_of(evidence);
  std::erase_if(groups, [](const Group& group) { return !has_conflicts(group); });
  for (const Group& group : merge_alike(groups)) {
    const bool is_short = lines_read(evidence, group) >= group.sum.request.data_wavefronts;
    Finding finding = is_short ? describe_short_copies(group) : describe_conflicts(group);
    estimate(finding, evidence, [&](memory::Counters& counters) {
      for (const size_t i : group.sites) {
        counters.sites[i].request.data_wavefronts = counters.sites[i].request.ideal_wavefronts;
      }
    });
    findings.push_back(std::move(finding));
  }
}

}  // namespace warpledger::profile
