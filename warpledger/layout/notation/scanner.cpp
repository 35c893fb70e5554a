#include "warpledger/layout/notation/scanner.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace warpledger::notation {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

void Scanner::skip_blanks() {
  const std::string_view text = source_.text();
  while (at_ < text.size() && std::isspace(static_cast<unsigned char>(text[at_])) != 0) ++at_;
}

bool Scanner::at_end() {
  skip_blanks();
  return at_ >= source_.text().size();
}

char Scanner::peek() { return at_end() ? '\0' : source_.text()[at_]; }

bool Scanner::take(std::string_view word) {
  skip_blanks();
  if (!source_.text().substr(at_).starts_with(word)) return false;
  at_ += static_cast<uint32_t>(word.size());
  return true;
}

Status Scanner::expect(std::string_view word) {
  if (take(word)) return {};
  return error(fmt::format("expected '{}'", word));
}

Result<int64_t> Scanner::number() {
  skip_blanks();
  std::string_view text = source_.text().substr(at_);
  const size_t underscore = text.starts_with('_') ? 1 : 0;
  text.remove_prefix(underscore);
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  int64_t value = 0;
  const auto [end, fault] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (fault == std::errc::result_out_of_range || value > (int64_t{1} << 40)) {
    return error("number too large");
  }
  if (fault != std::errc() || value < 0) return error("expected a number");
  at_ += static_cast<uint32_t>(underscore + (hex ? 2 : 0) + static_cast<size_t>(end - text.data()));
  return value;
}

std::string Scanner::name() {
  skip_blanks();
  const std::string_view text = source_.text().substr(at_);
  size_t length = 0;
  if (!text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0) {
    while (length < text.size() && is_word(text[length])) ++length;
  }
  at_ += static_cast<uint32_t>(length);
  return std::string(text.substr(0, length));
}

Diagnostic Scanner::error(std::string message, std::string hint) const {
  const auto size = static_cast<uint32_t>(source_.text().size());
  const uint32_t begin = at_ < size ? at_ : size;
  return error_at({begin, begin + 1}, std::move(message), std::move(hint));
}

Diagnostic Scanner::error_at(Span span, std::string message, std::string hint) const {
  return Diagnostic{.message = std::move(message),
                    .hint = std::move(hint),
                    .code = "bad-layout",
                    .at = source_.locate(span)};
}

Status check_outputs(const Scanner& scan, size_t outputs) {
  if (outputs <= kMaxOutputs) return {};
  return scan.error(fmt::format("more than {} output dimensions", kMaxOutputs));
}

}  // namespace warpledger::notation
