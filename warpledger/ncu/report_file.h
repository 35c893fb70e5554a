// ncu's own file, .ncu-rep, read without ncu: launches with their metrics, as the raw page has
// them. NVIDIA ships a description of the format with Nsight Compute (extras/FileFormat); read are
// the container, the string table, names, grid, block and metric values; not read are sections,
// rules, code and per-instruction values.
#pragma once

#include "warpledger/ncu/report.h"

namespace warpledger::ncu {

[[nodiscard]] bool is_report_file(std::string_view bytes);

/// The launches of the file, in its order; values in base units, units empty. `name` stands in
/// diagnostics. Fails with "bad-ncu-file" on bytes that break the format.
[[nodiscard]] Result<std::vector<Launch>> read_report_file(const std::string& name,
                                                           std::string_view bytes);

}  // namespace warpledger::ncu
