#include "warpledger/profile/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpledger/base/number.h"

namespace warpledger::profile {
namespace {

uint64_t scaled(uint64_t n, double by) {
  return static_cast<uint64_t>(std::llround(static_cast<double>(n) * by));
}

std::string kind_in_words(trace::Kind kind) {
  switch (kind) {
    case trace::Kind::kLoad:
      return "load";
    case trace::Kind::kStore:
      return "store";
    case trace::Kind::kAtomic:
    case trace::Kind::kCompareSwap:
      return "atomic";
    case trace::Kind::kReduction:
      return "reduction";
    case trace::Kind::kAsyncCopy:
      return "asynchronous copy";
    case trace::Kind::kLoadMatrix:
      return "ldmatrix";
    case trace::Kind::kStoreMatrix:
      return "stmatrix";
    case trace::Kind::kBulkCopy:
      return "bulk copy";
    case trace::Kind::kPrefetch:
      return "prefetch";
    case trace::Kind::kBulkStore:
      return "bulk store";
    case trace::Kind::kBulkReduction:
      return "bulk reduction";
    case trace::Kind::kMatrixOperand:
      return "operand of a product";
    case trace::Kind::kMatrixAddend:
    case trace::Kind::kMatrixResult:
      return "result of a product";
    case trace::Kind::kTensorCopy:
      return "copy to tensor memory";
  }
  return "access";
}

}  // namespace

void estimate(Finding& finding, const Evidence& evidence, const Relief& relief) {
  memory::Counters after = evidence.counters;
  relief(after);
  const Evidence better{evidence.profile, after};
  const double before_limit = least_cycles(evidence), after_limit = least_cycles(better);
  finding.saving = before_limit == 0 ? 0 : std::max(0.0, 1 - after_limit / before_limit);
  const std::vector<UnitLoad> before = unit_loads(evidence), now = unit_loads(better);
  for (const UnitLoad& load : before) {
    double left = 0;
    for (const UnitLoad& same : now) {
      if (same.counter == load.counter) left = same.cycles;
    }
    finding.relieved = std::max(finding.relieved, load.cycles - left);
  }
}

void scale_traffic(memory::Counters& counters, size_t site, double kept) {
  memory::SiteCounters& c = counters.sites[site];
  const uint64_t sectors = c.l2_sectors, hits = c.l2_hit_sectors, fetched = c.dram_read_sectors;
  c.l1_hit_sectors = scaled(c.l1_hit_sectors, kept);
  c.l2_requests = scaled(c.l2_requests, kept);
  c.l2_sectors = scaled(c.l2_sectors, kept);
  c.l2_hit_sectors = scaled(c.l2_hit_sectors, kept);
  c.dram_read_sectors = scaled(c.dram_read_sectors, kept);
  const auto reduce = [](uint64_t& total, uint64_t by) { total -= std::min(total, by); };
  reduce(counters.l2.read_sectors, sectors - c.l2_sectors);
  reduce(counters.l2.read_hits, hits - c.l2_hit_sectors);
  reduce(counters.dram.read_sectors, fetched - c.dram_read_sectors);
}

std::string Group::name() const {
  const std::string what = kind_in_words(kind);
  const std::string of = space == trace::Space::kShared  ? " in shared memory"
                         : space == trace::Space::kLocal ? " in local memory"
                         : array.empty()                 ? ""
                                                         : " of " + array;
  const std::string line = to_text(source);
  return line.empty() ? what + of : line + ": " + what + of;
}

std::vector<Group> groups_of(const Evidence& evidence) {
  const Profile& profile = evidence.profile;
  std::vector<Group> groups;
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const Instruction& instruction = profile.instructions[i];
    const memory::SiteCounters& counters = evidence.counters.sites[i];
    if (counters.request.requests == 0) continue;
    const SourceLine& source = profile.code_of(instruction).source;
    const std::string array = instruction.arrays.size() == 1 ? instruction.arrays[0] : "";
    auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.source == source && group.array == array &&
             group.space == instruction.site.space && group.kind == instruction.site.kind;
    });
    if (same == groups.end()) {
      groups.push_back({source, array, instruction.site.space, instruction.site.kind, {}, {}, 0});
      same = groups.end() - 1;
    }
    same->sites.push_back(i);
    same->sum += counters;
    same->bytes += counters.request.lanes * instruction.site.width;
  }
  return groups;
}

std::vector<Finding> find(const Profile& profile) {
  const Evidence evidence{profile, profile.counters};
  std::vector<Finding> findings;
  find_limit(evidence, findings);
  find_uncoalesced(evidence, findings);
  find_bank_conflicts(evidence, findings);
  find_thrashing(evidence, findings);
  find_partial_writes(evidence, findings);
  find_local_memory(evidence, findings);
  find_contended_atomics(evidence, findings);
  find_low_occupancy(evidence, findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.saving != b.saving ? a.saving > b.saving : a.relieved > b.relieved;
  });
  if (findings.size() > kMostFindings) findings.resize(kMostFindings);
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
  return fmt::format("{:.0f} bytes", bytes);
}

}  // namespace warpledger::profile
