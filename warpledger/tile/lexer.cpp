#include "warpledger/tile/lexer.h"

#include <fmt/format.h>

#include <cctype>

namespace warpledger::tile {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text()) {}

  Result<std::vector<Token>> run() {
    while (at_ < text_.size()) {
      if (!step()) return bad_character();
    }
    add(TokenKind::kNewline, 0);
    add(TokenKind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  bool step() {
    const char c = text_[at_];
    if (c == '\n') {
      add(TokenKind::kNewline, 1);
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (is_letter(c)) {
      add(TokenKind::kName, while_in([](char x) { return is_letter(x) || is_digit(x); }));
    } else if (is_digit(c)) {
      add(TokenKind::kNumber, number_length());
    } else if (text_.substr(at_, 2) == "+=") {
      add(TokenKind::kSign, 2);
    } else if (std::string_view("[](){}=,:@^+-*/").find(c) != std::string_view::npos) {
      add(TokenKind::kSign, 1);
    } else {
      return false;
    }
    return true;
  }

  template <class Test>
  [[nodiscard]] size_t while_in(Test test, size_t from = 0) const {
    size_t length = from;
    while (at_ + length < text_.size() && test(text_[at_ + length])) ++length;
    return length;
  }

  /// 12, 0.5, 1e-05: an exponent belongs to the number only when digits follow it.
  [[nodiscard]] size_t number_length() const {
    size_t length = while_in(is_digit);
    if (at_ + length < text_.size() && text_[at_ + length] == '.') {
      length = while_in(is_digit, length + 1);
    }
    if (at_ + length < text_.size() && text_[at_ + length] == 'e') {
      size_t digits = length + 1;
      if (at_ + digits < text_.size() && (text_[at_ + digits] == '-' || text_[at_ + digits] == '+'))
        ++digits;
      const size_t end = while_in(is_digit, digits);
      if (end > digits) length = end;
    }
    return length;
  }

  void add(TokenKind kind, size_t length) {
    const auto begin = static_cast<uint32_t>(at_);
    at_ += length;
    if (kind == TokenKind::kNewline && (tokens_.empty() || tokens_.back().kind == kind)) return;
    const auto end = static_cast<uint32_t>(at_);
    tokens_.push_back({kind, text_.substr(begin, length), {begin, end}});
  }

  [[nodiscard]] Diagnostic bad_character() const {
    const auto begin = static_cast<uint32_t>(at_);
    const auto byte = static_cast<unsigned char>(text_[at_]);
    const std::string shown =
        byte >= 0x20 && byte < 0x7f ? std::string(1, text_[at_]) : fmt::format("\\x{:02x}", byte);
    Diagnostic fault{fmt::format("'{}' means nothing here", shown),
                     "the signs are [ ] ( ) { } = += , : @ ^ + - * /", "bad-character"};
    fault.at = source_.locate({begin, begin + 1});
    return fault;
  }

  const Source& source_;
  std::string_view text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenize(const Source& source) { return Lexer(source).run(); }

}  // namespace warpledger::tile
