#include "warpledger/plan/lexer.h"

#include <fmt/format.h>

#include <charconv>

namespace warpledger::plan {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text()) {}

  Result<std::vector<Token>> run() {
    while (at_ < text_.size()) {
      WL_TRY_STATUS(step());
    }
    push(Token::Kind::kNewline, text_.size(), text_.size());
    push(Token::Kind::kEnd, text_.size(), text_.size());
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void push(Token::Kind kind, size_t begin, size_t end) {
    const Span span{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    tokens_.push_back({kind, span, text_.substr(begin, end - begin), 0});
  }
  [[nodiscard]] Diagnostic fault(size_t begin, size_t end, std::string message) const {
    const Span span{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    return {.message = std::move(message), .code = "bad-character", .at = source_.locate(span)};
  }

  Status step() {
    const char c = peek();
    if (c == '#') {
      while (at_ < text_.size() && peek() != '\n') ++at_;
      return {};
    }
    if (c == '\n') return symbol(Token::Kind::kNewline, 1);
    if (c == ' ' || c == '\t' || c == '\r') return ++at_, Status();
    if (c == '"') return quoted();
    if (is_letter(c) || is_digit(c)) return word_or_number();
    if (c == '.' && peek(1) == '.') return symbol(Token::Kind::kSymbol, 2);
    if (std::string_view("[](),<=+-*/").find(c) != std::string_view::npos) {
      return symbol(Token::Kind::kSymbol, 1);
    }
    if (c > ' ' && c <= '~') {
      return fault(at_, at_ + 1, fmt::format("a plan has no use for '{}'", c));
    }
    return fault(at_, at_ + 1, "only ASCII stands outside quotes and comments");
  }

  Status symbol(Token::Kind kind, size_t length) {
    push(kind, at_, at_ + length);
    at_ += length;
    return {};
  }

  Status quoted() {
    const size_t begin = at_++;
    while (at_ < text_.size() && peek() != '"' && peek() != '\n') ++at_;
    if (peek() != '"') return fault(begin, at_, "a quote is opened and not closed on its line");
    push(Token::Kind::kString, begin + 1, at_);
    ++at_;
    return {};
  }

  Status word_or_number() {
    const size_t begin = at_;
    bool all_digits = true;
    while (is_letter(peek()) || is_digit(peek()) ||
           (peek() == '.' && (is_letter(peek(1)) || is_digit(peek(1))))) {
      all_digits = all_digits && is_digit(peek());
      ++at_;
    }
    push(all_digits ? Token::Kind::kNumber : Token::Kind::kWord, begin, at_);
    if (!all_digits) return {};
    Token& token = tokens_.back();
    const auto [end, error] =
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), token.value);
    if (error != std::errc()) return fault(begin, at_, "this number is too large");
    return {};
  }

  const Source& source_;
  std::string_view text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenize(const Source& source) { return Lexer(source).run(); }

}  // namespace warpledger::plan
