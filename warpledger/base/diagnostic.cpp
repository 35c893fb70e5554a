#include "warpledger/base/diagnostic.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpledger {
namespace {

constexpr size_t kMostShown = 20;
constexpr size_t kWidestLine = 160;

// The caret line repeats the tabs of the text, so that both lines stay aligned in any terminal.
std::string caret_line(const Location& at) {
  std::string line;
  for (int i = 0; i + 1 < at.column; ++i) {
    const auto index = static_cast<size_t>(i);
    line += index < at.line_text.size() && at.line_text[index] == '\t' ? '\t' : ' ';
  }
  return line + '^' + std::string(static_cast<size_t>(at.length) - 1, '~');
}

std::string one(const Diagnostic& d) {
  const std::string code = d.code.empty() ? "" : fmt::format(" [{}]", d.code);
  std::string text;
  if (d.at) {
    text = fmt::format("{}:{}:{}: error: {}{}\n", d.at->file, d.at->line, d.at->column, d.message,
                       code);
    // A line of a minified file would bury the message.
    if (!d.at->line_text.empty() && d.at->line_text.size() <= kWidestLine) {
      text += fmt::format("    {}\n    {}\n", d.at->line_text, caret_line(*d.at));
    }
  } else {
    text = fmt::format("error: {}{}\n", d.message, code);
  }
  if (!d.hint.empty()) text += fmt::format("hint: {}\n", d.hint);
  return text;
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic) {
  std::string text = one(diagnostic);
  for (size_t i = 0; i < diagnostic.also.size(); ++i) {
    if (i + 1 == kMostShown) {
      text += fmt::format("[{} more errors]\n", diagnostic.also.size() - i);
      break;
    }
    text += one(diagnostic.also[i]);
  }
  return text;
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replace = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::exchange(row, next);
  }
  return row[b.size()];
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  int best_distance = 0;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(name, candidate);
    const int near =
        std::max<int>(1, static_cast<int>(std::max(name.size(), candidate.size()) / 3));
    if (distance <= near && (best == nullptr || distance < best_distance)) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? "" : fmt::format("did you mean '{}'?", *best);
}

}  // namespace warpledger
