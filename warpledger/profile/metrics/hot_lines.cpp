#include "warpledger/profile/metrics/hot_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "warpledger/base/number.h"

namespace warpledger::profile {
namespace {

using memory::RequestCounters;
using trace::Space;

constexpr size_t kMost = 10;

/// One kind of waste, under ncu's name.
struct Kind {
  const char* title;
  const char* all;  // the column of what it is a part of
  Space space;
  uint64_t (*total)(const RequestCounters&);
  uint64_t (*ideal)(const RequestCounters&);
};

constexpr Kind kKinds[] = {{"L2 Theoretical Sectors Global Excessive", "Sectors", Space::kGlobal,
                            [](const RequestCounters& c) { return c.theoretical_sectors; },
                            [](const RequestCounters& c) { return c.ideal_sectors; }},
                           {"L1 Wavefronts Shared Excessive", "Wavefronts", Space::kShared,
                            [](const RequestCounters& c) { return c.data_wavefronts; },
                            [](const RequestCounters& c) { return c.ideal_wavefronts; }}};

struct Waste {
  SourceLine line = {};
  std::set<std::string> arrays = {};
  uint64_t total = 0, excessive = 0;
};

/// By line, most first.
std::vector<Waste> wastes(const Profile& profile, const Kind& kind) {
  std::map<SourceLine, Waste> by_line;
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const Instruction& instruction = profile.instructions[i];
    const RequestCounters& counters = profile.counters.sites[i].request;
    if (instruction.site.space != kind.space || counters.requests == 0) continue;
    const SourceLine line = profile.code[instruction.site.instruction].source;
    Waste& waste = by_line[line];
    waste.line = line;
    waste.total += kind.total(counters);
    waste.excessive += kind.total(counters) - kind.ideal(counters);
    waste.arrays.insert(instruction.arrays.begin(), instruction.arrays.end());
  }
  std::vector<Waste> all;
  for (auto& [line, waste] : by_line) {
    if (waste.excessive > 0) all.push_back(std::move(waste));
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Waste::excessive);
  return all;
}

Cell count(uint64_t n, Fidelity fidelity) {
  return {group_thousands(static_cast<int64_t>(n)), static_cast<int64_t>(n), fidelity};
}
Cell percent(uint64_t part, uint64_t all, Fidelity fidelity) {
  const double value = 100 * static_cast<double>(part) / static_cast<double>(all);
  return {fmt::format("{:.1f} %", value), value, fidelity};
}

Table table_of(const Kind& kind, const std::vector<Waste>& wastes, Fidelity fidelity) {
  Table table{.title = kind.title,
              .columns = {{"Location", "line"},
                          {"Arrays", "arrays"},
                          {"Excessive", "excessive", Align::kRight},
                          {kind.all, "all", Align::kRight},
                          {"Of the line", "of_line_percent", Align::kRight},
                          {"Of all", "of_all_percent", Align::kRight}}};
  uint64_t all = 0;
  for (const Waste& waste : wastes) all += waste.excessive;
  for (size_t i = 0; i < std::min(kMost, wastes.size()); ++i) {
    const Waste& waste = wastes[i];
    table.rows.push_back({.cells = {waste.line.line ? to_text(waste.line) : "[no line]",
                                    fmt::format("{}", fmt::join(waste.arrays, ", ")),
                                    count(waste.excessive, fidelity), count(waste.total, fidelity),
                                    percent(waste.excessive, waste.total, fidelity),
                                    percent(waste.excessive, all, fidelity)}});
  }
  if (wastes.size() > kMost)
    table.notes.push_back(fmt::format("{} more lines: --page source", wastes.size() - kMost));
  return table;
}

}  // namespace

std::vector<Table> hot_lines(const Profile& profile) {
  std::vector<Table> tables;
  for (const Kind& kind : kKinds) {
    const std::vector<Waste> found = wastes(profile, kind);
    if (!found.empty()) tables.push_back(table_of(kind, found, profile.counted_as()));
  }
  return tables;
}

}  // namespace warpledger::profile
