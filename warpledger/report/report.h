// report/: a Profile as a Document for people: memory chart, rooflines, ncu's tables, source with
// heat, the worst access patterns, findings. This room chooses what is shown, and in which words;
// it must not compute a counter of its own (profile/ does) nor know how a page looks (render/).
//
//   glance.h        what to know first: duration, limit, cause, line, saving
//   memory_chart.h  who moves what between kernel, L1, shared memory, L2 and DRAM
//   roofline.h      flops per byte at each level against the roofs, and which roof is the limit
//   access.h        lanes against sectors or banks for the most wasteful instructions
//   source_view.h   source lines and PTX side by side, SASS below
//   block_trace.h   thread blocks over time, for Perfetto
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpledger/profile/value/machine_code.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/render/document.h"

namespace warpledger::report {

/// The lines of source files by the names that line numbers refer to ("matmul.cu").
using Sources = std::map<std::string, std::vector<std::string>>;

/// A file's text, line by line.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

/// One launch. `code`: its machine code, where that is known.
[[nodiscard]] Page page_of(const profile::Profile& profile, const Sources& sources,
                           const profile::MachineCode* code = nullptr);

/// Of each launch, or none at all.
using Codes = std::vector<std::optional<profile::MachineCode>>;

/// One row for each launch: what it is, how long it takes, what it moves, what limits it.
[[nodiscard]] Table launch_list(const std::vector<profile::Profile>& launches);

/// All launches, in their order.
[[nodiscard]] Document document_of(const std::vector<profile::Profile>& launches,
                                   const Sources& sources, const Codes& codes = {});

/// The files that the profile's line numbers refer to, without repetition.
[[nodiscard]] std::vector<std::string> source_files(const profile::Profile& profile);

}  // namespace warpledger::report
