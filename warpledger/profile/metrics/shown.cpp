#include "warpledger/profile/metrics/shown.h"

#include <fmt/core.h>

#include <cmath>

#include "warpledger/base/number.h"
#include "warpledger/profile/metrics/scale.h"

namespace warpledger::profile {

Scale scale_of(double value, const std::string& unit) {
  const auto step = [&](std::initializer_list<std::pair<double, const char*>> steps,
                        const std::string& rest) {
    for (const auto& [limit, prefix] : steps) {
      if (std::abs(value) >= limit) return Scale{limit, prefix + rest};
    }
    return Scale{1, unit};
  };
  if (unit.starts_with("byte") && unit != "byte/sector" && unit != "byte/cycle") {
    return step({{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "K"}}, unit);
  }
  if (unit == "hz") return step({{1e9, "Ghz"}, {1e6, "Mhz"}, {1e3, "Khz"}}, "");
  if (unit == "ns") return step({{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}, "");
  if (unit == "sector/s") return step({{1e9, "G"}, {1e6, "M"}, {1e3, "K"}}, unit);
  return {1, unit};
}

namespace {

/// Six decimals, zeros cut: for readers that compare.
std::string full_number(double value) {
  std::string text = fmt::format("{:.6f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return group_thousands(std::string_view(text));
}

}  // namespace

Shown show(const Value& value, const std::string& unit, Units units) {
  if (const auto* text = std::get_if<std::string>(&value.raw)) return {*text, unit};
  const auto number = value.number();
  if (!number) return {kNotModeled, unit};
  const Scale scale = units == Units::kAuto ? scale_of(*number, unit) : Scale{1, unit};
  const auto words = [&](double shown) {
    return units == Units::kBase ? full_number(shown) : ncu_number(shown / scale.by);
  };
  std::string text = words(*number);
  if (value.low) text += fmt::format(" ({}..{})", words(*value.low), words(*value.high));
  return {std::move(text), scale.unit};
}

Cell cell_of(const Value& value, const std::string& unit, Units units) {
  Cell cell;
  cell.text = show(value, unit, units).value;
  cell.raw = value.raw;
  if (value.is_known()) cell.fidelity = value.fidelity;
  return cell;
}

}  // namespace warpledger::profile
