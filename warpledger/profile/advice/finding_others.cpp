// Smaller rules: writes of part of a sector, local memory.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {
namespace {

constexpr double kWorthSaying = 0.1;

}  // namespace

void find_partial_writes(const Evidence& evidence, std::vector<Finding>& findings) {
  for (const Group& group : groups_of(evidence)) {
    const auto partial = static_cast<double>(group.sum.l2_partial_requests);
    const auto requests = static_cast<double>(group.sum.l2_requests);
    if (group.kind != trace::Kind::kStore || group.space != trace::Space::kGlobal ||
        partial < kWorthSaying * requests || wastes_sectors(group)) {
      continue;  // scattered lanes write partial sectors: see find_uncoalesced
    }
    Finding finding{.code = to_text(FindingCode::kPartialWrites),
                    .title = fmt::format("Partial sector writes: {}", group.name()),
                    .where = group.source};
    finding.because.push_back(fmt::format(
        "{} of {} writes cover only part of a 32 B sector: each costs one more cycle on the path "
        "to the L2{}",
        in_words(partial), in_words(requests),
        evidence.counters.l2.ecc_sectors ? ", and with inline ECC the sector is fetched first"
                                         : ""));
    finding.remedy = "write whole sectors: 32 aligned contiguous bytes from adjacent lanes";
    estimate(finding, evidence, [&](memory::Counters& counters) {
      for (const size_t i : group.sites) counters.sites[i].l2_partial_requests = 0;
      counters.dram.read_sectors -= std::min(counters.dram.read_sectors, counters.l2.ecc_sectors);
      counters.l2.ecc_sectors = 0;
    });
    findings.push_back(std::move(finding));
  }
}

namespace {

struct LocalAdvice {
  const char* title;
  const char* remedy;
};
constexpr LocalAdvice kArrays = {
    "Per-thread arrays are in local memory, not in registers",
    "make every index a constant after unrolling (#pragma unroll), so that the arrays can be "
    "registers"};
constexpr LocalAdvice kSpills = {
    "Registers spill to local memory",
    "keep fewer values live at a time (smaller tile per thread, less unrolling), or raise the "
    "register limit (__launch_bounds__, -maxrregcount)"};

bool has_local_arrays(const Evidence& evidence) {
  for (size_t i = 0; i < evidence.counters.sites.size(); ++i) {
    const Instruction& instruction = evidence.profile.instructions[i];
    const bool is_array = instruction.site.space == trace::Space::kLocal && !instruction.is_spill;
    if (is_array && evidence.counters.sites[i].request.requests > 0) return true;
  }
  return false;
}

}  // namespace

void find_local_memory(const Evidence& evidence, std::vector<Finding>& findings) {
  const memory::SiteCounters local = sum_where(
      evidence, [](const trace::Site& site) { return site.space == trace::Space::kLocal; });
  const Resources& resources = evidence.profile.resources;
  if (local.request.requests == 0) return;
  const LocalAdvice& advice = has_local_arrays(evidence) ? kArrays : kSpills;
  Finding finding{.code = to_text(FindingCode::kLocalMemory), .title = advice.title};
  for (const Group& group : groups_of(evidence)) {
    if (group.space != trace::Space::kLocal || finding.where.line != 0) continue;
    finding.where = group.source;
  }
  finding.because.push_back(fmt::format(
      "{} requests, {} sectors through the L1{}",
      in_words(static_cast<double>(local.request.requests)),
      in_words(static_cast<double>(local.request.sectors)),
      resources.local_bytes ? fmt::format("; {} bytes of stack per thread", resources.local_bytes)
                            : ""));
  finding.remedy = advice.remedy;
  estimate(finding, evidence, [&](memory::Counters& counters) {
    for (size_t i = 0; i < counters.sites.size(); ++i) {
      if (evidence.profile.instructions[i].site.space != trace::Space::kLocal) continue;
      scale_traffic(counters, i, 0,
                    operation_of(evidence.profile.instructions[i].site) == Operation::kStore);
      counters.sites[i] = {};
    }
  });
  findings.push_back(std::move(finding));
}

}  // namespace warpledger::profile
