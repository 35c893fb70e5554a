#include "warpledger/base/scanner.h"

#include <fmt/core.h>

#include <algorithm>

namespace warpledger {

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

void Scanner::move_to(uint32_t position) {
  WL_CHECK(position <= text().size());
  at_ = position;
}

void Scanner::skip_blanks() {
  while (at_ < text().size() && style_.blanks.find(text()[at_]) != std::string_view::npos) ++at_;
}

bool Scanner::at_end() {
  skip_blanks();
  return at_ >= text().size();
}

char Scanner::peek(uint32_t ahead) const {
  return ahead < rest().size() ? text()[at_ + ahead] : '\0';
}

char Scanner::next() {
  skip_blanks();
  return peek();
}

bool Scanner::take(std::string_view word) {
  skip_blanks();
  if (!rest().starts_with(word)) return false;
  at_ += static_cast<uint32_t>(word.size());
  return true;
}

Status Scanner::expect(std::string_view word) {
  if (take(word)) return {};
  return error(fmt::format("expected '{}'", word));
}

Span Scanner::span_from(uint32_t begin) const { return {begin, std::max(at_, begin + 1)}; }

Span Scanner::span_of(std::string_view part) const {
  const auto begin = static_cast<uint32_t>(part.data() - text().data());
  WL_CHECK(begin + part.size() <= text().size());
  return {begin, begin + static_cast<uint32_t>(part.size())};
}

Diagnostic Scanner::error(std::string message, std::string hint) const {
  return error_at(span_from(at_), std::move(message), std::move(hint));
}

Diagnostic Scanner::error_at(Span span, std::string message, std::string hint) const {
  return {.message = std::move(message),
          .hint = hint.empty() ? style_.hint : std::move(hint),
          .code = style_.code,
          .at = source_.locate(span)};
}

}  // namespace warpledger
