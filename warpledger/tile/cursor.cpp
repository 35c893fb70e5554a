#include "warpledger/tile/cursor.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace warpledger::tile {
namespace {

// Words that can stand inside a statement; those that only start a declaration are free as names.
constexpr std::array<std::string_view, 18> kReserved = {
    "copy",   "async", "wait",      "to",     "for",    "in",  "of",          "as",      "shared",
    "global", "tmem",  "registers", "rowmax", "rowsum", "inf", "accumulator", "threads", "kernel"};
constexpr int kDeepest = 60;

std::string shown(const Token& token) {
  if (token.kind == TokenKind::kNewline) return "the end of the line";
  if (token.kind == TokenKind::kEnd) return "the end of the file";
  return fmt::format("'{}'", token.text);
}

}  // namespace

bool is_reserved(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end() ||
         formula_functions().count(word) > 0;
}

const Token& Cursor::peek(size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& Cursor::next() {
  const Token& token = peek();
  previous_ = token.span;
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Cursor::sees(std::string_view text, size_t ahead) const {
  const Token& token = peek(ahead);
  return (token.kind == TokenKind::kName || token.kind == TokenKind::kSign) && token.text == text;
}

bool Cursor::take(std::string_view text) {
  if (!sees(text)) return false;
  next();
  return true;
}

void Cursor::skip_newlines() {
  while (peek().kind == TokenKind::kNewline) next();
}

Status Cursor::expect(std::string_view text, std::string_view where) {
  if (take(text)) return {};
  return fault_here(fmt::format("expected '{}' {}, found {}", text, where, shown(peek())), "",
                    "expected-sign");
}

Status Cursor::expect_line_end() {
  if (peek().kind == TokenKind::kNewline) {
    skip_newlines();
    return {};
  }
  if (sees("}") || peek().kind == TokenKind::kEnd) return {};
  return fault_here(fmt::format("expected the end of the line, found {}", shown(peek())),
                    "write one statement per line", "expected-line-end");
}

Result<std::string> Cursor::name(std::string_view what) {
  if (peek().kind != TokenKind::kName) {
    return fault_here(fmt::format("expected the name of {}, found {}", what, shown(peek())), "",
                      "expected-name");
  }
  if (is_reserved(peek().text)) {
    return fault_here(fmt::format("'{}' is a keyword", peek().text),
                      fmt::format("choose another name for {}", what), "reserved-word");
  }
  return std::string(next().text);
}

Result<int64_t> Cursor::whole_number() {
  const Token& token = peek();
  int64_t value = 0;
  const char* end = token.text.data() + token.text.size();
  const auto [stop, error] = std::from_chars(token.text.data(), end, value);
  if (token.kind != TokenKind::kNumber || error != std::errc() || stop != end ||
      value > (int64_t{1} << 40)) {
    return fault_here(fmt::format("expected a whole number, found {}", shown(token)),
                      "whole numbers go up to 2^40", "expected-number");
  }
  next();
  return value;
}

Diagnostic Cursor::fault_here(std::string message, std::string hint, std::string code) const {
  return fault_at(peek().span, std::move(message), std::move(hint), std::move(code));
}

Diagnostic Cursor::fault_at(Span span, std::string message, std::string hint,
                            std::string code) const {
  Diagnostic fault{std::move(message), std::move(hint), std::move(code)};
  fault.at = source_.locate(span);
  return fault;
}

Status Cursor::enter() {
  if (++depth_ <= kDeepest) return {};
  return fault_here(fmt::format("nested more than {} deep", kDeepest), "", "too-deep");
}

}  // namespace warpledger::tile
