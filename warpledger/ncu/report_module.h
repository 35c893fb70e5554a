// ncu's own file, .ncu-rep: NVIDIA publishes no description of it, but a Python module that reads
// it, ncu_report (`pip install ncu-report`, or extras/python of Nsight Compute). This runs it.
#pragma once

#include <string>

#include "warpledger/base/result.h"

namespace warpledger::ncu {

[[nodiscard]] bool is_binary_report(const std::string& path);

/// The report as CSV, one row a metric, that read_report reads; values in full precision. The first
/// python3 along $PATH runs the module. Fails with "no-ncu-report" when there is no Python or it
/// has no such module, and with "bad-ncu-file" when the module does not read the file.
[[nodiscard]] Result<std::string> csv_of_binary_report(const std::string& path);

}  // namespace warpledger::ncu
