// `profile -o FILE.ncu-rep`: the launches as a report file of Nsight Compute.
#pragma once

#include <optional>

#include "cli/commands/profile_html.h"
#include "warpledger/profile/run/kernel_text.h"
#include "warpledger/profile/value/machine_code.h"

namespace warpledger::cli {

struct NcuReportOptions {
  std::string file;  // "": none is wanted
  // Where the kernel's PTX comes from; nothing for launches of a program and of a report.
  std::optional<profile::KernelFile> kernel = {};
  profile::KernelTexts texts = {};  // of a program's launches
  bool store = true;
};

/// The machine code of a launch with what each instruction did; fails with why it cannot be had.
[[nodiscard]] Result<profile::MachineCode> find_machine_code(Session& session,
                                                             const NcuReportOptions& options,
                                                             const profile::Profile& launch,
                                                             bool with_blocks = false);

/// Where the machine code cannot be had, the report says why, and has no source page.
[[nodiscard]] Status write_ncu_report(Session& session, const NcuReportOptions& options,
                                      const ReportOptions& sources,
                                      const std::vector<profile::Profile>& launches);

}  // namespace warpledger::cli
