#include "warpledger/ncu/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "warpledger/base/scanner.h"
#include "warpledger/ncu/csv.h"
#include "warpledger/ncu/rep_launches.h"
#include "warpledger/ncu/text_page.h"
#include "warpledger/ncu/value.h"

namespace warpledger::ncu {
namespace {

using Row = std::vector<std::string>;
using Columns = std::map<std::string, size_t>;

constexpr size_t kMostRows = 2'000'000;

Diagnostic bad(const Source& source, const std::string& why) {
  return {.message = fmt::format("'{}' is not an ncu report: {}", source.name(), why),
          .hint = "ncu --import REPORT.ncu-rep --csv --page raw writes one",
          .code = "bad-ncu-file"};
}

std::string cell(const Row& row, const Columns& columns, const std::string& name) {
  const auto found = columns.find(name);
  return found == columns.end() || found->second >= row.size() ? "" : row[found->second];
}

Columns columns_of(const Row& heads) {
  Columns columns;
  for (size_t i = 0; i < heads.size(); ++i) columns.emplace(trimmed(heads[i]), i);
  return columns;
}

Launch launch_of(const Row& row, const Columns& columns) {
  return {.kernel = cell(row, columns, "Kernel Name"),
          .grid = cell(row, columns, "Grid Size"),
          .block = cell(row, columns, "Block Size"),
          .capability = cell(row, columns, "CC")};
}

/// The columns of a raw page that say which launch a row is.
bool is_launch_column(const std::string& name) {
  static const std::vector<std::string> kNames = {
      "ID",           "Process ID",
      "Process Name", "Host Name",
      "Kernel Name",  "Kernel Time",
      "Context",      "Stream",
      "Block Size",   "Grid Size",
      "Device",       "CC",
      "Range",        "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// One row a metric.
Result<std::vector<Launch>> read_long(const Source& source, const Row& heads, size_t at) {
  const Columns columns = columns_of(heads);
  std::vector<Launch> launches;
  std::string last;
  size_t rows = 0;
  while (const auto row = next_row(source.text(), at)) {
    if (row->size() <= 1) continue;
    if (++rows > kMostRows) return bad(source, "it is too long");
    const std::string id = cell(*row, columns, "ID");
    if (launches.empty() || id != last) launches.push_back(launch_of(*row, columns));
    last = id;
    const std::string name = cell(*row, columns, "Metric Name");
    if (name.empty()) continue;  // a rule
    launches.back().entries.push_back(entry_of(cell(*row, columns, "Section Name"), name,
                                               cell(*row, columns, "Metric Unit"),
                                               cell(*row, columns, "Metric Value")));
  }
  return launches;
}

/// One row a launch, units in the row below the heads.
Result<std::vector<Launch>> read_wide(const Source& source, const Row& heads, size_t at) {
  const Columns columns = columns_of(heads);
  const auto units = next_row(source.text(), at);
  if (!units || units->size() != heads.size()) return bad(source, "the row of units is missing");
  std::vector<Launch> launches;
  while (const auto row = next_row(source.text(), at)) {
    if (row->size() <= 1) continue;
    if (row->size() != heads.size()) return bad(source, "the rows differ in length");
    if (launches.size() >= kMostRows / heads.size()) return bad(source, "it is too long");
    Launch& launch = launches.emplace_back(launch_of(*row, columns));
    for (size_t i = 0; i < heads.size(); ++i) {
      const std::string name(trimmed(heads[i]));
      if (is_launch_column(name) || (*row)[i].empty()) continue;
      launch.entries.push_back(entry_of("", name, (*units)[i], (*row)[i]));
    }
  }
  return launches;
}

/// metric,unit,value[,form,half]: one launch.
Result<std::vector<Launch>> read_list(const Source& source, const Row& heads, size_t at) {
  const Columns columns = columns_of(heads);
  Launch launch;
  while (const auto row = next_row(source.text(), at)) {
    if (row->size() <= 1) continue;
    if (launch.entries.size() >= kMostRows) return bad(source, "it is too long");
    Entry entry = entry_of("", cell(*row, columns, "metric"), cell(*row, columns, "unit"),
                           cell(*row, columns, "value"));
    if (const auto half = number_of(cell(*row, columns, "half"))) entry.half = *half;
    launch.entries.push_back(std::move(entry));
  }
  return std::vector{std::move(launch)};
}

}  // namespace

const Entry* Launch::find(std::string_view name) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.name == name && entry.value;
  });
  return found == entries.end() ? nullptr : &*found;
}

Result<std::vector<Launch>> read_report(const Source& source) {
  if (is_rep_file(source.text())) {
    WL_TRY(const RepFile file, read_rep_file(source.name(), source.text()));
    if (file.results.empty()) return bad(source, "it contains no launch");
    return launches_of(file);
  }
  size_t at = 0;  // ncu's own remarks may stand above the heads
  while (const auto row = next_row(source.text(), at)) {
    const auto has = [&](const char* name) {
      return std::find(row->begin(), row->end(), name) != row->end();
    };
    if (has("Metric Name") && has("Metric Value")) return read_long(source, *row, at);
    if (has("ID") && has("Kernel Name")) return read_wide(source, *row, at);
    if (row->front() == "metric" && has("unit") && has("value")) return read_list(source, *row, at);
  }
  std::vector<Launch> launches = read_text_page(source.text());
  if (launches.empty()) return bad(source, "it has neither ncu's columns nor its sections");
  return launches;
}

}  // namespace warpledger::ncu
