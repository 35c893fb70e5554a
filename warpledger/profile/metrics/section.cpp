#include "warpledger/profile/metrics/section.h"

#include <algorithm>
#include <set>

namespace warpledger::profile {
namespace {

constexpr std::string_view kOver = " / ";

Metric known_metric(const std::string& name) {
  Result<Metric> metric = find_metric(name);
  WL_CHECK(metric.ok());  // the tables name what the catalog has: a test walks them all
  return *std::move(metric);
}

bool is_zero(const TableLine& line, const Profile& profile) {
  return std::all_of(line.metrics.begin(), line.metrics.end(), [&](const std::string& metric) {
    return metric.empty() || answer(metric, profile).value.number().value_or(0) == 0;
  });
}

bool is_total(const TableLine& line) { return line.label.ends_with("Total"); }

Cell table_cell(const std::string& metric, const Profile& profile, Units units) {
  if (metric.empty()) return {};
  const auto [value, unit] = answer(metric, profile);
  Cell cell = cell_of(value, unit, units);
  if (!value.is_known()) cell.text = "-";
  const Shown shown = show(value, unit, units);
  // The columns name no unit, so that scaled values carry theirs.
  if (value.is_known() && shown.unit != unit) cell.text += " " + shown.unit;
  return cell;
}

}  // namespace

Answered answer(const std::string& metric, const Profile& profile) {
  const size_t over = metric.find(kOver);
  if (over == std::string::npos) {
    const Metric found = known_metric(metric);
    return {evaluate(found, profile), found.unit};
  }
  const Value a = answer(metric.substr(0, over), profile).value;
  const Value b = answer(metric.substr(over + kOver.size()), profile).value;
  if (!a.number() || !b.number()) return {};
  return {ratio(*a.number(), *b.number(), weakest(a.fidelity, b.fidelity)), ""};
}

std::vector<Entry> shown_entries(const Section& section, const Profile& profile) {
  std::vector<Entry> shown;
  for (const Entry& entry : section.entries) {
    if (!entry.is_part || answer(entry.metric, profile).value.is_known()) shown.push_back(entry);
  }
  return shown;
}

Table table_of(const Section& section, const Profile& profile, Units units) {
  Table table{.title = section.title,
              .columns = {{"Metric Name", "name"},
                          {"Metric Unit", "unit", Align::kRight},
                          {"Metric Value", "value", Align::kRight},
                          {"Fidelity", "fidelity_word", Align::kRight}}};
  for (const Entry& entry : shown_entries(section, profile)) {
    const auto [value, unit] = answer(entry.metric, profile);
    Cell shown_unit(show(value, unit, units).unit);
    shown_unit.raw = unit;
    const bool known = value.is_known();
    table.rows.push_back({.cells = {entry.label, shown_unit, cell_of(value, unit, units),
                                    known ? Cell(std::string(to_text(value.fidelity))) : Cell()}});
  }
  return table;
}

Table table_of(const MemoryTable& layout, const Profile& profile, Units units) {
  Table table{.title = layout.title, .columns = {{"", "row"}}};
  for (const std::string& column : layout.columns) {
    table.columns.push_back({column, column, Align::kRight});
  }
  for (const TableLine& line : layout.lines) {
    if (!is_total(line) && is_zero(line, profile)) continue;
    Row row{.cells = {line.label}, .rule_before = line.label == "Total"};
    for (const std::string& metric : line.metrics) {
      row.cells.push_back(table_cell(metric, profile, units));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> standard_metrics() {
  std::set<std::string> names;
  for (const Section& section : sections()) {
    for (const Entry& entry : section.entries) names.insert(entry.metric);
  }
  for (const MemoryTable& table : memory_tables()) {
    for (const TableLine& line : table.lines) {
      for (const std::string& metric : line.metrics) {
        if (!metric.empty() && metric.find(kOver) == std::string::npos) names.insert(metric);
      }
    }
  }
  for (const Single& single : catalog().singles) names.insert(single.name);
  for (const Counter& counter : catalog().counters) names.insert(counter.base + ".sum");
  return {names.begin(), names.end()};
}

}  // namespace warpledger::profile
