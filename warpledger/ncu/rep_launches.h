// What a report file counted, as launches that the other readers of this room give too. The file
// has values in base units and no units: those follow from the metrics' names.
#pragma once

#include <vector>

#include "warpledger/ncu/rep_file.h"
#include "warpledger/ncu/report.h"

namespace warpledger::ncu {

/// "byte", "hz", "%", ... of a metric, as ncu prints them with --print-units base; "" for a plain
/// number, and for what the name does not say.
[[nodiscard]] std::string unit_of_metric(std::string_view name);

[[nodiscard]] std::vector<Launch> launches_of(const RepFile& file);

}  // namespace warpledger::ncu
