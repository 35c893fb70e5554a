#include "warpledger/profile/metrics/page.h"

#include <fmt/format.h>

#include <map>

namespace warpledger::profile {
namespace {

std::string extent_text(const Extent& extent) {
  return fmt::format("({}, {}, {})", extent[0], extent[1], extent[2]);
}

std::string capability(const Profile& profile) {
  return fmt::format("{}.{}", profile.gpu.architecture.major, profile.gpu.architecture.minor);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : ",") + quoted(cell);
  return line + "\n";
}

const std::vector<std::string> kLaunchColumns = {
    "ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
    "Stream", "Block Size", "Grid Size",    "Device",    "CC"};

/// There is no process, context or device: ids are those of a program's first launch.
std::vector<std::string> launch_cells(const Profile& profile) {
  return {"0",
          "0",
          "warpledger",
          "127.0.0.1",
          shown_name(profile.kernel),
          "1",
          "7",
          extent_text(profile.launch.block),
          extent_text(profile.launch.grid),
          "0",
          capability(profile)};
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Shown shown_or_absent(const Answered& answered, Units units) {
  if (!answered.value.is_known()) return {"n/a", answered.unit};
  Value plain = answered.value;
  plain.low = plain.high = {};  // a script reads one number
  return show(plain, answered.unit, units);
}

}  // namespace

std::string heading(const Profile& profile) {
  const std::string many =
      profile.launches.is_many() ? fmt::format(", x {}", profile.launches.count) : "";
  return fmt::format("{} {}x{}, Context 1, Stream 7, Device 0, CC {}{}", short_name(profile.kernel),
                     extent_text(profile.launch.grid), extent_text(profile.launch.block),
                     capability(profile), many);
}

Result<Table> metric_table(const Profile& profile, const std::vector<std::string>& names,
                           Units units) {
  Section section{"Command line profiler metrics", {}};
  for (const std::string& name : names) {
    WL_TRY(const Metric metric, find_metric(name));
    section.entries.push_back({name, metric.name});
  }
  return table_of(section, profile, units);
}

std::string fidelity_line(const Profile& profile, const std::vector<std::string>& names) {
  std::map<std::string, std::vector<std::string>> by_word;
  for (const std::string& name : names) {
    const Value value = answer(name, profile).value;
    by_word[value.is_known() ? std::string(to_text(value.fidelity)) : kNotModelled].push_back(name);
  }
  std::vector<std::string> parts;
  for (const auto& [word, list] : by_word) {
    parts.push_back(fmt::format("{}: {}", word, fmt::join(list, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string details_csv(const Profile& profile, Units units, const std::vector<Section>& chosen) {
  const std::vector<std::string> launch = launch_cells(profile);
  std::string csv =
      csv_line(joined(kLaunchColumns, {"Section Name", "Metric Name", "Metric Unit", "Metric Value",
                                       "Rule Name", "Rule Type", "Rule Description",
                                       "Estimated Speedup Type", "Estimated Speedup"}));
  for (const Section& section : chosen) {
    std::map<std::string, std::vector<std::string>> by_word;
    for (const Entry& entry : section.entries) {
      const Answered answered = answer(entry.metric, profile);
      const Shown shown = shown_or_absent(answered, units);
      csv += csv_line(joined(
          launch, {section.title, entry.label, shown.unit, shown.value, "", "", "", "", ""}));
      by_word[answered.value.is_known() ? std::string(to_text(answered.value.fidelity))
                                        : kNotModelled]
          .push_back(entry.label);
    }
    for (const auto& [word, labels] : by_word) {
      csv +=
          csv_line(joined(launch, {section.title, "", "", "", "Fidelity", "INF",
                                   fmt::format("{}: {}", word, fmt::join(labels, ", ")), "", ""}));
    }
  }
  return csv;
}

std::string raw_csv(const Profile& profile, const std::vector<std::string>& names, Units units) {
  std::vector<std::string> heads = kLaunchColumns, unit_cells(kLaunchColumns.size());
  std::vector<std::string> cells = launch_cells(profile);
  for (const std::string& name : names) {
    const Shown shown = shown_or_absent(answer(name, profile), units);
    heads.push_back(name);
    unit_cells.push_back(shown.unit);
    cells.push_back(shown.value);
  }
  return csv_line(heads) + csv_line(unit_cells) + csv_line(cells);
}

std::string metrics_csv(const Profile& profile, const std::vector<std::string>& names,
                        Units units) {
  std::string csv = csv_line(
      joined(kLaunchColumns, {"Section Name", "Metric Name", "Metric Unit", "Metric Value"}));
  for (const std::string& name : names) {
    const Shown shown = shown_or_absent(answer(name, profile), units);
    csv += csv_line(joined(launch_cells(profile),
                           {"Command line profiler metrics", name, shown.unit, shown.value}));
  }
  return csv;
}

}  // namespace warpledger::profile
