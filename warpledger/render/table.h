// render/: how values look. Tables become text, JSON, CSV or Markdown; drawings become SVG, PNG or
// PDF; charts become drawings. This room knows columns, commas, quotes and pixels; it must not know
// where a number came from, nor print or write a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "warpledger/base/table.h"

namespace warpledger {

enum class Format { kText, kJson, kCsv, kMarkdown };

[[nodiscard]] std::optional<Format> parse_format(std::string_view word);

/// Columns aligned with spaces; a mark behind each number that is not exact, explained below.
[[nodiscard]] std::string to_text(const Table& table);

/// RFC 4180: a header of keys, raw values, and a column "<key>_fidelity" for each column of
/// numbers.
[[nodiscard]] std::string to_csv(const Table& table);

/// A pipe table as GitHub reads it.
[[nodiscard]] std::string to_markdown(const Table& table);

/// The number of columns that `text` takes in a terminal, one for each UTF-8 character.
[[nodiscard]] size_t display_width(std::string_view text);

/// The mark printed behind a number of this fidelity; exact numbers have none.
[[nodiscard]] std::string_view mark_of(Fidelity fidelity);

}  // namespace warpledger
