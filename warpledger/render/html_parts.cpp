#include "warpledger/render/html_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "warpledger/render/escape.h"
#include "warpledger/render/svg.h"
#include "warpledger/render/table.h"

namespace warpledger::html {
namespace {

/// What a column is sorted by: the raw number, else the words.
std::string sort_key(const Cell& cell) {
  if (const auto* n = std::get_if<int64_t>(&cell.raw)) return std::to_string(*n);
  if (const auto* x = std::get_if<double>(&cell.raw)) return fmt::format("{:.17g}", *x);
  return "";
}

std::string attribute(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, html_escaped(value));
}

bool is_number(const Column& column) { return column.align == Align::kRight; }

std::string head(const Table& table) {
  std::string text = "<thead><tr>";
  for (const Column& column : table.columns) {
    if (column.name.empty()) {
      text += "<td></td>";
      continue;
    }
    text += fmt::format("<th scope=\"col\"{}><button type=\"button\">{}</button></th>",
                        is_number(column) ? " class=\"n\"" : "", html_escaped(column.name));
  }
  return text + "</tr></thead>";
}

const Cell& cell_at(const Row& row, size_t column) {
  static const Cell empty;
  return column < row.cells.size() ? row.cells[column] : empty;
}

std::string cell_markup(const Column& column, const Cell& cell, const std::string& inside) {
  return fmt::format("<td{}{}>{}</td>", is_number(column) ? " class=\"n\"" : "",
                     attribute("data-v", sort_key(cell)), inside);
}

std::string row_markup(const Table& table, const Row& row) {
  std::string text;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Cell& cell = cell_at(row, i);
    text += cell_markup(table.columns[i], cell, cell_text(cell));
  }
  return text;
}

double number_in(const Cell& cell) {
  if (const auto* n = std::get_if<int64_t>(&cell.raw)) return static_cast<double>(*n);
  const auto* x = std::get_if<double>(&cell.raw);
  return x == nullptr ? 0 : *x;
}

double largest_in(const Table& table, size_t column) {
  double most = 0;
  for (const Row& row : table.rows) most = std::max(most, number_in(cell_at(row, column)));
  return most;
}

/// A bar below the number, as long as its share of the largest one.
std::string bar(const Cell& cell, double most) {
  if (most <= 0) return "";
  const double share = std::clamp(number_in(cell) / most, 0.0, 1.0);
  return fmt::format("<span class=\"bar\" style=\"width:{:.1f}%\"></span>", 100 * share);
}

/// A row of the index: its first words are the link that a keyboard finds.
std::string linked_row(const Table& table, const Row& row, size_t page, const std::string& bars) {
  std::string text;
  bool is_linked = false;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    const Cell& cell = cell_at(row, i);
    std::string inside = cell_text(cell);
    if (!is_linked && !is_number(column)) {
      inside = fmt::format("<a href=\"#p{}\">{}</a>", page, inside);
      is_linked = true;
    }
    if (!bars.empty() && column.key == bars) inside += bar(cell, largest_in(table, i));
    text += cell_markup(column, cell, inside);
  }
  return fmt::format("<tr data-page=\"{}\">{}</tr>\n", page, text);
}

/// Caption and heads, the rows, and what is said below.
std::string framed(const Table& table, const char* kind, const std::string& rows) {
  std::string text = fmt::format("<div><div class=\"scroll\"><table class=\"sortable{}\">", kind);
  if (!table.title.empty()) {
    text += fmt::format("<caption>{}</caption>", html_escaped(table.title));
  }
  text += head(table) + "<tbody>\n" + rows + "</tbody></table></div>\n";
  for (const std::string& note : table.notes) {
    text += fmt::format("<p class=\"note\">{}</p>\n", html_escaped(note));
  }
  return text + "</div>\n";
}

std::string svg_of(const Drawing& drawing, const std::string& label, const char* kind,
                   Palette& palette) {
  const SvgStyle inside{.color =
                            [&palette](Color c) {
                              const std::string hex =
                                  fmt::format("{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
                              palette.used.insert(hex);
                              return fmt::format("var(--c{})", hex);
                            },
                        .attributes = fmt::format(" class=\"{}\" role=\"img\" aria-label=\"{}\"",
                                                  kind, html_escaped(label))};
  return to_svg(drawing, inside);
}

double channel(double hue, double p, double q) {
  hue -= std::floor(hue);
  if (hue < 1.0 / 6) return p + (q - p) * 6 * hue;
  if (hue < 0.5) return q;
  return hue < 2.0 / 3 ? p + (q - p) * (2.0 / 3 - hue) * 6 : p;
}

int byte_of(double share) {
  return static_cast<int>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
}

}  // namespace

std::string cell_text(const Cell& cell) {
  std::string text = html_escaped(cell.text);
  if (!cell.fidelity || mark_of(*cell.fidelity).empty()) return text;
  return text + fmt::format("<i class=\"f\" title=\"{}\">{}</i>", to_text(*cell.fidelity),
                            html_escaped(mark_of(*cell.fidelity)));
}

std::string table(const Table& table) {
  std::string rows;
  for (const Row& row : table.rows) {
    rows += fmt::format("<tr{}>{}</tr>\n", row.rule_before ? " class=\"rule\"" : "",
                        row_markup(table, row));
  }
  return framed(table, "", rows);
}

std::string index(const Table& table, const std::string& bars) {
  std::string rows;
  for (size_t i = 0; i < table.rows.size(); ++i) rows += linked_row(table, table.rows[i], i, bars);
  return framed(table, " index", rows);
}

std::string glance(const std::vector<KeyFact>& facts) {
  if (facts.empty()) return "";
  std::string text = "<dl class=\"glance\">\n";
  for (const KeyFact& fact : facts) {
    text += fmt::format("<div><dt>{}</dt><dd class=\"value\">{}</dd>", html_escaped(fact.label),
                        cell_text(fact.value));
    const std::string note = html_escaped(fact.note);
    if (!note.empty() && fact.is_code) text += fmt::format("<dd><code>{}</code></dd>", note);
    if (!note.empty() && !fact.is_code) text += fmt::format("<dd class=\"note\">{}</dd>", note);
    text += "</div>\n";
  }
  return text + "</dl>\n";
}

std::string illustration(const Illustration& illustration, Palette& palette) {
  std::string text = "<figure>";
  if (illustration.is_headed) text += fmt::format("<h4>{}</h4>", html_escaped(illustration.title));
  text +=
      svg_of(illustration.wide, illustration.title, illustration.narrow ? "wide" : "any", palette);
  if (illustration.narrow)
    text += svg_of(*illustration.narrow, illustration.title, "narrow", palette);
  text += "<figcaption>";
  for (const std::string& line : illustration.caption) {
    text += fmt::format("<p>{}</p>", html_escaped(line));
  }
  text += "</figcaption>";
  if (!illustration.data.rows.empty()) {
    text += fmt::format("<details><summary>The numbers of this picture</summary>{}</details>",
                        table(illustration.data));
  }
  return text + "</figure>\n";
}

std::string cards(const std::vector<Card>& cards) {
  std::string text = "<ol class=\"cards\">\n";
  for (const Card& card : cards) {
    text += fmt::format("<li><h4>{}", html_escaped(card.title));
    if (!card.where.empty()) text += fmt::format(" <code>{}</code>", html_escaped(card.where));
    text += "</h4>";
    for (const std::string& why : card.because) text += fmt::format("<p>{}</p>", html_escaped(why));
    if (!card.remedy.empty()) {
      text += fmt::format("<p><b>What helps:</b> {}</p>", html_escaped(card.remedy));
    }
    if (!card.gain.empty())
      text += fmt::format("<p class=\"gain\">{}</p>", html_escaped(card.gain));
    text += "</li>\n";
  }
  return text + "</ol>\n";
}

std::string prose(const Prose& prose) {
  std::string text = "<div>";
  for (const std::string& one : prose.sentences)
    text += fmt::format("<p>{}</p>\n", html_escaped(one));
  return text + "</div>\n";
}

std::string legend() {
  std::string text = "<p class=\"legend\">Numbers without a mark are exact";
  for (const Fidelity f :
       {Fidelity::kModeled, Fidelity::kMeasured, Fidelity::kPublished, Fidelity::kAssumed}) {
    if (mark_of(f).size() > 1) continue;  // words explain themselves
    text += fmt::format("; <i class=\"f\">{}</i> {}", html_escaped(mark_of(f)), to_text(f));
  }
  return text + "</p>";
}

Color on_dark(Color color) {
  constexpr double kGround = 0.09, kBrightest = 0.93;
  const double r = color.red / 255.0, g = color.green / 255.0, b = color.blue / 255.0;
  const double high = std::max({r, g, b}), low = std::min({r, g, b});
  const double light = (high + low) / 2, width = high - low;
  const double saturation = width == 0 ? 0 : width / (1 - std::abs(2 * light - 1));
  double hue = 0;
  if (width > 0) {
    hue = high == r ? (g - b) / width : high == g ? 2 + (b - r) / width : 4 + (r - g) / width;
  }
  const double mirrored = kGround + (1 - light) * (kBrightest - kGround);
  const double q =
      mirrored < 0.5 ? mirrored * (1 + saturation) : mirrored + saturation - mirrored * saturation;
  const double p = 2 * mirrored - q;
  return {byte_of(channel(hue / 6 + 1.0 / 3, p, q)), byte_of(channel(hue / 6, p, q)),
          byte_of(channel(hue / 6 - 1.0 / 3, p, q))};
}

std::string palette_style(const Palette& palette) {
  std::string light, dark;
  for (const std::string& hex : palette.used) {
    const auto part = [&](size_t at) { return std::stoi(hex.substr(at, 2), nullptr, 16); };
    const Color other = on_dark({part(0), part(2), part(4)});
    light += fmt::format("--c{0}:#{0};", hex);
    dark += fmt::format("--c{}:#{:02x}{:02x}{:02x};", hex, other.red, other.green, other.blue);
  }
  return fmt::format(":root{{{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n", light,
                     dark);
}

}  // namespace warpledger::html
