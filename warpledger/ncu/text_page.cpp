// Tables of this form; the dashes say where columns begin and end:
//
//   kernel(int) (188, 250, 1)x(16, 16, 1), Context 1, Stream 7, Device 0, CC 8.6
//     Section: GPU Speed Of Light Throughput
//     ----------------------- ----------- ------------
//     Metric Name             Metric Unit Metric Value
//     ----------------------- ----------- ------------
//     DRAM Frequency                  Ghz         9.49
//
// Before 2022 there was no row of heads, and the date stood where the grid is now.
#include "warpledger/ncu/text_page.h"

#include <algorithm>

#include "warpledger/base/scanner.h"
#include "warpledger/ncu/value.h"

namespace warpledger::ncu {
namespace {

struct Column {
  size_t begin = 0, end = 0;
};

/// Of a line that is nothing but dashes and blanks; empty for another.
std::vector<Column> rule_columns(std::string_view line) {
  std::vector<Column> columns;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ' || line[i] == '\r') continue;
    if (line[i] != '-') return {};
    if (i == 0 || line[i - 1] != '-') columns.push_back({i, i});
    columns.back().end = i + 1;
  }
  return columns.size() < 2 ? std::vector<Column>() : columns;
}

std::string cell(std::string_view line, const std::vector<Column>& columns, size_t i) {
  if (i >= columns.size() || columns[i].begin >= line.size()) return {};
  return std::string(trimmed(line.substr(columns[i].begin, columns[i].end - columns[i].begin)));
}

/// "8.6" after "CC "; "" when it is not there.
std::string after(std::string_view line, std::string_view word) {
  const size_t at = line.find(word);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + word.size());
  return std::string(trimmed(rest.substr(0, rest.find_first_of(",\r"))));
}

bool is_heading(std::string_view line) {
  return line.find(", Context ") != std::string_view::npos &&
         line.find(", Stream ") != std::string_view::npos;
}

Launch launch_of(std::string_view line) {
  const std::string_view before = line.substr(0, line.find(", Context "));
  Launch launch{.capability = after(line, "CC ")};
  const size_t times = before.rfind(")x(");
  const size_t grid = times == std::string_view::npos ? times : before.rfind('(', times);
  if (grid == std::string_view::npos) {  // a date stands there
    launch.kernel = trimmed(before.substr(0, before.rfind(", ")));
    return launch;
  }
  launch.kernel = trimmed(before.substr(0, grid));
  launch.grid = before.substr(grid, times + 1 - grid);
  launch.block = trimmed(before.substr(times + 2));
  return launch;
}

class Page {
 public:
  void line(std::string_view text) {
    constexpr std::string_view kSection = "Section: ";
    if (is_heading(text)) {
      launches_.push_back(launch_of(text));
      section_.clear();
      return;
    }
    if (const size_t at = text.find(kSection); at != std::string_view::npos) {
      section_ = trimmed(text.substr(at + kSection.size()));
      columns_.clear();
      return;
    }
    if (section_.empty() || launches_.empty()) return;
    if (std::vector<Column> columns = rule_columns(text); !columns.empty()) {
      columns_ = std::move(columns);
      return;
    }
    row(text);
  }
  [[nodiscard]] std::vector<Launch> result() && {
    std::erase_if(launches_, [](const Launch& launch) { return launch.entries.empty(); });
    return std::move(launches_);
  }

 private:
  void row(std::string_view text) {
    if (columns_.size() < 3) return;
    if (trimmed(text).empty()) return columns_.clear();  // remarks follow
    const std::string name = cell(text, columns_, 0), value = cell(text, columns_, 2);
    if (name.empty() || value.empty() || name == "Metric Name") return;
    launches_.back().entries.push_back(entry_of(section_, name, cell(text, columns_, 1), value));
  }

  std::vector<Launch> launches_;
  std::string section_;
  std::vector<Column> columns_;  // of the table that is open
};

}  // namespace

std::vector<Launch> read_text_page(std::string_view text) {
  Page page;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    page.line(text.substr(at, end - at));
    at = end + 1;
  }
  return std::move(page).result();
}

}  // namespace warpledger::ncu
