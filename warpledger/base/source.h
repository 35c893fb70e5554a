// Source text and places in it. A Span is two offsets, so that an AST of a 10 MB file stays small;
// a Location is what a person reads: file, line, column and the line itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpledger {

/// The bytes [begin, end) of a Source.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

/// The smallest span that covers both.
[[nodiscard]] Span cover(Span a, Span b);

/// A place as a person reads it. `line` and `column` count from 1; `length` >= 1 is how many
/// characters of `line_text` the place covers.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;
  std::string line_text;
  friend bool operator==(const Location&, const Location&) = default;
};

/// A named text. Spans are offsets into text().
class Source {
 public:
  Source(std::string name, std::string text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view text(Span span) const;

  /// The line that holds span.begin; a span over several lines is cut at the end of its first.
  [[nodiscard]] Location locate(Span span) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> line_starts_;
};

}  // namespace warpledger
