// Findings: what a person should know first, at most three, each with its line, its cause and a
// remedy. What a remedy would save is estimated by taking the waste out of the counters and asking
// the units again how long they are busy (units.h): a bound, not a promise.
#pragma once

#include "warpledger/profile/units.h"

namespace warpledger::profile {

inline constexpr size_t kMostFindings = 3;

struct Finding {
  std::string code;                  // "uncoalesced", for scripts
  std::string title;                 // one sentence
  SourceLine where;                  // line 0: the whole kernel
  std::vector<std::string> because;  // what was seen, a sentence each
  std::string remedy;
  double saving = 0;    // of the least time of the busiest unit, 0..1
  double relieved = 0;  // cycles that its own unit would be relieved of
};

/// A change to the counters: what would remain without the waste.
using Relief = std::function<void(memory::Counters&)>;

/// Sets saving and relieved.
void estimate(Finding& finding, const Evidence& evidence, const Relief& relief);

/// Takes the share `kept` of what a site asks below the L1 away from site, L2 and DRAM.
void scale_traffic(memory::Counters& counters, size_t site, double kept);

/// The memory instructions of one source line and array that do the same.
struct Group {
  SourceLine source;
  std::string array;  // "" when several or none
  trace::Space space = trace::Space::kGlobal;
  trace::Kind kind = trace::Kind::kLoad;
  std::vector<size_t> sites;
  memory::SiteCounters sum;
  uint64_t bytes = 0;  // asked for by lanes

  /// "matmul.cu:11: load of A"
  [[nodiscard]] std::string name() const;
};
[[nodiscard]] std::vector<Group> groups_of(const Evidence& evidence);

// One file each.
void find_limit(const Evidence& evidence, std::vector<Finding>& findings);
void find_uncoalesced(const Evidence& evidence, std::vector<Finding>& findings);
void find_bank_conflicts(const Evidence& evidence, std::vector<Finding>& findings);
void find_thrashing(const Evidence& evidence, std::vector<Finding>& findings);
void find_partial_writes(const Evidence& evidence, std::vector<Finding>& findings);
void find_local_memory(const Evidence& evidence, std::vector<Finding>& findings);
void find_contended_atomics(const Evidence& evidence, std::vector<Finding>& findings);
void find_low_occupancy(const Evidence& evidence, std::vector<Finding>& findings);

/// The best kMostFindings, those that save most first.
[[nodiscard]] std::vector<Finding> find(const Profile& profile);

/// "18.35 million", "12,345", "6.06 GB".
[[nodiscard]] std::string in_words(double count);
[[nodiscard]] std::string bytes_in_words(double bytes);

}  // namespace warpledger::profile
