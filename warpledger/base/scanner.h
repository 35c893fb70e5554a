// The reader under our small languages: formulas, limits, gates, sizes, layouts, shapes, .tile and
// .plan files. A cursor over a Source that passes over blanks, takes words and numbers, and makes
// diagnostics with a caret. It knows characters and places; a language keeps its own grammar, words
// and messages. PTX has a lexer of its own (ptx/scanner.h), made for texts of 10 MB.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "warpledger/base/result.h"
#include "warpledger/base/source.h"

namespace warpledger {

/// Without the blanks around it: a part of the text, also where nothing is left.
[[nodiscard]] std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r");

/// What the texts of one language have in common.
struct ScannerStyle {
  std::string_view blanks = " \t";  // have no meaning between words
  std::string code = {};            // of a diagnostic
  std::string hint = {};            // of a diagnostic that has none of its own
};

class Scanner {
 public:
  /// Pre: `source` outlives the scanner.
  Scanner(const Source& source, ScannerStyle style) : source_(source), style_(std::move(style)) {}

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  /// An underscore is a letter.
  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  static bool is_word(char c) { return is_letter(c) || is_digit(c); }

  [[nodiscard]] std::string_view text() const { return source_.text(); }
  /// From the position to the end.
  [[nodiscard]] std::string_view rest() const { return text().substr(at_); }
  [[nodiscard]] uint32_t position() const { return at_; }
  /// Pre: position <= text().size().
  void move_to(uint32_t position);
  /// Pre: so many characters are left.
  void skip(uint32_t count = 1) { move_to(at_ + count); }
  void skip_blanks();

  /// Whether nothing is left but blanks, which it passes over.
  [[nodiscard]] bool at_end();
  /// The character `ahead` of the position, blank or not; '\0' behind the end.
  [[nodiscard]] char peek(uint32_t ahead = 0) const;
  /// The next character after blanks, which it passes over; '\0' at the end.
  [[nodiscard]] char next();

  /// Takes `word` when it is next after blanks.
  bool take(std::string_view word);
  /// The same, or "expected 'word'".
  [[nodiscard]] Status expect(std::string_view word);
  /// The characters from the position on that pass `test`, blanks too.
  template <class Test>
  std::string_view take_while(const Test& test);
  /// The number at the position as std::from_chars reads it; nothing where none stands there or it
  /// does not fit. Post: the position is behind its digits, whether they fit or not.
  template <class Number>
  [[nodiscard]] std::optional<Number> take_number(int base = 10);

  /// From `begin` to the position, one character at least.
  [[nodiscard]] Span span_from(uint32_t begin) const;
  /// Pre: `part` is a part of text().
  [[nodiscard]] Span span_of(std::string_view part) const;
  /// At the position.
  [[nodiscard]] Diagnostic error(std::string message, std::string hint = {}) const;
  [[nodiscard]] Diagnostic error_at(Span span, std::string message, std::string hint = {}) const;

 private:
  const Source& source_;
  ScannerStyle style_;
  uint32_t at_ = 0;
};

/// The number that all of `text` is; nothing when it is none or does not fit.
template <class Number>
[[nodiscard]] std::optional<Number> read_number(std::string_view text) {
  Number value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

template <class Test>
std::string_view Scanner::take_while(const Test& test) {
  const uint32_t begin = at_;
  while (at_ < text().size() && test(text()[at_])) ++at_;
  return text().substr(begin, at_ - begin);
}

template <class Number>
std::optional<Number> Scanner::take_number(int base) {
  const char* first = rest().data();
  const char* last = first + rest().size();
  Number value = 0;
  std::from_chars_result read = {first, std::errc()};
  if constexpr (std::is_integral_v<Number>) {
    read = std::from_chars(first, last, value, base);
  } else {
    read = std::from_chars(first, last, value);
  }
  at_ += static_cast<uint32_t>(read.ptr - first);
  if (read.ec != std::errc()) return {};
  return value;
}

}  // namespace warpledger
