#include "warpledger/report/words.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "warpledger/base/number.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/render/table.h"

namespace warpledger::report {

std::string compact(double value) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      std::pair{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  if (std::abs(value) < 1e4) {
    const bool whole = value == std::floor(value);
    if (!whole && std::abs(value) < 1000) return fmt::format("{:.3g}", value);
    return group_thousands(static_cast<int64_t>(std::llround(value)));
  }
  for (const auto& [unit, name] : kUnits) {
    if (std::abs(value) < unit) continue;
    const double scaled = value / unit;
    const int digits = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", scaled, digits, name);
  }
  return "";
}

std::string marked(double value, const std::string& unit, Fidelity fidelity) {
  return compact(value) + " " + unit + std::string(mark_of(fidelity));
}

std::optional<double> number_of(const profile::Profile& profile, const std::string& metric) {
  return profile::answer(metric, profile).value.number();
}

Cell shown(const profile::Profile& profile, const std::string& metric) {
  auto [value, unit] = profile::answer(metric, profile);
  value.low = value.high = std::nullopt;
  const profile::Shown words = profile::show(value, unit, profile::Units::kAuto);
  if (!value.is_known()) return {profile::kNotModeled};
  return {words.unit.empty() ? words.value : words.value + " " + words.unit, value.raw,
          value.fidelity};
}

std::string percent(std::optional<double> value, Fidelity fidelity) {
  if (!value) return "";
  return fmt::format("{:.1f} %{}", *value, mark_of(fidelity));
}

Cell count_cell(uint64_t n, Fidelity fidelity) { return {static_cast<int64_t>(n), fidelity}; }

Cell number_cell(std::optional<double> value, int digits, Fidelity fidelity) {
  if (!value) return {};
  return {group_thousands(std::string_view(fmt::format("{:.{}f}", *value, digits))), *value,
          fidelity};
}

}  // namespace warpledger::report
