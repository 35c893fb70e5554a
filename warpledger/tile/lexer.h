// The words of a .tile file: names, numbers, signs and line ends. `#` starts a comment.
#pragma once

#include <string_view>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/base/source.h"

namespace warpledger::tile {

enum class TokenKind { kName, kNumber, kSign, kNewline, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  Span span;
};

/// Ends with one kEnd token; empty lines give no kNewline.
[[nodiscard]] Result<std::vector<Token>> tokenize(const Source& source);

}  // namespace warpledger::tile
