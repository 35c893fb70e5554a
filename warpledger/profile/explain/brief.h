// profile/explain/: a launch in a few lines, for a person or a model: what limits it, why, what to
// change in this code, what that would give, how sure all of it is, and whether to measure.
//
//   brief.h           the answer as a value
//   edit.h            a finding's remedy in the names and sizes of the user's code
//   shared_padding.h  a shared array's row that has no bank conflicts
//   certainty.h       the expected error, and what it leaves open
//   rule_page.h       the pages of docs/rules, compiled in
//   brief_lines.h     the answer as lines of a stable wording
//   difference.h      what became of a launch since an earlier profile
//   brief_json.h      the answer as docs/schema/explain.json describes it
//
// The room reads a Profile and its findings (profile/advice/). It must not count anything, and it
// must not run a kernel.
#pragma once

#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/explain/certainty.h"
#include "warpledger/profile/explain/difference.h"
#include "warpledger/profile/explain/edit.h"

namespace warpledger::profile {

/// What limits the launch.
struct BriefLimit {
  std::string rule = {};  // its page
  std::string unit = {};  // "DRAM", "latency"; "": nothing has anything to do
  double busy = 0;        // share of the launch in which the busiest unit is busy; 0: not known
  std::string busiest = {};
};

/// A finding, and what to do about it here.
struct BriefFinding {
  std::string rule = {};
  SourceLine where = {};
  std::string why = {};
  Edit change = {};
  double saving = 0;  // of the launch's time, 0..1; 0: not estimated
  Basis basis = Basis::kRecounted;
};

struct Brief {
  std::string kernel = {};  // as ncu prints it, shortened
  std::string gpu = {};     // "NVIDIA A100"
  std::string shape = {};   // "8x8 blocks of 32x32 threads"
  uint64_t launches = 1;    // of the program, that it stands for
  double nanoseconds = 0;   // modeled; 0: not modeled
  std::string race = {};    // the first race that was found, in words; "": none
  SourceLine race_where = {};
  BriefLimit limit = {};
  std::vector<BriefFinding> findings = {};  // at most kMostFindings
  Certainty certainty = {};
};

/// `sources` may be empty: then nothing is quoted from the code.
[[nodiscard]] Brief brief_of(const Profile& profile, const SourceText& sources);

/// Several launches: those that take longest in all.
struct Briefs {
  std::vector<Brief> shown = {};
  size_t left_out = 0;
  std::optional<Difference> since = {};  // an earlier profile of the only one
};

/// At most `most`, the longest first; 0: all. In their own order where all are shown.
[[nodiscard]] Briefs briefs_of(const std::vector<Profile>& profiles, const SourceText& sources,
                               size_t most);

}  // namespace warpledger::profile
