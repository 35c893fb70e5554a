#include "warpledger/report/glance.h"

#include <fmt/core.h>

#include "warpledger/report/words.h"

namespace warpledger::report {
namespace {

using profile::Finding;
using profile::Profile;

/// The text of the line without its indentation; empty where the source is not at hand.
std::string text_of(const profile::SourceLine& where, const Sources& sources) {
  const auto file = sources.find(where.file);
  if (file == sources.end() || where.line == 0 || where.line > file->second.size()) return "";
  const std::string& line = file->second[where.line - 1];
  const size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin);
}

KeyFact limit_fact(const Profile& profile) {
  const profile::Limit limit = profile::find_limit({profile, profile.counters});
  KeyFact fact{.label = "Limit", .value = limit.name()};
  if (!limit.busiest || limit.share <= 0) return fact;
  const std::string busy = percent(100 * limit.share, Fidelity::kModeled);
  fact.note = limit.kind == profile::Limit::Kind::kUnit
                  ? fmt::format("busy {} of the launch", busy)
                  : fmt::format("busiest unit: {}, {} of the launch", limit.busiest->unit, busy);
  return fact;
}

KeyFact cause_fact(const Finding& finding) {
  const bool has_cause = finding.cause < finding.because.size();
  return {.label = "Cause",
          .value = finding.title,
          .note = has_cause ? finding.because[finding.cause] : ""};
}

KeyFact saving_fact(const Profile& profile, const Finding& finding) {
  return {.label = "Could save",
          .value = Cell(fmt::format("up to {:.0f} %", 100 * finding.saving), 100 * finding.saving,
                        Fidelity::kModeled),
          .note = profile.timing ? "of the launch's time" : "of the busiest unit's time"};
}

}  // namespace

std::vector<KeyFact> glance_at(const Profile& profile, const std::vector<Finding>& findings,
                               const Sources& sources) {
  std::vector<KeyFact> facts;
  const Cell duration = shown(profile, "gpu__time_duration.sum");
  if (duration.fidelity) facts.push_back({.label = "Duration", .value = duration});
  if (KeyFact limit = limit_fact(profile); !limit.value.text.empty())
    facts.push_back(std::move(limit));
  if (findings.empty()) return facts;
  const Finding& first = findings.front();
  facts.push_back(cause_fact(first));
  if (first.where.line > 0) {
    facts.push_back({.label = "Line",
                     .value = profile::to_text(first.where),
                     .note = text_of(first.where, sources),
                     .is_code = true});
  }
  if (!first.gain.empty()) facts.push_back(saving_fact(profile, first));
  return facts;
}

}  // namespace warpledger::report
