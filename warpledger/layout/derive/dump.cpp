#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "warpledger/layout/derive/derive.h"

namespace warpledger::derive {
namespace {

struct Line {
  int64_t lane = 0, element = 0, row = 0, col = 0;
};

/// The numbers of one line; empty for blank lines and comments. Nothing if it is not such a line.
std::optional<std::vector<int64_t>> numbers_of(const std::string& text) {
  std::istringstream words(text.substr(0, text.find('#')));
  std::vector<int64_t> numbers;
  std::string word;
  while (words >> word) {
    if (word.size() > 9 || word.find_first_not_of("0123456789") != std::string::npos) {
      return std::nullopt;
    }
    numbers.push_back(std::stoll(word));
  }
  return numbers;
}

Result<std::vector<Line>> read_lines(const Source& source) {
  std::vector<Line> lines;
  const std::string_view text = source.text();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const Span span{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    const auto numbers = numbers_of(std::string(text.substr(begin, end - begin)));
    begin = end + 1;
    if (numbers && numbers->empty()) continue;
    if (!numbers || (numbers->size() != 3 && numbers->size() != 4)) {
      return Diagnostic{.message = "expected 'lane element row col' or 'lane element 100*row+col'",
                        .code = "bad-dump",
                        .at = source.locate(span)};
    }
    const auto& n = *numbers;
    lines.push_back(n.size() == 4 ? Line{n[0], n[1], n[2], n[3]}
                                  : Line{n[0], n[1], n[2] / 100, n[2] % 100});
    const Line& last = lines.back();
    if (last.lane >= 128 || last.element >= 1024 || last.row >= 4096 || last.col >= 4096) {
      return Diagnostic{.message = "a lane, element or coordinate is too large",
                        .code = "bad-dump",
                        .at = source.locate(span)};
    }
  }
  if (lines.empty()) return Diagnostic{.message = "the dump is empty", .code = "bad-dump"};
  return lines;
}

}  // namespace

Result<Layout> read_dump(const Source& source) {
  WL_TRY(const std::vector<Line> lines, read_lines(source));
  Line most;
  for (const Line& line : lines) {
    most = {std::max(most.lane, line.lane), std::max(most.element, line.element),
            std::max(most.row, line.row), std::max(most.col, line.col)};
  }
  const Space from({{"register", most.element + 1}, {"lane", most.lane + 1}});
  const Space to = Space({{"row", most.row + 1}, {"col", most.col + 1}}).padded();
  std::vector<std::optional<uint64_t>> values(static_cast<size_t>(from.size()));
  for (const Line& line : lines) {
    auto& value = values[from.pack({line.element, line.lane})];
    const uint64_t place = to.pack({line.row, line.col});
    if (value && *value != place) {
      return Diagnostic{.message = fmt::format("lane {} element {} is given twice, differently",
                                               line.lane, line.element),
                        .code = "bad-dump"};
    }
    value = place;
  }
  std::vector<uint64_t> complete;
  for (size_t x = 0; x < values.size(); ++x) {
    if (!values[x]) {
      return Diagnostic{.message = fmt::format("{} is missing from the dump", point_text(from, x)),
                        .code = "bad-dump"};
    }
    complete.push_back(*values[x]);
  }
  return Layout(from, to, std::move(complete));
}

}  // namespace warpledger::derive
