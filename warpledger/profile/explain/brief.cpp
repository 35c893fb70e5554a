#include "warpledger/profile/explain/brief.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/profile/advice/summary.h"
#include "warpledger/profile/advice/waits.h"
#include "warpledger/profile/explain/rule_page.h"

namespace warpledger::profile {
namespace {

BriefLimit limit_of(const Evidence& evidence) {
  const Limit limit = find_limit(evidence);
  const std::optional<FindingCode> rule = profile::rule_of(limit);
  return {.rule = rule                               ? to_text(*rule)
                  : limit.kind == Limit::Kind::kNone ? rule::kNothingFound
                                                     : rule::kUnitBound,
          .unit = limit.name(),
          .busy = limit.share,
          .busiest = limit.busiest ? limit.busiest->unit : ""};
}

/// A launch that waits has no line of its own: the one that it waits for, or at.
SourceLine where_of(const Finding& finding, const Profile& profile) {
  if (finding.where.line != 0 || finding.code != to_text(FindingCode::kLatencyBound))
    return finding.where;
  if (finding.basis == Basis::kResimulated) return profile.awaited->source;
  const std::optional<LineWait> wait = longest_wait(profile);
  return wait ? wait->where : finding.where;
}

std::string why_of(const Finding& finding) {
  if (finding.because.empty()) return finding.title;
  return fmt::format("{}: {}", finding.title, finding.because[finding.cause]);
}

BriefFinding brief_of(const Finding& finding, const Profile& profile, const SourceText& sources) {
  return {.rule = finding.code,
          .where = where_of(finding, profile),
          .why = why_of(finding),
          .change = edit_of(finding, profile, sources),
          .saving = finding.saving < kLeastSaving ? 0 : finding.saving,
          .basis = finding.basis};
}

std::string race_of(const RacePair& race) {
  return fmt::format("{} and {} access the same bytes of {}, and nothing orders them ({})",
                     to_text(race.first.source), to_text(race.second.source),
                     race.name.empty() ? "shared memory" : race.name, race.hazard);
}

}  // namespace

Brief brief_of(const Profile& profile, const SourceText& sources) {
  const Extent& block = profile.launch.block;
  Brief brief{.kernel = short_name(profile.kernel),
              .gpu = profile.gpu.name,
              .shape = fmt::format("{} block{} of {} threads", dims(profile.launch.grid),
                                   volume(profile.launch.grid) == 1 ? "" : "s", dims(block)),
              .launches = std::max<uint64_t>(1, profile.launches.count),
              .nanoseconds = profile.timing ? profile.timing->seconds() * 1e9 : 0,
              .limit = limit_of({profile, profile.counters})};
  if (!profile.races.found.empty()) {
    brief.race = race_of(profile.races.found.front());
    brief.race_where = profile.races.found.front().first.source;
  }
  const std::vector<Finding> findings = find(profile);
  for (const Finding& finding : findings)
    brief.findings.push_back(brief_of(finding, profile, sources));
  brief.certainty = certainty_of(profile, findings);
  return brief;
}

Briefs briefs_of(const std::vector<Profile>& profiles, const SourceText& sources, size_t most) {
  std::vector<const Profile*> chosen;
  for (const Profile& profile : profiles) chosen.push_back(&profile);
  if (most > 0 && chosen.size() > most) {
    const auto time_of = [](const Profile* profile) {
      const auto launches = static_cast<double>(std::max<uint64_t>(1, profile->launches.count));
      return profile->timing ? launches * profile->timing->seconds() : 0;
    };
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](const Profile* a, const Profile* b) { return time_of(a) > time_of(b); });
    chosen.resize(most);
  }
  Briefs briefs{.left_out = profiles.size() - chosen.size()};
  for (const Profile* profile : chosen) briefs.shown.push_back(brief_of(*profile, sources));
  return briefs;
}

}  // namespace warpledger::profile
