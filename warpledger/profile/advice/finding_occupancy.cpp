// SMs without a block, and warps that do not fit: what more of them would save.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/advice/possible_changes.h"

namespace warpledger::profile {
namespace {

constexpr double kLowOccupancy = 50;  // percent

/// The same warps in as many blocks as there are SMs.
double saving_of_more_blocks(const Evidence& evidence) {
  Profile spread = evidence.profile;
  const auto warps = static_cast<int64_t>(spread.execution.warps);
  spread.statistics.blocks = std::max<int64_t>(1, std::min(spread.gpu.sms.value, warps));
  spread.execution.ctas = static_cast<uint64_t>(spread.statistics.blocks);
  return saving_of(evidence, {spread, evidence.counters});
}

void find_few_blocks(const Evidence& evidence, std::vector<Finding>& findings) {
  const Profile& profile = evidence.profile;
  const int64_t blocks = profile.statistics.blocks, sms = profile.gpu.sms.value;
  if (blocks >= sms) return;
  Finding finding{.code = to_text(FindingCode::kFewBlocks),
                  .title = fmt::format("{} {} {} of {} SMs idle", counted(blocks, "block"),
                                       blocks == 1 ? "leaves" : "leave", sms - blocks, sms),
                  .remedy = "launch more and smaller blocks, or give the launch more work",
                  .topic = Topic::kIdleSms};
  finding.because.push_back(
      fmt::format("{} of {}{}: {} for {} SMs", counted(blocks, "block"),
                  counted(profile.statistics.threads / std::max<int64_t>(1, blocks), "thread"),
                  blocks == 1 ? "" : " each",
                  counted(static_cast<int64_t>(profile.execution.warps), "warp"), sms));
  finding.saving = saving_of_more_blocks(evidence);
  findings.push_back(std::move(finding));
}

/// As many blocks on an SM as the first change of the advice lets in.
double saving_of(const Evidence& evidence, const Change& change) {
  Profile fuller = evidence.profile;
  const double more = static_cast<double>(change.warps_after) /
                      static_cast<double>(std::max<int64_t>(1, change.warps_before));
  fuller.statistics.blocks_per_sm = std::max<int64_t>(
      fuller.statistics.blocks_per_sm + 1,
      static_cast<int64_t>(static_cast<double>(fuller.statistics.blocks_per_sm) * more));
  return saving_of(evidence, {fuller, evidence.counters});
}

}  // namespace

void find_low_occupancy(const Evidence& evidence, std::vector<Finding>& findings) {
  find_few_blocks(evidence, findings);
  const Profile& profile = evidence.profile;
  const Result<Advice> advice = possible_changes(profile);
  if (!advice || advice->changes.empty() || profile.statistics.occupancy_percent >= kLowOccupancy) {
    return;
  }
  const bool waits = find_limit(evidence).kind == Limit::Kind::kLatency;
  findings.push_back({.code = to_text(FindingCode::kLowOccupancy),
                      .title = fmt::format("Only {} of {} warps fit on an SM", advice->warps_per_sm,
                                           advice->max_warps_per_sm),
                      .because = {waits ? "few warps hide little latency, and latency is the limit "
                                          "(modeled)"
                                        : "few warps hide little latency"},
                      .remedy = to_text(*advice),
                      .saving = saving_of(evidence, advice->changes.front())});
}

}  // namespace warpledger::profile
