#include "warpledger/ncu/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "warpledger/base/scanner.h"

namespace warpledger::ncu {
namespace {

struct Word {
  std::string_view word;
  double factor;
  std::string_view base;
};

// The unit before a slash, or the whole unit. ncu's prefixes are decimal.
constexpr Word kWords[] = {
    {"byte", 1, "byte"},
    {"Kbyte", 1e3, "byte"},
    {"Mbyte", 1e6, "byte"},
    {"Gbyte", 1e9, "byte"},
    {"Tbyte", 1e12, "byte"},
    {"hz", 1, "hz"},
    {"Hz", 1, "hz"},
    {"Khz", 1e3, "hz"},
    {"Mhz", 1e6, "hz"},
    {"Ghz", 1e9, "hz"},
    {"ns", 1, "ns"},
    {"nsecond", 1, "ns"},
    {"us", 1e3, "ns"},
    {"usecond", 1e3, "ns"},
    {"ms", 1e6, "ns"},
    {"msecond", 1e6, "ns"},
    {"s", 1e9, "ns"},
    {"second", 1e9, "ns"},
    {"Kcycle", 1e3, "cycle"},
    {"Mcycle", 1e6, "cycle"},
    {"Kinst", 1e3, "inst"},
    {"Minst", 1e6, "inst"},
    {"Ksector", 1e3, "sector"},
    {"Msector", 1e6, "sector"},
};

const Word* find_word(std::string_view word) {
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const Word& one) { return one.word == word; });
  return found == std::end(kWords) ? nullptr : found;
}

}  // namespace

Scaled base_unit(const std::string& unit) {
  // Frequencies of older versions.
  if (unit == "cycle/nsecond") return {1e9, "hz"};
  if (unit == "cycle/usecond") return {1e6, "hz"};
  if (unit == "cycle/second") return {1, "hz"};
  const size_t slash = unit.find('/');
  const Word* above = find_word(std::string_view(unit).substr(0, slash));
  Scaled scaled{above ? above->factor : 1,
                above ? std::string(above->base) : unit.substr(0, slash)};
  if (slash == std::string::npos) return scaled;
  const std::string below = unit.substr(slash + 1);
  const Word* time = find_word(below);
  if (time != nullptr && time->base == "ns") {  // rates are per second
    scaled.factor *= 1e9 / time->factor;
    scaled.unit += "/s";
  } else {
    scaled.unit += "/" + below;
  }
  return scaled;
}

std::optional<double> number_of(const std::string& printed) {
  std::string digits;
  for (const char c : printed) {
    if (c != ',') digits += c;
  }
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  if (digits.empty() || read.ec != std::errc() || read.ptr != end || !std::isfinite(value)) {
    return {};
  }
  return value;
}

Entry entry_of(std::string section, std::string name, const std::string& unit,
               const std::string& printed) {
  Entry entry{.section = std::move(section),
              .name = std::move(name),
              .words = std::string(trimmed(printed))};
  const std::optional<double> number = number_of(entry.words);
  const Scaled scaled = base_unit(std::string(trimmed(unit)));
  entry.unit = scaled.unit;
  if (!number) return entry;
  entry.value = *number * scaled.factor;
  const size_t point = entry.words.find('.');
  const size_t exponent = std::min(entry.words.find_first_of("eE"), entry.words.size());
  if (point == std::string::npos || exponent <= point) {
    entry.half = scaled.factor == 1 ? 0 : 0.5 * scaled.factor;  // a whole count is exact
  } else {
    const auto decimals = static_cast<double>(exponent - point - 1);
    entry.half = 0.5 * std::pow(10.0, -decimals) * scaled.factor;
  }
  return entry;
}

}  // namespace warpledger::ncu
