// Branches that part the lanes of a warp: an instruction that runs with few lanes takes the same
// issue slot as one that runs with all of them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "warpledger/base/number.h"
#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {
namespace {

constexpr double kWorthSaying = 0.01;  // of the issue slots

/// What one branch of the source parts. Slots are warp instructions, of the machine where known.
struct Parted {
  SourceLine source = {};
  bool is_loop = false;
  double executions = 0, lanes = 0;
  double slots = 0, lost = 0;
};

double slots_of(const Profile& profile, const CodeLine& line) {
  return static_cast<double>(profile.machine ? line.issued : line.executions);
}

double lanes_of_a_warp(const Profile& profile) {
  return static_cast<double>(profile.statistics.threads) /
         static_cast<double>(std::max<uint64_t>(1, profile.execution.warps));
}

void add(const Profile& profile, const CodeLine& line, std::vector<Parted>& all) {
  const CodeLine& branch = profile.code[line.guard];
  auto same = std::find_if(all.begin(), all.end(), [&](const Parted& one) {
    return one.source == branch.source && one.is_loop == line.guard_is_loop;
  });
  if (same == all.end()) {
    all.push_back({.source = branch.source, .is_loop = line.guard_is_loop});
    same = all.end() - 1;
  }
  const double full = static_cast<double>(line.executions) * lanes_of_a_warp(profile);
  const double off = full <= 0 ? 0 : std::max(0.0, 1 - static_cast<double>(line.lanes) / full);
  same->executions += static_cast<double>(line.executions);
  same->lanes += static_cast<double>(line.lanes);
  same->slots += slots_of(profile, line);
  same->lost += off * slots_of(profile, line);
}

/// All pipes had as much less to do as slots are lost. The way of a warp that has something to do
/// stays as long as it is.
double saving_without(const Evidence& evidence, double lost_share) {
  Profile packed = evidence.profile;
  const double kept = 1 - lost_share;
  const auto keep = [kept](uint64_t& n) {
    n = static_cast<uint64_t>(std::llround(static_cast<double>(n) * kept));
  };
  const auto keep_pipes = [keep](PipeWork& work) {
    for (uint64_t* n : {&work.alu, &work.fma, &work.multiply, &work.wide_multiply, &work.xu,
                        &work.fp64, &work.uniform}) {
      keep(*n);
    }
  };
  if (packed.machine) {
    keep(packed.machine->instructions);
    keep_pipes(packed.machine->pipes);
  }
  keep(packed.execution.warp_instructions);
  for (CodeLine& line : packed.code) keep(line.executions);
  return saving_of(evidence, {packed, evidence.counters});
}

Finding describe(const Parted& parted, double all_slots, double full) {
  Finding finding{.code = to_text(FindingCode::kDivergence), .where = parted.source};
  const std::string line = to_text(parted.source);
  const std::string at = line.empty() ? "" : line + ": ";
  finding.title = parted.is_loop ? fmt::format("Lanes leave a loop at different times: {}loop", at)
                                 : fmt::format("Lanes of a warp diverge: {}branch", at);
  finding.because.push_back(fmt::format(
      "{:.1f} of {:.0f} lanes are active in what it guards, {:.0f} % of all instructions: {:.0f} % "
      "of the issue slots are lost",
      parted.lanes / parted.executions, full, 100 * parted.slots / all_slots,
      100 * parted.lost / all_slots));
  finding.remedy =
      parted.is_loop
          ? "give all lanes of a warp the same amount of work: sort or bin the items by length, or "
            "let the whole warp work on one item"
          : "keep the active threads contiguous, so that whole warps take the same side: compute "
            "the "
            "index from the thread (index = 2 * s * tid) instead of testing it (tid % (2 * s) == "
            "0)";
  return finding;
}

}  // namespace

void find_divergence(const Evidence& evidence, std::vector<Finding>& findings) {
  const Profile& profile = evidence.profile;
  std::vector<Parted> all;
  double slots = 0;
  for (const CodeLine& line : profile.code) {
    slots += slots_of(profile, line);
    if (line.guard < profile.code.size() && line.executions > 0) add(profile, line, all);
  }
  for (const Parted& parted : all) {
    if (slots <= 0 || parted.lost < kWorthSaying * slots) continue;
    Finding finding = describe(parted, slots, lanes_of_a_warp(profile));
    finding.saving = saving_without(evidence, parted.lost / slots);
    findings.push_back(std::move(finding));
  }
}

}  // namespace warpledger::profile
