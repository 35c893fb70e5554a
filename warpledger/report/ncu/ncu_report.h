// report/ncu/: profiles as a report file of Nsight Compute (ncu/rep_file.h), which `ncu --import`,
// ncu-ui and ncu_report open. Metrics, sections and device attributes have ncu's names; findings
// are rule results; per-instruction metrics are of the machine code that ptxas made here.
//
// Nobody may take it for a measurement: session, versions, comments, the device's name and a rule
// of every section say that warpledger predicted it, and which metrics are exact. What is not
// predicted is absent. The profile itself is the result's `record`, which --import reads back.
#pragma once

#include <string>
#include <vector>

#include "warpledger/ncu/rep_file.h"
#include "warpledger/profile/value/machine_code.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/report/report.h"

namespace warpledger::report {

/// A launch, and its code where that is known; where not, `no_code` says why.
struct NcuLaunch {
  const profile::Profile& profile;
  std::optional<profile::MachineCode> code = {};
  std::string no_code = {};
};

/// `command`: as it was typed. Post: profile::read_report() of its bytes gives the profiles back.
[[nodiscard]] ncu::RepFile ncu_report(const std::vector<NcuLaunch>& launches,
                                      const Sources& sources, const std::string& command);

// One file each:
/// Every metric that is known, and those of instructions where the code is. `where`: the address
/// at which the code stands.
[[nodiscard]] std::vector<ncu::RepMetric> ncu_metrics(const NcuLaunch& launch);
/// What the GPU's file says, under ncu's names.
[[nodiscard]] ncu::RepDevice ncu_device(const Gpu& gpu);
/// The details page: lines whose metrics are known.
[[nodiscard]] std::vector<ncu::RepSection> ncu_sections(const profile::Profile& profile);
/// The findings, and what of each section is exact.
[[nodiscard]] std::vector<ncu::RepRule> ncu_rules(const profile::Profile& profile);
/// "Predicted by warpledger ... for GPU ...: nothing of it was measured."
[[nodiscard]] std::string ncu_notice(const profile::Profile& profile);
/// The columns of the source page, in order; those without values are left out of pages.
[[nodiscard]] std::vector<ncu::RepLine> ncu_source_columns();
/// `ncu --page source --csv`: SASS with ncu's columns, those of which nothing is predicted left
/// out.
[[nodiscard]] std::string ncu_source_csv(const profile::Profile& profile,
                                         const profile::MachineCode& code);
/// Metrics of machine instructions; empty without code.
[[nodiscard]] std::vector<ncu::RepMetric> ncu_source_metrics(const profile::Profile& profile,
                                                             const profile::MachineCode& code);

}  // namespace warpledger::report
