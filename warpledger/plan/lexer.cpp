#include "warpledger/plan/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "warpledger/base/scanner.h"

namespace warpledger::plan {
namespace {

class Lexer {
 public:
  explicit Lexer(const Source& source)
      : scan_(source, {.blanks = " \t\r", .code = "bad-character"}) {}

  Result<std::vector<Token>> run() {
    while (!scan_.at_end()) {
      WL_TRY_STATUS(step());
    }
    push(Token::Kind::kNewline, scan_.position());
    push(Token::Kind::kEnd, scan_.position());
    return std::move(tokens_);
  }

 private:
  /// What stands from `begin` to the position.
  void push(Token::Kind kind, uint32_t begin) {
    const Span span{begin, scan_.position()};
    tokens_.push_back({kind, span, scan_.text().substr(begin, span.end - begin), 0});
  }

  Status step() {
    const char c = scan_.peek();
    if (c == '#') {
      scan_.take_while([](char x) { return x != '\n'; });
      return {};
    }
    if (c == '\n') return symbol(Token::Kind::kNewline, 1);
    if (c == '"') return quoted();
    if (Scanner::is_word(c)) return word_or_number();
    if (c == '.' && scan_.peek(1) == '.') return symbol(Token::Kind::kSymbol, 2);
    if (std::string_view("[](),<=+-*/").find(c) != std::string_view::npos) {
      return symbol(Token::Kind::kSymbol, 1);
    }
    if (c > ' ' && c <= '~')
      return scan_.error(fmt::format("unexpected character '{}' in a plan", c));
    return scan_.error("use only ASCII outside quotes and comments");
  }

  Status symbol(Token::Kind kind, uint32_t length) {
    const uint32_t begin = scan_.position();
    scan_.skip(length);
    push(kind, begin);
    return {};
  }

  Status quoted() {
    const uint32_t begin = scan_.position();
    scan_.skip();
    scan_.take_while([](char c) { return c != '"' && c != '\n'; });
    if (scan_.peek() != '"') {
      return scan_.error_at(scan_.span_from(begin), "a quote is not closed on its line");
    }
    push(Token::Kind::kString, begin + 1);
    scan_.skip();
    return {};
  }

  Status word_or_number() {
    const uint32_t begin = scan_.position();
    while (Scanner::is_word(scan_.peek()) ||
           (scan_.peek() == '.' && Scanner::is_word(scan_.peek(1)))) {
      scan_.skip();
    }
    push(Token::Kind::kWord, begin);
    Token& token = tokens_.back();
    if (!std::all_of(token.text.begin(), token.text.end(), Scanner::is_digit)) return {};
    const std::optional<int64_t> value = read_number<int64_t>(token.text);
    if (!value) return scan_.error_at(token.span, "this number is too large");
    token.kind = Token::Kind::kNumber;
    token.value = *value;
    return {};
  }

  Scanner scan_;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenize(const Source& source) { return Lexer(source).run(); }

}  // namespace warpledger::plan
