#include "warpledger/profile/shown.h"

#include <fmt/format.h>

#include <cmath>

#include "warpledger/base/number.h"

namespace warpledger::profile {
namespace {

struct Scale {
  double by;
  std::string unit;
};

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

}  // namespace

Shown show(const Value& value, const std::string& unit, Units units) {
  if (const auto* text = std::get_if<std::string>(&value.raw)) return {*text, unit};
  const auto number = value.number();
  if (!number) return {kNotModelled, unit};
  const Scale scale = units == Units::kAuto ? scale_of(*number, unit) : Scale{1, unit};
  std::string text = ncu_number(*number / scale.by);
  if (value.low) {
    text += fmt::format(" ({}..{})", ncu_number(*value.low / scale.by),
                        ncu_number(*value.high / scale.by));
  }
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
