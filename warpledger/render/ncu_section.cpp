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

}  // namespace

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
