// Listings: each line knows how hot it is in each column (0..9, a digit a column), and the script
// colors by the column that the reader chose.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "warpledger/render/escape.h"
#include "warpledger/render/html_parts.h"

namespace warpledger::html {
namespace {

double value_of(const Cell& cell) {
  if (const auto* n = std::get_if<int64_t>(&cell.raw)) return static_cast<double>(*n);
  if (const auto* x = std::get_if<double>(&cell.raw)) return *x;
  return 0;
}

/// The largest of each column on one side.
std::vector<double> maxima(const std::vector<Column>& columns,
                           const std::vector<ListingLine>& lines) {
  std::vector<double> most(columns.size(), 0);
  for (const ListingLine& line : lines) {
    for (size_t i = 0; i < std::min(most.size(), line.numbers.size()); ++i) {
      most[i] = std::max(most[i], value_of(line.numbers[i]));
    }
  }
  return most;
}

/// 0: nothing; 1..9 by the square root of the share, so that a tenth of the hottest still shows.
char heat(double value, double most) {
  if (value <= 0 || most <= 0) return '0';
  return static_cast<char>('1' + std::min(8.0, std::floor(9 * std::sqrt(value / most))));
}

/// Without the columns in which nothing is ever seen: room for the text.
Listing without_idle_columns(const Listing& listing) {
  const std::vector<double> left = maxima(listing.columns, listing.left);
  const std::vector<double> right = maxima(listing.columns, listing.right);
  Listing kept = listing;
  kept.columns.clear();
  for (auto* lines : {&kept.left, &kept.right}) {
    for (ListingLine& line : *lines) line.numbers.clear();
  }
  const auto copy = [](const ListingLine& from, size_t column, ListingLine& to) {
    if (!from.numbers.empty()) {
      to.numbers.push_back(column < from.numbers.size() ? from.numbers[column] : Cell());
    }
  };
  for (size_t i = 0; i < listing.columns.size(); ++i) {
    if (left[i] <= 0 && right[i] <= 0) continue;
    kept.columns.push_back(listing.columns[i]);
    for (size_t j = 0; j < kept.left.size(); ++j) copy(listing.left[j], i, kept.left[j]);
    for (size_t j = 0; j < kept.right.size(); ++j) copy(listing.right[j], i, kept.right[j]);
  }
  return kept;
}

/// What the script follows: the line's key, and the part that it is.
std::string links(const ListingLine& line) {
  std::string made;
  if (!line.key.empty()) made += fmt::format(" data-k=\"{}\"", html_escaped(line.key));
  if (!line.part.empty()) made += fmt::format(" data-p=\"{}\"", html_escaped(line.part));
  return made;
}

std::string line_markup(const ListingLine& line, const std::vector<double>& most) {
  std::string heats, cells;
  for (size_t i = 0; i < most.size(); ++i) {
    const Cell cell = i < line.numbers.size() ? line.numbers[i] : Cell();
    heats += heat(value_of(cell), most[i]);
    cells += fmt::format("<td class=\"n\">{}</td>", cell_text(cell));
  }
  const bool cold = heats.find_first_not_of('0') == std::string::npos;
  return fmt::format("<tr{}{}{}><td class=\"l\">{}</td>{}<td class=\"t\">{}</td></tr>\n",
                     cold ? "" : fmt::format(" data-h=\"{}\"", heats), links(line),
                     line.dim ? " class=\"dim\"" : "", html_escaped(line.label), cells,
                     html_escaped(line.text));
}

const char* cell_class(const Column& column) { return column.align == Align::kRight ? "n" : "w"; }

/// The text stands before its numbers; long words of the last columns are cut by the style.
std::string below_markup(const Listing& listing, const ListingLine& line, double most) {
  std::string cells;
  for (size_t i = 0; i < std::min(line.numbers.size(), listing.below_columns.size()); ++i)
    cells += fmt::format("<td class=\"{}\">{}</td>", cell_class(listing.below_columns[i]),
                         cell_text(line.numbers[i]));
  const size_t column = listing.below_heat;
  const char hot = column < line.numbers.size() ? heat(value_of(line.numbers[column]), most) : '0';
  std::string classes = line.dim ? "dim" : "";
  if (hot != '0') classes += fmt::format("{}h{}", classes.empty() ? "" : " ", hot);
  std::string uses;
  for (const size_t one : line.uses) uses += fmt::format("{}{}", uses.empty() ? "" : " ", one);
  return fmt::format("<tr{}{}{}><td class=\"l\">{}</td><td class=\"t\">{}</td>{}</tr>\n",
                     classes.empty() ? "" : fmt::format(" class=\"{}\"", classes), links(line),
                     uses.empty() ? "" : fmt::format(" data-u=\"{}\"", uses),
                     html_escaped(line.label), html_escaped(line.text), cells);
}

std::string below(const Listing& listing) {
  std::string text = fmt::format(
      "<div class=\"side below\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table "
      "class=\"code\"><thead><tr><th scope=\"col\"><span class=\"unseen\">line</span></th>"
      "<th scope=\"col\">{0}</th>",
      html_escaped(listing.below_title));
  for (const Column& column : listing.below_columns)
    text += fmt::format("<th scope=\"col\" class=\"{}\">{}</th>", cell_class(column),
                        html_escaped(column.name));
  text += "</tr></thead><tbody>\n";
  const std::vector<double> most = maxima(listing.below_columns, listing.below);
  for (const ListingLine& line : listing.below) {
    const double hottest = listing.below_heat < most.size() ? most[listing.below_heat] : 0;
    text += below_markup(listing, line, hottest);
  }
  return text + "</tbody></table></div>\n";
}

std::string side(const Listing& listing, const std::vector<ListingLine>& lines,
                 const std::string& title, const char* kind) {
  std::string text = fmt::format(
      "<div class=\"side {}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table "
      "class=\"code\"><thead><tr><th scope=\"col\"><span class=\"unseen\">line</span></th>",
      kind, html_escaped(title));
  for (const Column& column : listing.columns) {
    text += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", html_escaped(column.name));
  }
  text += fmt::format("<th scope=\"col\">{}</th></tr></thead><tbody>\n", html_escaped(title));
  const std::vector<double> most = maxima(listing.columns, lines);
  for (const ListingLine& line : lines) text += line_markup(line, most);
  return text + "</tbody></table></div>\n";
}

}  // namespace

std::string listing(const Listing& all) {
  const Listing listing = without_idle_columns(all);
  std::string text =
      "<div class=\"listing\"><div class=\"choose\" role=\"group\" aria-label=\"Color by\">Color "
      "by ";
  for (size_t i = 0; i < listing.columns.size(); ++i) {
    text += fmt::format("<button type=\"button\" data-column=\"{}\">{}</button>", i,
                        html_escaped(listing.columns[i].name));
  }
  text += "</div><div class=\"sides\">\n";
  if (!listing.left.empty()) text += side(listing, listing.left, listing.left_title, "left");
  if (!listing.right.empty()) text += side(listing, listing.right, listing.right_title, "right");
  text += "</div>";
  if (!listing.below.empty()) text += below(listing);
  for (const std::string& note : listing.notes) {
    text += fmt::format("<p class=\"note\">{}</p>", html_escaped(note));
  }
  return text + "</div>\n";
}

}  // namespace warpledger::html
