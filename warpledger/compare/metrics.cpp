#include "warpledger/compare/metrics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "warpledger/profile/metrics/section.h"

namespace warpledger::match {
namespace {

using profile::Profile;

struct Number {
  double value = 0;
  std::string unit = {};
  Fidelity fidelity = Fidelity::kMeasured;
  double half = 0;  // of the last digit that was printed
};

struct Side {
  std::string kernel = {};
  size_t launches = 1;  // of the file
  std::map<std::string, Number> metrics = {};
};

/// ncu's details page has labels: the metric of that label in that section, or "".
std::string metric_of(const ncu::Entry& entry) {
  if (entry.section.empty()) return entry.name;
  for (const profile::Section& section : profile::sections()) {
    if (section.title != entry.section) continue;
    for (const profile::Entry& one : section.entries) {
      if (one.label == entry.name) return one.metric;
    }
  }
  return entry.section + ": " + entry.name;
}

Result<Side> hardware_side(const Source& source, const std::string& pattern) {
  WL_TRY(const std::vector<ncu::Launch> launches, chosen_launches(source, pattern));
  Side side{.kernel = launches.front().kernel, .launches = launches.size()};
  for (const ncu::Entry& entry : launches.front().entries) {
    if (!entry.value) continue;
    side.metrics.try_emplace(metric_of(entry),
                             Number{*entry.value, entry.unit, Fidelity::kMeasured, entry.half});
  }
  return side;
}

Side profile_side(const Profile& profile, const std::map<std::string, Number>& asked) {
  Side side{.kernel = profile::shown_name(profile.kernel)};
  std::vector<std::string> names = profile::standard_metrics();
  for (const auto& [name, number] : asked) names.push_back(name);
  for (const std::string& name : names) {
    const Result<profile::Metric> metric = profile::find_metric(name);
    if (!metric) continue;
    const profile::Value value = profile::evaluate(*metric, profile);
    if (const auto number = value.number()) {
      side.metrics[name] = {*number, metric->unit, value.fidelity};
    }
  }
  return side;
}

Result<Side> read_side(const Source& source, const std::string& pattern,
                       const std::map<std::string, Number>& asked) {
  if (kind_of(source) == Kind::kHardware) return hardware_side(source, pattern);
  WL_TRY(const std::vector<Profile> all, chosen_profiles(source, pattern));
  Side side = profile_side(all.front(), asked);
  side.launches = all.size();
  return side;
}

/// Within the digits that were printed there is no difference to speak of.
double difference_of(const Number& before, const Number& after) {
  const double apart = after.value - before.value;
  const double slack = before.half + after.half;
  return std::abs(apart) <= slack ? 0 : apart;
}

Cell cell_of(const Number& number) {
  const bool whole = std::floor(number.value) == number.value && std::abs(number.value) < 9e15;
  if (whole) return {static_cast<int64_t>(number.value), number.fidelity};
  return {fmt::format("{:.6g}", number.value), number.value, number.fidelity};
}

struct Compared {
  Table table;
  std::vector<double> errors;  // percent, absolute, of what both have and is not zero in `before`
  size_t only_before = 0, only_after = 0, both = 0;
};

Cell percent_cell(const Number& before, const Number& after, double difference) {
  const Fidelity fidelity = weakest(before.fidelity, after.fidelity);
  if (before.value == 0) return difference == 0 ? Cell("0.0 %", 0.0, fidelity) : Cell("new");
  const double percent = 100 * difference / std::abs(before.value);
  return {fmt::format("{:+.1f} %", percent), percent, fidelity};
}

Compared compare_sides(const Side& before, const Side& after, bool all) {
  Compared result{.table = {.columns = {{"Metric", "metric"},
                                        {"Unit", "unit"},
                                        {"Before", "before", Align::kRight},
                                        {"After", "after", Align::kRight},
                                        {"Difference", "difference_percent", Align::kRight}}}};
  std::map<std::string, std::pair<const Number*, const Number*>> names;
  for (const auto& [name, number] : before.metrics) names[name].first = &number;
  for (const auto& [name, number] : after.metrics) names[name].second = &number;
  for (const auto& [name, sides] : names) {
    const auto [old_number, new_number] = sides;
    result.only_before += new_number == nullptr;
    result.only_after += old_number == nullptr;
    if (old_number == nullptr || new_number == nullptr) {
      if (!all) continue;
      const Number& known = old_number ? *old_number : *new_number;
      result.table.rows.push_back({{name, known.unit, old_number ? cell_of(known) : Cell(),
                                    new_number ? cell_of(known) : Cell(), Cell()}});
      continue;
    }
    ++result.both;
    const double difference = difference_of(*old_number, *new_number);
    if (old_number->value != 0) {
      result.errors.push_back(100 * std::abs(difference / old_number->value));
    }
    result.table.rows.push_back(
        {{name, old_number->unit, cell_of(*old_number), cell_of(*new_number),
          percent_cell(*old_number, *new_number, difference)}});
  }
  return result;
}

std::string errors_line(std::vector<double> errors) {
  if (errors.empty()) return "the two files have no metric in common";
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    return errors[static_cast<size_t>(share * static_cast<double>(errors.size() - 1))];
  };
  return fmt::format(
      "{} metrics in both: median difference {:.1f} %, 90th percentile {:.1f} %, largest {:.1f} %",
      errors.size(), at(0.5), at(0.9), errors.back());
}

}  // namespace

Result<MetricAnswer> compare_metrics(const MetricQuestion& asked) {
  // The side of ncu first: it says which roll-ups ours is asked for.
  const bool before_is_ncu = kind_of(asked.before) == Kind::kHardware;
  WL_TRY(Side first, read_side(before_is_ncu ? asked.before : asked.after, asked.kernel, {}));
  WL_TRY(Side second,
         read_side(before_is_ncu ? asked.after : asked.before, asked.kernel, first.metrics));
  if (!before_is_ncu) std::swap(first, second);
  Compared compared = compare_sides(first, second, asked.all);
  MetricAnswer answer;
  answer.verdict = {
      fmt::format("{} ({}) -> {} ({})", first.kernel.empty() ? "a launch" : first.kernel,
                  asked.before.name(), second.kernel.empty() ? "a launch" : second.kernel,
                  asked.after.name()),
      errors_line(compared.errors)};
  if (!asked.all && compared.only_before + compared.only_after > 0) {
    answer.remarks.push_back(fmt::format(
        "{} metrics are only in the first file and {} only in the second; --all lists them",
        compared.only_before, compared.only_after));
  }
  if (first.launches > 1 || second.launches > 1) {
    answer.remarks.push_back(
        "comparing the first of several launches; --kernel NAME selects another");
  }
  answer.table = std::move(compared.table);
  return answer;
}

}  // namespace warpledger::match
