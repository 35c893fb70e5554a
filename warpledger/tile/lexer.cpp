#include "warpledger/tile/lexer.h"

#include <fmt/core.h>

#include "warpledger/base/scanner.h"

namespace warpledger::tile {
namespace {

class Lexer {
 public:
  explicit Lexer(const Source& source)
      : scan_(source, {.blanks = " \t\r",
                       .code = "bad-character",
                       .hint = "operators and punctuation are [ ] ( ) { } = += , : @ ^ + - * /"}) {}

  Result<std::vector<Token>> run() {
    while (!scan_.at_end()) {
      if (!step()) return bad_character();
    }
    add(TokenKind::kNewline, scan_.position());
    add(TokenKind::kEnd, scan_.position());
    return std::move(tokens_);
  }

 private:
  bool step() {
    const char c = scan_.peek();
    const uint32_t begin = scan_.position();
    if (c == '#') {
      scan_.take_while([](char x) { return x != '\n'; });
    } else if (c == '\n') {
      scan_.skip();
      add(TokenKind::kNewline, begin);
    } else if (Scanner::is_letter(c)) {
      scan_.take_while(Scanner::is_word);
      add(TokenKind::kName, begin);
    } else if (Scanner::is_digit(c)) {
      pass_number();
      add(TokenKind::kNumber, begin);
    } else if (scan_.take("+=")) {
      add(TokenKind::kSign, begin);
    } else if (std::string_view("[](){}=,:@^+-*/").find(c) != std::string_view::npos) {
      scan_.skip();
      add(TokenKind::kSign, begin);
    } else {
      return false;
    }
    return true;
  }

  /// 12, 0.5, 1e-05: an exponent belongs to the number only when digits follow it.
  void pass_number() {
    scan_.take_while(Scanner::is_digit);
    if (scan_.peek() == '.') {
      scan_.skip();
      scan_.take_while(Scanner::is_digit);
    }
    if (scan_.peek() != 'e') return;
    const uint32_t before = scan_.position();
    scan_.skip();
    if (scan_.peek() == '-' || scan_.peek() == '+') scan_.skip();
    if (scan_.take_while(Scanner::is_digit).empty()) scan_.move_to(before);
  }

  /// What stands from `begin` to the position.
  void add(TokenKind kind, uint32_t begin) {
    if (kind == TokenKind::kNewline && (tokens_.empty() || tokens_.back().kind == kind)) return;
    const Span span{begin, scan_.position()};
    tokens_.push_back({kind, scan_.text().substr(begin, span.end - begin), span});
  }

  [[nodiscard]] Diagnostic bad_character() const {
    const auto byte = static_cast<unsigned char>(scan_.rest().front());
    const std::string shown =
        byte >= 0x20 && byte < 0x7f ? std::string(1, scan_.peek()) : fmt::format("\\x{:02x}", byte);
    return scan_.error(fmt::format("unexpected '{}'", shown));
  }

  Scanner scan_;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenize(const Source& source) { return Lexer(source).run(); }

}  // namespace warpledger::tile
