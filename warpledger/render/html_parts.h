// The pieces that html.cpp puts together. Each gives markup that is complete in itself.
#pragma once

#include <set>
#include <string>

#include "warpledger/render/document.h"

namespace warpledger::html {

/// Style and script, from report.css and report.js.
[[nodiscard]] std::string_view style();
[[nodiscard]] std::string_view script();

/// The colors that drawings used; each becomes a CSS variable with a value for dark pages.
struct Palette {
  std::set<std::string> used;  // "1e1e1e"
};

/// The text of a cell with its fidelity's mark.
[[nodiscard]] std::string cell_text(const Cell& cell);
/// Columns sort when the reader clicks on their heads.
[[nodiscard]] std::string table(const Table& table);
/// The same, where row i leads to page i; the numbers of the column with the key `bars` are drawn
/// too.
[[nodiscard]] std::string index(const Table& table, const std::string& bars);
/// The strip of answers at the top of a page.
[[nodiscard]] std::string glance(const std::vector<KeyFact>& facts);
[[nodiscard]] std::string illustration(const Illustration& illustration, Palette& palette);
[[nodiscard]] std::string listing(const Listing& listing);
[[nodiscard]] std::string cards(const std::vector<Card>& cards);
[[nodiscard]] std::string prose(const Prose& prose);
[[nodiscard]] std::string legend();

/// ":root{--c1e1e1e:#1e1e1e}" for light and for dark.
[[nodiscard]] std::string palette_style(const Palette& palette);
/// The same hue, with light and dark exchanged: what is white becomes the dark page's ground.
[[nodiscard]] Color on_dark(Color color);

}  // namespace warpledger::html
