#include "warpledger/ptx/modifier.h"

#include <iterator>
#include <string>
#include <unordered_map>

namespace warpledger::ptx {
namespace {

struct ModifierInfo {
  std::string_view text;
  Since since;
};

constexpr ModifierInfo kModifiers[] = {
    ModifierInfo{"", {}},
#define MODIFIER(name, text, ptx, sm) ModifierInfo{text, {ptx, sm}},
#include "warpledger/ptx/modifiers.def"
#undef MODIFIER
};

constexpr ModifierSet kSets[] = {
#define SET(slot, name, words) ModifierSet{Slot::k##slot, name, words},
#include "warpledger/ptx/sets.def"
#undef SET
};

std::unordered_map<std::string_view, Modifier> index_words() {
  std::unordered_map<std::string_view, Modifier> words;
  for (size_t i = 1; i < std::size(kModifiers); ++i) {
    words.emplace(kModifiers[i].text, static_cast<Modifier>(i));
  }
  return words;
}

// m64n128k16 -> m64nNk16; anything else as it is.
std::string without_n(std::string_view word) {
  const size_t k = word.find('k');
  if (word.substr(0, 4) != "m64n" || k == std::string_view::npos || k < 5) return std::string(word);
  return "m64nN" + std::string(word.substr(k));
}

}  // namespace

std::string_view to_text(Modifier modifier) {
  return kModifiers[static_cast<size_t>(modifier)].text;
}

Since since(Modifier modifier) { return kModifiers[static_cast<size_t>(modifier)].since; }

std::optional<Modifier> parse_modifier(std::string_view word) {
  static const std::unordered_map<std::string_view, Modifier> words = index_words();
  auto found = words.find(word);
  if (found == words.end()) found = words.find(without_n(word));
  if (found == words.end()) return std::nullopt;
  return found->second;
}

std::span<const ModifierSet> modifier_sets() { return kSets; }

}  // namespace warpledger::ptx
