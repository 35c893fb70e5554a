#include "warpledger/render/ncu_section.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "warpledger/render/table.h"

namespace warpledger {
namespace {

std::string padded(const std::string& text, size_t width, Align align) {
  const std::string space(width - display_width(text), ' ');
  return align == Align::kLeft ? text + space : space + text;
}

std::string line(const Table& section, const std::vector<std::string>& words,
                 const std::vector<size_t>& widths) {
  std::string text = "   ";
  for (size_t i = 0; i < words.size(); ++i)
    text += " " + padded(words[i], widths[i], section.columns[i].align);
  return text + "\n";
}

constexpr size_t kRuleWidth = 110;

/// Lines shorter than kRuleWidth, as ncu wraps them; a longer word has a line of its own.
std::vector<std::string> wrapped(const std::string& text) {
  std::vector<std::string> lines(1);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    std::string& line_now = lines.back();
    if (line_now.empty()) {
      line_now = word;
    } else if (display_width(line_now) + 1 + display_width(word) < kRuleWidth) {
      line_now += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string rule_text(const NcuRule& rule) {
  std::vector<std::string> lines = wrapped(rule.text);
  if (!rule.head.empty()) lines.insert(lines.begin(), rule.head);
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string mark = i == 0 ? rule.mark : "";
    const size_t width = std::max(kRuleWidth, display_width(lines[i]));
    text += fmt::format("    {} {}\n", padded(mark, std::max<size_t>(5, mark.size()), Align::kLeft),
                        padded(lines[i], width, Align::kLeft));
  }
  return text;
}

}  // namespace

std::string ncu_rules_text(const std::vector<NcuRule>& rules) {
  std::string text;
  for (const NcuRule& rule : rules) {
    if (!text.empty())
      text += fmt::format("    {} {}\n", std::string(5, '-'), std::string(kRuleWidth, '-'));
    text += rule_text(rule);
  }
  return text;
}

std::string ncu_section_text(const Table& section) {
  std::vector<std::string> names, rules;
  std::vector<size_t> widths;
  for (const Column& column : section.columns) names.push_back(column.name);
  for (const std::string& name : names) widths.push_back(display_width(name));
  for (const Row& row : section.rows) {
    for (size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row.cells[i].text));
  }
  for (const size_t width : widths) rules.emplace_back(width, '-');
  const std::string rule = line(section, rules, widths);
  std::string text = fmt::format("    Section: {}\n", section.title);
  text += rule + line(section, names, widths) + rule;
  for (const Row& row : section.rows) {
    std::vector<std::string> words;
    for (const Cell& cell : row.cells) words.push_back(cell.text);
    text += line(section, words, widths);
  }
  return text + rule;
}

}  // namespace warpledger
