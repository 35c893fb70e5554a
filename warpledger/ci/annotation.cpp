#include "warpledger/ci/annotation.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>

#include "warpledger/base/hash.h"
#include "warpledger/profile/explain/brief_lines.h"
#include "warpledger/profile/explain/rule_page.h"
#include "warpledger/profile/value/source_path.h"

namespace warpledger::ci {
namespace {

namespace fs = std::filesystem;
using profile::Brief;
using profile::BriefFinding;
using profile::Profile;
using profile::SourceLine;

constexpr double kWorthAWarning = 0.1;  // of the launch's time

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Beside the profiled file, or where the compiler found it.
std::string path_of(const Profile& profile, const SourceLine& where) {
  const std::string beside = profile::source_path(profile.file, where);
  if (is_file(beside) || profile.source_folder.empty()) return beside;
  const fs::path compiled = fs::path(profile.source_folder) / where.file;
  if (!is_file(compiled)) return beside;
  std::error_code failed;
  const fs::path near = fs::proximate(compiled, failed);
  return failed || near.string().starts_with("..") ? compiled.string() : near.string();
}

/// Where a kernel begins, as far as its lines say; line 0 where they do not.
SourceLine first_line(const Profile& profile) {
  SourceLine first;
  for (const profile::CodeLine& code : profile.code) {
    if (code.source.line == 0) continue;
    const bool is_other = first.line != 0 && code.source.file != first.file;
    if (is_other || (first.line != 0 && code.source.line >= first.line)) continue;
    first = code.source;
  }
  return first;
}

void place(const Profile& profile, SourceLine where, Annotation& annotation) {
  if (where.line == 0) where = first_line(profile);
  annotation.path = where.line == 0 ? profile.file : path_of(profile, where);
  annotation.line = std::max<uint32_t>(1, where.line);
}

Annotation annotation_of(const Brief& brief, const BriefFinding& finding) {
  return {.rule = finding.rule,
          .level = finding.saving >= kWorthAWarning ? Level::kWarning : Level::kNote,
          .message = fmt::format("{}. To change: {}. It would give: {}.", finding.why,
                                 finding.change.text, gain_of(brief, finding)),
          .saving = finding.saving};
}

void add_launch(const Profile& profile, const profile::SourceText& sources,
                std::vector<Annotation>& all) {
  const Brief brief = profile::brief_of(profile, sources);
  const auto add = [&](Annotation annotation, const SourceLine& where) {
    annotation.subject = fmt::format("{} on {}", brief.kernel, brief.gpu);
    annotation.message = fmt::format("{}: {}", annotation.subject, annotation.message);
    place(profile, where, annotation);
    all.push_back(std::move(annotation));
  };
  if (!brief.race.empty()) {
    add({.rule = profile::rule::kRace, .level = Level::kError, .message = brief.race},
        brief.race_where);
  }
  for (const BriefFinding& finding : brief.findings)
    add(annotation_of(brief, finding), finding.where);
}

Annotation annotation_of(const profile::budget::Checked& one) {
  const profile::budget::Judgment& judgment = one.judgment;
  const bool is_broken = judgment.state == profile::budget::State::kBroken;
  Annotation annotation{
      .rule = is_broken ? profile::rule::kBrokenLimit : profile::rule::kUnknownLimit,
      .level = is_broken ? Level::kError : Level::kWarning,
      .message = fmt::format("{}: {}: {}", one.launch, judgment.limit, sentence_of(judgment)),
      .path = one.limit_at.file,
      .line = static_cast<uint32_t>(std::max(1, one.limit_at.line)),
      .subject = fmt::format("{}: {}: {}", one.budget, one.launch, judgment.limit)};
  for (const profile::budget::Culprit& culprit : judgment.culprits)
    annotation.message += "; " + to_text(culprit);
  if (judgment.culprits.empty()) return annotation;
  const SourceLine& where = judgment.culprits.front().where;
  if (const std::string path = profile::source_path(one.kernel_file, where); !path.empty()) {
    annotation.path = path;
    annotation.line = where.line;
  }
  return annotation;
}

}  // namespace

std::vector<Annotation> annotations_of(const std::vector<Profile>& profiles,
                                       const profile::SourceText& sources) {
  std::vector<Annotation> all;
  for (const Profile& profile : profiles) add_launch(profile, sources, all);
  return all;
}

std::vector<Annotation> annotations_of(const std::vector<profile::budget::Checked>& checked) {
  std::vector<Annotation> all;
  for (const profile::budget::Checked& one : checked) {
    if (one.judgment.is_broken()) all.push_back(annotation_of(one));
  }
  return all;
}

std::vector<std::string> fingerprints_of(const std::vector<Annotation>& all) {
  std::map<std::string, size_t> seen;
  std::vector<std::string> names;
  for (const Annotation& one : all) {
    const std::string what = fmt::format("{}\n{}\n{}", one.rule, one.path, one.subject);
    const size_t number = ++seen[what];
    names.push_back(sha256(fmt::format("{}\n{}", what, number)));
  }
  return names;
}

}  // namespace warpledger::ci
