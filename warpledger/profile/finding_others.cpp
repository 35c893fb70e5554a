// Smaller rules: writes of part of a sector, local memory, atomics at one address, occupancy.
#include <fmt/format.h>

#include <algorithm>

#include "warpledger/gpu/advice.h"
#include "warpledger/profile/finding.h"
#include "warpledger/profile/summary.h"

namespace warpledger::profile {
namespace {

constexpr double kWorthSaying = 0.1;
constexpr double kContended = 2;      // lanes per address
constexpr double kLowOccupancy = 50;  // percent

}  // namespace

void find_partial_writes(const Evidence& evidence, std::vector<Finding>& findings) {
  for (const Group& group : groups_of(evidence)) {
    const auto partial = static_cast<double>(group.sum.l2_partial_requests);
    const auto requests = static_cast<double>(group.sum.l2_requests);
    if (group.kind != trace::Kind::kStore || group.space != trace::Space::kGlobal ||
        partial < kWorthSaying * requests) {
      continue;
    }
    Finding finding{.code = "partial-writes",
                    .title = fmt::format("Writes of part of a sector: {}", group.name()),
                    .where = group.source};
    finding.because.push_back(fmt::format(
        "{} of {} writes leave some bytes of a 32 B sector alone: each costs a further "
        "cycle on the way to the L2{}",
        in_words(partial), in_words(requests),
        evidence.counters.l2.ecc_sectors ? ", and with inline ECC the sector is fetched first"
                                         : ""));
    finding.remedy = "write whole sectors: 32 aligned neighbouring bytes from neighbouring lanes";
    estimate(finding, evidence, [&](memory::Counters& counters) {
      for (const size_t i : group.sites) counters.sites[i].l2_partial_requests = 0;
      counters.dram.read_sectors -= std::min(counters.dram.read_sectors, counters.l2.ecc_sectors);
      counters.l2.ecc_sectors = 0;
    });
    findings.push_back(std::move(finding));
  }
}

void find_local_memory(const Evidence& evidence, std::vector<Finding>& findings) {
  const memory::SiteCounters local = sum_where(
      evidence, [](const trace::Site& site) { return site.space == trace::Space::kLocal; });
  const Resources& resources = evidence.profile.resources;
  if (local.request.requests == 0) return;
  Finding finding{.code = "local-memory",
                  .title = "Arrays of the threads live in local memory, not in registers"};
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
  finding.remedy =
      "index arrays with constants after unrolling (#pragma unroll), so that they can be registers";
  estimate(finding, evidence, [&](memory::Counters& counters) {
    for (size_t i = 0; i < counters.sites.size(); ++i) {
      if (evidence.profile.instructions[i].site.space != trace::Space::kLocal) continue;
      scale_traffic(counters, i, 0);
      counters.sites[i] = {};
    }
  });
  findings.push_back(std::move(finding));
}

void find_contended_atomics(const Evidence& evidence, std::vector<Finding>& findings) {
  for (const Group& group : groups_of(evidence)) {
    const bool updates =
        group.kind == trace::Kind::kAtomic || group.kind == trace::Kind::kReduction;
    const auto lanes = static_cast<double>(group.sum.request.lanes);
    const auto words = static_cast<double>(std::max<uint64_t>(1, group.sum.request.words));
    if (!updates || lanes / words < kContended) continue;
    Finding finding{
        .code = "contended-atomics",
        .title = fmt::format("Lanes of a warp update the same address: {}", group.name()),
        .where = group.source};
    finding.because.push_back(
        fmt::format("{:.1f} lanes per address and request; they take turns", lanes / words));
    finding.remedy =
        "add within the warp first (__reduce_add_sync, shuffles), then let one lane update";
    estimate(finding, evidence, [&](memory::Counters& counters) {
      for (const size_t i : group.sites) {
        memory::SiteCounters& site = counters.sites[i];
        const uint64_t before = site.l2_sectors;
        site.l2_sectors = static_cast<uint64_t>(static_cast<double>(before) * words / lanes);
        counters.l2.atomic_sectors -=
            std::min(counters.l2.atomic_sectors, before - site.l2_sectors);
        site.request.data_wavefronts = site.request.requests;
        site.tag_wavefronts = site.request.requests;
      }
    });
    findings.push_back(std::move(finding));
  }
}

void find_low_occupancy(const Evidence& evidence, std::vector<Finding>& findings) {
  const Profile& profile = evidence.profile;
  const Result<Advice> advice = advise(profile.gpu, profile.launch);
  const auto waves = profile.statistics.waves_per_sm;
  if (profile.statistics.blocks < profile.gpu.sms.value) {
    findings.push_back(
        {.code = "few-blocks",
         .title =
             fmt::format("{} {} {} of {} SMs idle", profile.statistics.blocks,
                         profile.statistics.blocks == 1 ? "block leaves" : "blocks leave",
                         profile.gpu.sms.value - profile.statistics.blocks, profile.gpu.sms.value),
         .because = {fmt::format("{:.2f} waves per SM", waves)},
         .remedy = "launch more and smaller blocks",
         .saving = 0});
  }
  if (!advice || profile.statistics.occupancy_percent >= kLowOccupancy) return;
  findings.push_back(
      {.code = "low-occupancy",
       .title = fmt::format("Only {} of {} warps fit on an SM", advice->warps_per_sm,
                            advice->max_warps_per_sm),
       .because = {limit_of(profile) == "latency"
                       ? "few warps hide little latency, and latency is the limit (modelled)"
                       : "few warps hide little latency"},
       .remedy = to_text(*advice)});
}

}  // namespace warpledger::profile
