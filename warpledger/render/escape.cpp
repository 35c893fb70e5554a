#include "warpledger/render/escape.h"

#include <algorithm>

namespace warpledger {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The length of the well-formed UTF-8 sequence at `at`; 0: none.
size_t sequence_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  const size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || lead > 0xF4 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong =
      (lead == 0xE0 && byte(at + 1) < 0xA0) || (lead == 0xF0 && byte(at + 1) < 0x90);
  const bool surrogate = lead == 0xED && byte(at + 1) >= 0xA0;
  const bool beyond = lead == 0xF4 && byte(at + 1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

}  // namespace

std::string html_escaped(std::string_view words) {
  std::string text;
  for (size_t at = 0; at < words.size();) {
    const size_t length = sequence_length(words, at);
    const char c = words[at];
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n';
    if (length == 0 || control || c == 0x7F) {
      text += kReplacement;
    } else if (const std::string_view name = entity(c); !name.empty()) {
      text += name;
    } else {
      text += words.substr(at, length);
    }
    at += std::max<size_t>(1, length);
  }
  return text;
}

}  // namespace warpledger
