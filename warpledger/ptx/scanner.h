// The scanner: walks the characters of a PTX text. The parser asks for what it expects next, so no
// token is ever stored. Relies on the zero byte that ends a Source's text.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "warpledger/base/source.h"

namespace warpledger::ptx {

enum CharClass : uint8_t {
  kBlank = 1,      // space, tab, newline, carriage return
  kNameStart = 2,  // letter _ $ %
  kDigit = 4,
};

[[nodiscard]] constexpr std::array<uint8_t, 256> char_classes() {
  std::array<uint8_t, 256> table = {};
  for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'}) table[static_cast<uint8_t>(c)] = kBlank;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<size_t>(c)] = kNameStart;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<size_t>(c)] = kNameStart;
  for (const char c : {'_', '$', '%'}) table[static_cast<uint8_t>(c)] = kNameStart;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<size_t>(c)] = kDigit;
  return table;
}
inline constexpr std::array<uint8_t, 256> kCharClass = char_classes();

class Scanner {
 public:
  explicit Scanner(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] uint32_t position() const { return static_cast<uint32_t>(at_ - begin_); }
  [[nodiscard]] bool at_end() const { return at_ >= end_; }
  [[nodiscard]] char peek() const { return *at_; }
  [[nodiscard]] char peek(int ahead) const { return at_ + ahead < end_ ? at_[ahead] : '\0'; }
  void advance(int n = 1) { at_ += n; }
  void rewind(uint32_t position) { at_ = begin_ + position; }

  /// Where the stretch of inline assembly around here begins, as compilers mark it in comments; 0
  /// outside of one.
  [[nodiscard]] uint32_t inline_asm() const { return inline_asm_; }

  [[nodiscard]] std::string_view text(uint32_t from) const {
    return {begin_ + from, position() - from};
  }

  /// Passes over blanks and both kinds of comments.
  void skip() {
    while (true) {
      while (is(*at_, kBlank)) ++at_;
      if (*at_ != '/' || !skip_comment()) return;
    }
  }

  /// Takes `c` and the blanks after it when it stands here.
  bool accept(char c) {
    if (*at_ != c || at_ >= end_) return false;
    ++at_;
    skip();
    return true;
  }

  /// A name, empty when none stands here. Blanks after it are left.
  std::string_view name() {
    const char* const start = at_;
    if (!is(*at_, kNameStart)) return {};
    while (is(*at_, kNameStart | kDigit)) ++at_;
    return {start, static_cast<size_t>(at_ - start)};
  }

  /// A run of letters, digits and underscores (what follows a dot).
  std::string_view word() {
    const char* const start = at_;
    while (is(*at_, kNameStart | kDigit)) ++at_;
    return {start, static_cast<size_t>(at_ - start)};
  }

  /// The rest of an opcode after its first word: .word and ::word, as far as they go.
  void opcode_tail() {
    while (*at_ == '.' || (*at_ == ':' && at_[1] == ':')) {
      at_ += *at_ == '.' ? 1 : 2;
      while (is(*at_, kNameStart | kDigit)) ++at_;
    }
  }

  /// Passes over "…"; false when it does not end.
  bool quoted();
  /// Passes over {…} with what it holds, quotes and comments respected; false when it does not end.
  bool braced();

  static bool is(char c, int classes) {
    return (kCharClass[static_cast<uint8_t>(c)] & classes) != 0;
  }

 private:
  bool skip_comment();
  void note_marker(std::string_view comment);

  const char* begin_;
  const char* at_;
  const char* end_;
  uint32_t inline_asm_ = 0;
};

}  // namespace warpledger::ptx
