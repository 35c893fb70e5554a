// The top level of a PTX text, cut into its items without a look inside them: what linking needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::cuda {

struct PtxItem {
  enum class Kind { kHeader, kFile, kSection, kVariable, kFunction };
  enum class Linkage { kNone, kExtern, kVisible, kWeak };
  Kind kind = Kind::kHeader;
  Linkage linkage = Linkage::kNone;
  bool has_body = false;  // of a function
  bool is_entry = false;
  std::string name = {};  // of a variable or function
  std::string text = {};
  size_t head_bytes = 0;  // of a function: up to its body
};

[[nodiscard]] Result<std::vector<PtxItem>> cut_items(std::string_view text);

/// Calls replace(word) for every identifier outside strings and comments; gives the text with what
/// it answers.
template <class Replace>
[[nodiscard]] std::string replace_words(std::string_view text, Replace replace);

[[nodiscard]] inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

template <class Replace>
std::string replace_words(std::string_view text, Replace replace) {
  std::string out;
  bool in_text = false;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') in_text = !in_text;
    if (in_text || !is_word(text[i])) {
      out += text[i++];
      continue;
    }
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    out += replace(text.substr(i, end - i));
    i = end;
  }
  return out;
}

}  // namespace warpledger::cuda
