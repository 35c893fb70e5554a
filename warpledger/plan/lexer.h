// Words of a .plan text. A line is a statement; brackets and braces do not join lines.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/base/source.h"

namespace warpledger::plan {

struct Token {
  enum class Kind { kWord, kNumber, kString, kSymbol, kNewline, kEnd };
  Kind kind = Kind::kEnd;
  Span span = {};
  std::string_view text = {};  // of a string: without its quotes
  int64_t value = 0;           // of a number

  [[nodiscard]] bool is(std::string_view symbol_or_word) const {
    return (kind == Kind::kSymbol || kind == Kind::kWord) && text == symbol_or_word;
  }
};

/// Post: the last token is kEnd, before it a kNewline. Words may hold dots and start with a digit
/// when a letter follows ("128B"); ".." is a symbol; "#" starts a comment.
[[nodiscard]] Result<std::vector<Token>> tokenize(const Source& source);

}  // namespace warpledger::plan
