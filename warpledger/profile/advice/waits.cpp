#include "warpledger/profile/advice/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpledger::profile {
namespace {

constexpr double kLeastShare = 0.1;

struct Sum {
  double cycles = 0;
  double most = 0;  // of one instruction
  std::optional<uint32_t> waits_for = {};
};

bool is_wait(sm::Reason reason) {
  return reason != sm::Reason::kSelected && reason != sm::Reason::kNotSelected;
}

/// Barriers that wait for an instruction are those of products of warp groups.
bool is_for_result(sm::Reason reason) {
  return reason == sm::Reason::kLongScoreboard || reason == sm::Reason::kShortScoreboard ||
         reason == sm::Reason::kBarrier;
}

using Sums = std::map<std::pair<SourceLine, sm::Reason>, Sum>;

Sums sums_of(const Profile& profile) {
  Sums sums;
  for (size_t i = 0; i < profile.code.size(); ++i) {
    const SourceLine& source = profile.code[i].source;
    if (source.line == 0) continue;
    const sm::InstructionStates& states = profile.states->instructions[i];
    for (size_t r = 0; r < sm::kReasons; ++r) {
      const auto reason = static_cast<sm::Reason>(r);
      if (!is_wait(reason) || states.cycles[r] == 0) continue;
      Sum& sum = sums[{source, reason}];
      sum.cycles += states.cycles[r];
      if (states.cycles[r] <= sum.most) continue;
      sum.most = states.cycles[r];
      sum.waits_for = is_for_result(reason) ? states.waited_for : std::nullopt;
    }
  }
  return sums;
}

}  // namespace

std::vector<LineWait> waits_of(const Profile& profile) {
  if (!profile.states) return {};
  const double all = sm::sum_of(profile.states->warps);
  std::vector<LineWait> waits;
  for (const auto& [key, sum] : sums_of(profile)) {
    waits.push_back({.where = key.first, .reason = key.second, .share = sum.cycles / all});
    if (!sum.waits_for || *sum.waits_for >= profile.code.size()) continue;
    const SourceLine& source = profile.code[*sum.waits_for].source;
    if (source.line != 0) waits.back().waits_for = source;
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const LineWait& a, const LineWait& b) { return a.share > b.share; });
  return waits;
}

std::optional<LineWait> longest_wait(const Profile& profile) {
  const std::vector<LineWait> waits = waits_of(profile);
  if (waits.empty() || waits.front().share < kLeastShare) return {};
  return waits.front();
}

double saving_without_wait(const Profile& profile) {
  if (!profile.states || !profile.awaited || profile.states->cycles <= 0) return 0;
  return std::max(0.0, 1 - profile.awaited->cycles / profile.states->cycles);
}

std::string to_text(const LineWait& wait) {
  const std::string awaited =
      wait.waits_for ? fmt::format(", for {}", to_text(*wait.waits_for)) : std::string();
  return fmt::format("warps spend {:.0f} % of their time waiting at {} ({}){} (modeled)",
                     100 * wait.share, to_text(wait.where), sm::to_text(wait.reason), awaited);
}

}  // namespace warpledger::profile
