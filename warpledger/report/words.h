// Numbers as short as a picture needs them, and metrics by name.
#pragma once

#include <optional>
#include <string>

#include "warpledger/base/table.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::report {

/// Three digits and a unit prefix: 1,234,567 -> "1.23 M", 524288 -> "524 k", 9,999 -> "9,999".
[[nodiscard]] std::string compact(double value);

/// compact() with what it counts and the mark of its fidelity: "1.23 M req~".
[[nodiscard]] std::string marked(double value, const std::string& unit, Fidelity fidelity);

/// The metric's number, where it is modeled.
[[nodiscard]] std::optional<double> number_of(const profile::Profile& profile,
                                              const std::string& metric);

/// The metric as a cell with ncu's unit behind it, without its range: "12.34 us".
[[nodiscard]] Cell shown(const profile::Profile& profile, const std::string& metric);

/// "12.3 %~", or "" when nothing is known.
[[nodiscard]] std::string percent(std::optional<double> value, Fidelity fidelity);

[[nodiscard]] Cell count_cell(uint64_t n, Fidelity fidelity);
/// Shown with `digits` behind the point; empty when there is none.
[[nodiscard]] Cell number_cell(std::optional<double> value, int digits, Fidelity fidelity);

}  // namespace warpledger::report
