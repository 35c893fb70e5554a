#include "warpledger/render/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpledger {
namespace {

constexpr std::string_view kGap = "  ";

const Cell& cell_at(const Row& row, size_t column) {
  static const Cell empty;
  return column < row.cells.size() ? row.cells[column] : empty;
}

std::string shown(const Cell& cell) {
  return cell.fidelity ? cell.text + std::string(mark_of(*cell.fidelity)) : cell.text;
}

size_t mark_width(const Cell& cell) { return cell.fidelity ? mark_of(*cell.fidelity).size() : 0; }

// Marks follow the digits, so numbers with a shorter mark or none leave room for the widest.
size_t room_for_marks(const Table& table, size_t column) {
  size_t room = 0;
  if (table.columns[column].align != Align::kRight) return room;
  for (const Row& row : table.rows) room = std::max(room, mark_width(cell_at(row, column)));
  return room;
}

std::string padded(std::string text, size_t width, Align align) {
  const size_t missing = width - std::min(width, display_width(text));
  return align == Align::kRight ? std::string(missing, ' ') + text
                                : text + std::string(missing, ' ');
}

struct Layout {
  std::vector<size_t> widths;
  std::vector<size_t> rooms;  // for the marks of right-aligned columns
};

Layout lay_out(const Table& table) {
  Layout layout;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    layout.rooms.push_back(room_for_marks(table, i));
    size_t width = display_width(table.columns[i].name);
    for (const Row& row : table.rows) {
      width = std::max(width, display_width(cell_at(row, i).text) + layout.rooms[i]);
      width = std::max(width, display_width(shown(cell_at(row, i))));
    }
    layout.widths.push_back(width);
  }
  return layout;
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line = fmt::format("{}", fmt::join(fields, kGap));
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string rule_of(const Layout& layout) {
  std::vector<std::string> dashes;
  for (const size_t width : layout.widths) dashes.emplace_back(width, '-');
  return line_of(dashes);
}

std::string field_of(const Table& table, const Layout& layout, const Row& row, size_t column) {
  const Cell& cell = cell_at(row, column);
  std::string text = shown(cell);
  if (layout.rooms[column] > 0) text.append(layout.rooms[column] - mark_width(cell), ' ');
  return padded(std::move(text), layout.widths[column], table.columns[column].align);
}

// Symbols are explained, words explain themselves.
std::string legend_of(const Table& table) {
  std::set<Fidelity> used;
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) {
      if (cell.fidelity && mark_width(cell) > 0) used.insert(*cell.fidelity);
    }
  }
  std::vector<std::string> entries;
  for (const Fidelity f : used) {
    if (mark_of(f).size() == 1) entries.push_back(fmt::format("{} {}", mark_of(f), to_text(f)));
  }
  if (used.empty()) return "";
  return fmt::format("{}{}unmarked numbers are exact\n", fmt::join(entries, ", "),
                     entries.empty() ? "" : "; ");
}

// The fidelity of all numbers, if it is the same and its mark is a word.
std::optional<Fidelity> common_word(const Table& table) {
  std::set<Fidelity> used;
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) {
      if (cell.fidelity) used.insert(*cell.fidelity);
    }
  }
  const bool is_word = used.size() == 1 && mark_of(*used.begin()).size() > 1;
  return is_word ? std::optional(*used.begin()) : std::nullopt;
}

// Says once, below the table, what every number would repeat.
Table with_one_mark(Table table) {
  const std::optional<Fidelity> word = common_word(table);
  if (!word) return table;
  for (Row& row : table.rows) {
    for (Cell& cell : row.cells) cell.fidelity.reset();
  }
  table.notes.insert(table.notes.begin(), fmt::format("all numbers are {}", to_text(*word)));
  return table;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string raw_text(const RawValue& raw) {
  if (const auto* n = std::get_if<int64_t>(&raw)) return std::to_string(*n);
  if (const auto* x = std::get_if<double>(&raw)) return fmt::format("{}", *x);
  if (const auto* s = std::get_if<std::string>(&raw)) return *s;
  return "";
}

bool holds_numbers(const Table& table, size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const Row& row) { return cell_at(row, column).fidelity.has_value(); });
}

std::string markdown_field(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

}  // namespace

std::optional<Format> parse_format(std::string_view word) {
  if (word == "text") return Format::kText;
  if (word == "json") return Format::kJson;
  if (word == "csv") return Format::kCsv;
  if (word == "md") return Format::kMarkdown;
  return std::nullopt;
}

std::string_view mark_of(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::kExact:
      return "";
    case Fidelity::kModeled:
      return "~";
    case Fidelity::kMeasured:
      return " measured";
    case Fidelity::kPublished:
      return " published";
    case Fidelity::kAssumed:
      return "?";
  }
  return "";
}

size_t display_width(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  return text.size() - static_cast<size_t>(std::count_if(text.begin(), text.end(), continues));
}

std::string to_text(const Table& given) {
  const Table table = with_one_mark(given);
  const Layout layout = lay_out(table);
  std::string text = table.title.empty() ? "" : table.title + '\n';
  std::vector<std::string> names;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    names.push_back(padded(table.columns[i].name, layout.widths[i], table.columns[i].align));
  }
  text += line_of(names) + rule_of(layout);
  for (const Row& row : table.rows) {
    if (row.rule_before) text += rule_of(layout);
    std::vector<std::string> fields;
    for (size_t i = 0; i < table.columns.size(); ++i)
      fields.push_back(field_of(table, layout, row, i));
    text += line_of(fields);
  }
  text += legend_of(table);
  for (const std::string& note : table.notes) text += note + '\n';
  return text;
}

std::string to_csv(const Table& table) {
  std::vector<std::string> header;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    header.push_back(csv_field(table.columns[i].key));
    if (holds_numbers(table, i)) header.push_back(csv_field(table.columns[i].key + "_fidelity"));
  }
  std::string text = fmt::format("{}\n", fmt::join(header, ","));
  for (const Row& row : table.rows) {
    std::vector<std::string> fields;
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const Cell& cell = cell_at(row, i);
      fields.push_back(csv_field(raw_text(cell.raw)));
      if (!holds_numbers(table, i)) continue;
      fields.emplace_back(cell.fidelity ? to_text(*cell.fidelity) : "");
    }
    text += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return text;
}

std::string to_markdown(const Table& given) {
  const Table table = with_one_mark(given);
  std::string text = table.title.empty() ? "" : fmt::format("**{}**\n\n", table.title);
  std::string names = "|", rules = "|";
  for (const Column& column : table.columns) {
    names += fmt::format(" {} |", markdown_field(column.name));
    rules += column.align == Align::kRight ? " ---: |" : " --- |";
  }
  text += names + '\n' + rules + '\n';
  for (const Row& row : table.rows) {
    text += '|';
    for (size_t i = 0; i < table.columns.size(); ++i) {
      text += fmt::format(" {} |", markdown_field(shown(cell_at(row, i))));
    }
    text += '\n';
  }
  const std::string legend = legend_of(table);
  if (!legend.empty()) text += '\n' + legend;
  for (const std::string& note : table.notes) text += '\n' + note + '\n';
  return text;
}

}  // namespace warpledger
