// A Document is what a browser shows: pages of panels of tables, illustrations, sentences and
// listings. It is a plain value like Table and Drawing: whoever makes one says what stands where,
// and html.h decides how it looks. Every illustration brings the table of the numbers it was drawn
// from, so that nothing can be seen that a script cannot read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "warpledger/base/drawing.h"
#include "warpledger/base/table.h"

namespace warpledger {

/// Raised when a field of a document's JSON changes its name or meaning.
inline constexpr int kDocumentSchemaVersion = 1;

/// `narrow` is shown instead of `wide` where the page is no wider than a telephone.
struct Illustration {
  std::string name;  // of its file: "memory-chart"
  std::string title;
  std::vector<std::string> caption = {};
  Drawing wide;
  std::optional<Drawing> narrow = {};
  Table data;
  bool is_headed = false;  // the title stands above it
};

/// Sentences, a paragraph each.
struct Prose {
  std::vector<std::string> sentences;
};

/// Something to do: a headline, what was seen, what helps, what it brings.
struct Card {
  std::string title;
  std::string where = {};  // "matmul.cu:11"
  std::vector<std::string> because = {};
  std::string remedy = {};
  std::string gain = {};
  Cell saving = {};
};

/// One line of a listing. `numbers` stand beside Listing::columns.
struct ListingLine {
  std::string label;  // "12"
  std::string text;   // as written
  std::string key;    // lines of the other side with the same key belong to it; may be ""
  std::vector<Cell> numbers = {};
  bool dim = false;               // never ran
  std::string part = {};          // lines of other sides with the same part are it, not beside it
  std::vector<size_t> uses = {};  // lines of the same side whose results it takes
};

/// Two texts side by side, perhaps a third below them, with numbers per line, colored by one
/// column that the reader chooses.
struct Listing {
  std::string title;
  std::vector<Column> columns;
  std::string left_title, right_title;
  std::vector<ListingLine> left, right;
  // A third text below the two, with columns of its own; colored by `below_heat`.
  std::string below_title = {};
  std::vector<Column> below_columns = {};
  std::vector<ListingLine> below = {};
  size_t below_heat = 0;
  std::vector<std::string> notes = {};
};

using Block = std::variant<Prose, std::vector<Card>, Table, Illustration, Listing>;

struct Panel {
  std::string title;
  std::vector<Block> blocks;
  bool side_by_side = false;  // blocks are narrow and share a line where there is room
  bool folded = false;        // only its title is seen until the reader opens it
};

/// One answer of the strip at the top of a page.
struct KeyFact {
  std::string label;      // "Limit"
  Cell value = {};        // "DRAM"
  std::string note = {};  // "busy 82 % of the launch~"
  bool is_code = false;   // the note is a line of source
};

struct Page {
  std::string title;
  std::vector<std::string> subtitle = {};
  std::vector<KeyFact> glance = {};  // what to know first
  std::vector<Panel> panels;
};

/// `index` has one row for each page, in the same order, where it has rows at all; a document of
/// one page does not show it.
struct Document {
  std::string title;
  Table index;
  std::string bars = {};  // the key of the index's column whose numbers are also drawn as bars
  std::vector<Page> pages;
  std::string footer = {};
};

/// Every illustration of the document with its page's number, in order.
struct PlacedIllustration {
  size_t page = 0;
  const Illustration* illustration = nullptr;
};
[[nodiscard]] std::vector<PlacedIllustration> illustrations_of(const Document& document);

/// The document without its looks: tables and listings as rows of raw values, illustrations
/// as the tables they were drawn from.
[[nodiscard]] nlohmann::ordered_json to_json(const Document& document);

}  // namespace warpledger
