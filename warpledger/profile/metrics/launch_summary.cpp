#include "warpledger/profile/metrics/launch_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "warpledger/profile/metrics/scale.h"

namespace warpledger::profile {
namespace {

struct LaunchSet {
  std::vector<const Profile*> launches;
  uint64_t invocations = 0;

  [[nodiscard]] const Profile& first() const { return *launches.front(); }
};

uint64_t count_of(const Profile& profile) { return std::max<uint64_t>(1, profile.launches.count); }

std::vector<LaunchSet> by_kernel(const std::vector<Profile>& launches) {
  std::vector<LaunchSet> sets;
  for (const Profile& launch : launches) {
    const auto same = [&](const LaunchSet& set) {
      const Profile& first = set.first();
      return first.kernel == launch.kernel && first.launch.grid == launch.launch.grid &&
             first.launch.block == launch.launch.block;
    };
    auto found = std::ranges::find_if(sets, same);
    if (found == sets.end()) found = sets.insert(sets.end(), LaunchSet{});
    found->launches.push_back(&launch);
    found->invocations += count_of(launch);
  }
  return sets;
}

struct Spread {
  double least = 0, most = 0, mean = 0;
  Fidelity fidelity = Fidelity::kExact;
  std::string unit;
};

/// Nothing where a launch has no number.
std::optional<Spread> spread_of(const std::string& metric, const LaunchSet& set) {
  std::optional<Spread> all;
  for (const Profile* launch : set.launches) {
    const auto [value, unit] = answer(metric, *launch);
    const std::optional<double> number = value.number();
    if (!number) return {};
    if (!all) all = Spread{*number, *number, 0, value.fidelity, unit};
    all->least = std::min(all->least, *number);
    all->most = std::max(all->most, *number);
    all->mean += *number * static_cast<double>(count_of(*launch));
    all->fidelity = weakest(all->fidelity, value.fidelity);
  }
  if (all) all->mean /= static_cast<double>(set.invocations);
  return all;
}

Cell cell_of(double value, double by, Fidelity fidelity) {
  return {fmt::format("{:.2f}", value / by), value, fidelity};
}

Table table_of(const Section& section, const LaunchSet& set, Units units) {
  Table table{.title = section.title,
              .columns = {{"Metric Name", "name"},
                          {"Metric Unit", "unit", Align::kRight},
                          {"Minimum", "least", Align::kRight},
                          {"Maximum", "most", Align::kRight},
                          {"Average", "mean", Align::kRight},
                          {"Fidelity", "fidelity_word", Align::kRight}}};
  for (const Entry& entry : shown_entries(section, set.first())) {
    const std::optional<Spread> spread = spread_of(entry.metric, set);
    if (!spread) continue;
    const Scale scale =
        units == Units::kAuto ? scale_of(spread->mean, spread->unit) : Scale{1, spread->unit};
    table.rows.push_back(
        {.cells = {entry.label, scale.unit, cell_of(spread->least, scale.by, spread->fidelity),
                   cell_of(spread->most, scale.by, spread->fidelity),
                   cell_of(spread->mean, scale.by, spread->fidelity),
                   std::string(to_text(spread->fidelity))}});
  }
  return table;
}

std::string extent_text(const Extent& extent) {
  return fmt::format("({}, {}, {})", extent[0], extent[1], extent[2]);
}

std::string capability(const Profile& profile) {
  return fmt::format("{}.{}", profile.gpu.architecture.major, profile.gpu.architecture.minor);
}

std::vector<Table> tables_of(const LaunchSet& set, const std::vector<Section>& chosen,
                             Units units) {
  std::vector<Table> tables;
  for (const Section& section : chosen) tables.push_back(table_of(section, set, units));
  std::ranges::sort(tables, {}, &Table::title);
  return tables;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    line += line.empty() ? "\"" : ",\"";
    for (const char c : cell) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

}  // namespace

std::vector<KernelSummary> summaries(const std::vector<Profile>& launches,
                                     const std::vector<Section>& chosen, Units units) {
  std::vector<KernelSummary> all;
  for (const LaunchSet& set : by_kernel(launches)) {
    const Profile& first = set.first();
    all.push_back(
        {.kernel = fmt::format("{} {}x{}", short_name(first.kernel), extent_text(first.launch.grid),
                               extent_text(first.launch.block)),
         .device = fmt::format("Device 0, CC {}", capability(first)),
         .invocations = set.invocations,
         .sections = tables_of(set, chosen, units)});
  }
  return all;
}

std::string summary_csv(const std::vector<Profile>& launches, const std::vector<Section>& chosen,
                        Units units) {
  if (launches.empty()) return {};
  std::string csv =
      csv_line({"Process ID", "Process Name", "Host Name", "Kernel Name", "Block Size", "Grid Size",
                "Device", "CC", "Invocations", "Section Name", "Metric Name", "Metric Unit",
                "Minimum", "Maximum", "Average"});
  for (const LaunchSet& set : by_kernel(launches)) {
    const Profile& first = set.first();
    for (const Table& section : tables_of(set, chosen, units)) {
      for (const Row& row : section.rows) {
        std::vector<std::string> cells = {"0",
                                          "warpledger",
                                          "127.0.0.1",
                                          shown_name(first.kernel),
                                          extent_text(first.launch.block),
                                          extent_text(first.launch.grid),
                                          "0",
                                          capability(first),
                                          std::to_string(set.invocations),
                                          section.title};
        for (size_t i = 0; i + 1 < row.cells.size(); ++i) cells.push_back(row.cells[i].text);
        csv += csv_line(cells);
      }
    }
  }
  return csv;
}

}  // namespace warpledger::profile
