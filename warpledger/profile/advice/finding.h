// profile/advice/: what the numbers mean: findings, one rule a file, the verdict on what limits a
// launch (limit.h), the first screen (summary.h). The room reads a Profile and asks the model of
// time "what if"; it must not count anything itself.
//
// Findings: what a person should know first, at most three, each with its line, its cause and a
// remedy, and what limits the launch. What a remedy saves is estimated by taking the waste out of
// the counters and asking the model of time again (time/model.h): a bound, not a promise.
#pragma once

#include "warpledger/profile/advice/finding_code.h"
#include "warpledger/profile/advice/limit.h"
#include "warpledger/profile/time/path.h"

namespace warpledger::profile {

inline constexpr size_t kMostFindings = 3;
inline constexpr double kLeastSaving = 0.01;  // of the launch: less is not worth a line

/// What a finding is about, where other rules ask; nobody decides by `code`.
enum class Topic { kOther, kHostMemory, kLsu, kTags, kL2, kDram, kAtomics, kIdleSms };

/// What a saving is taken from.
enum class Basis : uint8_t {
  kRecounted,    // the model of time, asked again with the counters that would be left
  kResimulated,  // the SM, simulated again without the waits
};

struct Finding {
  std::string code = {};                  // "uncoalesced", for scripts (finding_code.h)
  std::string title = {};                 // one sentence
  SourceLine where = {};                  // line 0: the whole kernel
  std::vector<std::string> because = {};  // what was seen, a sentence each
  size_t cause = 0;                       // of these, the one that says it alone
  std::string remedy = {};
  double saving = 0;  // of the launch's time, 0..1; without a model of time: of the busiest unit's
  bool is_limit = false;  // says what limits the launch: shown even where it saves nothing
  std::string gain = {};  // "Saves up to 12 % of the launch's time (modeled)"; "": not estimated
  Topic topic = Topic::kOther;
  Basis basis = Basis::kRecounted;
};

/// The rule about what limits a launch; nothing where none is about that unit.
[[nodiscard]] std::optional<FindingCode> rule_of(const Limit& limit);

/// A change to the counters: what would remain without the waste.
using Relief = std::function<void(memory::Counters&)>;

/// The share of the launch's time that is saved when only this is left to do. Pre: `after` is of
/// the same kernel on the same GPU. The way of a warp is given, or that of before, less what loads
/// wait less on average.
[[nodiscard]] double saving_of(const Evidence& before, const Evidence& after);
[[nodiscard]] double saving_of(const Evidence& before, const Evidence& after,
                               const time::Path& path);

/// Sets the saving.
void estimate(Finding& finding, const Evidence& evidence, const Relief& relief);

/// Leaves the share `kept` of what a site asks below the L1, at the site, the L2 and DRAM.
void scale_traffic(memory::Counters& counters, size_t site, double kept, bool is_write = false);

/// The memory instructions of one source line and array that do the same.
struct Group {
  SourceLine source = {};
  std::vector<uint32_t> also = {};  // further lines of that file, after merge_alike()
  std::string array = {};           // "" when several or none
  trace::Space space = trace::Space::kGlobal;
  trace::Kind kind = trace::Kind::kLoad;
  std::vector<size_t> sites = {};
  memory::SiteCounters sum = {};
  uint64_t bytes = 0;  // asked for by lanes

  double run_bytes = 0;  // the least of its sites; 0: not known

  /// "matmul.cu:11: load of A", "transpose.cu:8, 9: store in shared memory"
  [[nodiscard]] std::string name() const;
};
[[nodiscard]] std::vector<Group> groups_of(const Evidence& evidence);

/// Groups of several lines that access one array in the same way, as one: they have one cause and
/// one remedy. What they count together stays the same.
[[nodiscard]] std::vector<Group> merge_alike(const std::vector<Group>& groups);

/// Whether it touches a tenth more sectors than its bytes fill (ncu's rule uses the same).
[[nodiscard]] bool wastes_sectors(const Group& group);

// One file each. What limits:
void find_host_memory(const Evidence& evidence, std::vector<Finding>& findings);
void find_l1_bound(const Evidence& evidence, std::vector<Finding>& findings);
void find_unit_bound(const Evidence& evidence, std::vector<Finding>& findings);
void find_latency_bound(const Evidence& evidence, std::vector<Finding>& findings);
// What wastes:
void find_uncoalesced(const Evidence& evidence, std::vector<Finding>& findings);
void find_bank_conflicts(const Evidence& evidence, std::vector<Finding>& findings);
void find_thrashing(const Evidence& evidence, std::vector<Finding>& findings);
void find_partial_writes(const Evidence& evidence, std::vector<Finding>& findings);
void find_local_memory(const Evidence& evidence, std::vector<Finding>& findings);
void find_contended_atomics(const Evidence& evidence, std::vector<Finding>& findings);
void find_divergence(const Evidence& evidence, std::vector<Finding>& findings);
void find_divisions(const Evidence& evidence, std::vector<Finding>& findings);
void find_memory_accumulators(const Evidence& evidence, std::vector<Finding>& findings);
void find_low_occupancy(const Evidence& evidence, std::vector<Finding>& findings);

/// The best kMostFindings: those that save at least kLeastSaving, the most first, and what limits:
/// before them where none of them explains it, else after them.
[[nodiscard]] std::vector<Finding> find(const Profile& profile);

/// "18.35 million", "12,345", "6.06 GB".
[[nodiscard]] std::string in_words(double count);
[[nodiscard]] std::string bytes_in_words(double bytes);
/// "12.35 us".
[[nodiscard]] std::string time_in_words(double nanoseconds);
/// "1 block", "2 blocks".
[[nodiscard]] std::string counted(int64_t count, const std::string& noun);

}  // namespace warpledger::profile
