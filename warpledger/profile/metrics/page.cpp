#include "warpledger/profile/metrics/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "warpledger/profile/metrics/section_choice.h"

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

using Cells = std::vector<std::string>;

std::string csv_line(const Cells& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : ",") + quoted(cell);
  return line + "\n";
}

const Cells kLaunchColumns = {"ID",      "Process ID", "Process Name", "Host Name", "Kernel Name",
                              "Context", "Stream",     "Block Size",   "Grid Size", "Device",
                              "CC"};

/// There is no process, context or device: ids are those of a program's first.
Cells launch_cells(const Profile& profile, size_t place) {
  const auto& ranges = profile.launches.ranges;
  return {std::to_string(ranges.empty() ? place : ranges.front().first),
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

/// What the cells of a page are, beside those that say which launch it is.
struct CsvPage {
  Cells columns;
  std::optional<Cells> units = {};  // a second line below the columns
  std::function<std::vector<Cells>(const Profile&)> rows;
};

std::string to_csv(const std::vector<Profile>& launches, const CsvPage& page) {
  if (launches.empty()) return {};
  const bool many = std::any_of(launches.begin(), launches.end(),
                                [](const Profile& one) { return one.launches.is_many(); });
  const auto line = [many](Cells launch, const Cells& cells, const std::string& count) {
    launch.insert(launch.end(), cells.begin(), cells.end());
    if (many) launch.push_back(count);
    return csv_line(launch);
  };
  std::string csv = line(kLaunchColumns, page.columns, "Launches");
  if (page.units) csv += line(Cells(kLaunchColumns.size()), *page.units, "");
  for (size_t i = 0; i < launches.size(); ++i) {
    const std::string count = std::to_string(std::max<uint64_t>(1, launches[i].launches.count));
    for (const Cells& cells : page.rows(launches[i]))
      csv += line(launch_cells(launches[i], i), cells, count);
  }
  return csv;
}

Shown shown_or_absent(const Answered& answered, Units units) {
  if (!answered.value.is_known()) return {"n/a", answered.unit};
  Value plain = answered.value;
  plain.low = plain.high = {};  // a script reads one number
  return show(plain, answered.unit, units);
}

}  // namespace

std::string speedup_text(double percent) { return fmt::format("{:.4g}", percent); }

std::string heading(const Profile& profile) {
  const std::string many =
      profile.launches.is_many() ? fmt::format(", x {}", profile.launches.count) : "";
  const std::string& purpose = profile.launches.purpose;
  return fmt::format("{} {}x{}, Context 1, Stream 7, Device 0, CC {}{}{}",
                     short_name(profile.kernel), extent_text(profile.launch.grid),
                     extent_text(profile.launch.block), capability(profile), many,
                     purpose.empty() ? "" : ", " + purpose);
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
    by_word[value.is_known() ? std::string(to_text(value.fidelity)) : kNotModeled].push_back(name);
  }
  std::vector<std::string> parts;
  for (const auto& [word, list] : by_word) {
    parts.push_back(fmt::format("{}: {}", word, fmt::join(list, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

namespace {

std::vector<Cells> section_rows(const Profile& profile, const Section& section,
                                const std::vector<SectionRule>& rules, Units units) {
  std::vector<Cells> rows;
  std::map<std::string, Cells> by_word;
  for (const Entry& entry : shown_entries(section, profile)) {
    const Answered answered = answer(entry.metric, profile);
    const Shown shown = shown_or_absent(answered, units);
    rows.push_back({section.title, entry.label, shown.unit, shown.value, "", "", "", "", ""});
    by_word[answered.value.is_known() ? std::string(to_text(answered.value.fidelity)) : kNotModeled]
        .push_back(entry.label);
  }
  const std::string id = section_id(section);
  for (const SectionRule& rule : rules) {
    if (rule.section != id) continue;
    rows.push_back({section.title, "", "", "", rule.name, rule.speedup ? "OPT" : "INF", rule.text,
                    !rule.speedup   ? ""
                    : rule.is_local ? "local"
                                    : "global",
                    rule.speedup ? speedup_text(*rule.speedup) : ""});
  }
  for (const auto& [word, labels] : by_word) {
    rows.push_back({section.title, "", "", "", "Fidelity", "INF",
                    fmt::format("{}: {}", word, fmt::join(labels, ", ")), "", ""});
  }
  return rows;
}

}  // namespace

std::string details_csv(const std::vector<Profile>& launches, Units units,
                        const std::vector<Section>& chosen, const RulesOf& rules) {
  const auto rows = [&](const Profile& profile) {
    const std::vector<SectionRule> said = rules ? rules(profile) : std::vector<SectionRule>();
    std::vector<Cells> all;
    for (const Section& section : chosen) {
      const std::vector<Cells> some = section_rows(profile, section, said, units);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  };
  return to_csv(launches, {.columns = {"Section Name", "Metric Name", "Metric Unit", "Metric Value",
                                       "Rule Name", "Rule Type", "Rule Description",
                                       "Estimated Speedup Type", "Estimated Speedup"},
                           .rows = rows});
}

std::string raw_csv(const std::vector<Profile>& launches, const std::vector<std::string>& names,
                    Units units) {
  if (launches.empty()) return {};
  const auto cells = [&](const Profile& profile, std::string Shown::*part) {
    Cells made;
    for (const std::string& name : names)
      made.push_back(shown_or_absent(answer(name, profile), units).*part);
    return made;
  };
  const auto rows = [&](const Profile& profile) {
    return std::vector<Cells>{cells(profile, &Shown::value)};
  };
  return to_csv(launches,
                {.columns = names, .units = cells(launches.front(), &Shown::unit), .rows = rows});
}

std::string metrics_csv(const std::vector<Profile>& launches, const std::vector<std::string>& names,
                        Units units) {
  const auto rows = [&](const Profile& profile) {
    std::vector<Cells> all;
    for (const std::string& name : names) {
      const Shown shown = shown_or_absent(answer(name, profile), units);
      all.push_back({"Command line profiler metrics", name, shown.unit, shown.value});
    }
    return all;
  };
  return to_csv(
      launches,
      {.columns = {"Section Name", "Metric Name", "Metric Unit", "Metric Value"}, .rows = rows});
}

}  // namespace warpledger::profile
