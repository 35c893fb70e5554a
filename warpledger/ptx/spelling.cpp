#include "warpledger/ptx/spelling.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace warpledger::ptx {
namespace {

struct Word {
  std::string_view text;
  uint32_t begin;  // of the word without its dot, in the spelling
};

// The words of a spelling; the first is the base.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('.', at), text.size());
    words.push_back({text.substr(at, end - at), static_cast<uint32_t>(at)});
    at = end + 1;
  }
  return words;
}

// Takes the words one by one and remembers which elements of the form are used up.
class Matcher {
 public:
  explicit Matcher(const Form& form) : form_(form), used_(form.elements.size(), false) {
    spelling_.form = &form;
  }

  bool take(const Word& word) {
    if (const auto type = parse_type(word.text)) return take_type(*type);
    const auto modifier = parse_modifier(word.text);
    return modifier && take_modifier(*modifier, word.text);
  }

  /// The first required element that no word took; null when the form is complete.
  const PatternElement* missing() const {
    for (size_t i = 0; i < used_.size(); ++i) {
      const PatternElement& element = form_.elements[i];
      if (!used_[i] && (!element.optional || group_used(element.group))) return &element;
    }
    return nullptr;
  }

  const Spelling& spelling() const { return spelling_; }

 private:
  // Types keep the order of the pattern; an optional one may be passed over.
  bool take_type(Type type) {
    for (size_t i = next_type_; i < used_.size(); ++i) {
      const PatternElement& element = form_.elements[i];
      if (element.types.empty()) continue;
      if (std::ranges::find(element.types, type) != element.types.end()) {
        if (spelling_.type_count == Spelling::kMostTypes) return false;
        used_[i] = true;
        next_type_ = i + 1;
        spelling_.types[spelling_.type_count++] = type;
        return true;
      }
      if (!element.optional) return false;
    }
    return false;
  }

  bool take_modifier(Modifier modifier, std::string_view text) {
    for (size_t i = 0; i < used_.size(); ++i) {
      const PatternElement& element = form_.elements[i];
      const auto found = std::ranges::find(element.modifiers, modifier);
      if (used_[i] || found == element.modifiers.end() || later_of_slot_used(i)) continue;
      used_[i] = true;
      note(modifier, element.slots[size_t(found - element.modifiers.begin())], text);
      return true;
    }
    return false;
  }

  bool group_used(uint8_t group) const {
    for (size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] && form_.elements[i].group == group) return true;
    }
    return false;
  }

  bool later_of_slot_used(size_t i) const {
    if (form_.elements[i].slot == Slot::kFlag) return false;
    for (size_t j = i + 1; j < used_.size(); ++j) {
      if (used_[j] && form_.elements[j].slot == form_.elements[i].slot) return true;
    }
    return false;
  }

  void note(Modifier modifier, Slot slot, std::string_view text) {
    if (spelling_.modifier_count == Spelling::kMostModifiers) return;
    spelling_.modifiers[spelling_.modifier_count] = modifier;
    spelling_.slots[spelling_.modifier_count++] = slot;
    if (slot == Slot::kVector) spelling_.vector = static_cast<uint8_t>(text[1] - '0');
    if (text[0] == 'm' && text.size() > 3 && text[1] >= '0' && text[1] <= '9') {
      read_shape(text);
    }
  }

  void read_shape(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
      uint16_t value = 0;
      const auto read = std::from_chars(text.data() + at + 1, text.data() + text.size(), value);
      if (text[at] == 'm') spelling_.shape.m = value;
      if (text[at] == 'n') spelling_.shape.n = value;
      if (text[at] == 'k') spelling_.shape.k = value;
      at = static_cast<size_t>(read.ptr - text.data());
      if (read.ec != std::errc()) return;
    }
  }

  const Form& form_;
  std::vector<bool> used_;
  size_t next_type_ = 0;
  Spelling spelling_;
};

bool legal_wgmma_n(const Spelling& spelling) {
  if (spelling.form->base != "wgmma" || spelling.shape.m == 0) return true;
  return spelling.shape.n >= 8 && spelling.shape.n <= 256 && spelling.shape.n % 8 == 0;
}

// Which operands the form takes in this spelling.
void choose_operands(Spelling& spelling) {
  const std::vector<OperandShape>& shapes = spelling.form->operands;
  bool after_optional = false;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const OperandShape& shape = shapes[i];
    const bool asked =
        spelling.has(shape.only_with) || (shape.only_with_slot != Slot::kFlag &&
                                          spelling.get(shape.only_with_slot) != Modifier::kNone);
    if (shape.is_conditional() && !asked) continue;
    spelling.operands[spelling.most_operands++] = static_cast<uint8_t>(i);
    const bool optional = shape.optional && !shape.is_conditional();
    if (!optional) ++spelling.least_operands;
    if (!optional && after_optional) ++spelling.last_operands;
    after_optional = after_optional || optional;
  }
}

SpellingFault unknown_opcode(const Word& base) {
  return {{0, static_cast<uint32_t>(base.text.size())},
          fmt::format("unknown opcode '{}'", base.text),
          did_you_mean(base.text, base_words()),
          "unknown-opcode"};
}

std::string pattern_list(std::span<const Form* const> candidates) {
  std::string list;
  size_t shown = 0;
  for (const Form* form : candidates) {
    if (++shown > 4) return list + ", ...";
    list += (shown == 1 ? "" : ", ") + std::string(form->row->pattern);
  }
  return list;
}

SpellingFault unknown_word(std::string_view base, const Word& word,
                           std::span<const Form* const> candidates) {
  std::vector<std::string> known;
  for (const Form* form : candidates) {
    for (const PatternElement& element : form->elements) {
      for (const Modifier m : element.modifiers) known.emplace_back(to_text(m));
      for (const Type t : element.types) known.emplace_back(to_text(t));
    }
  }
  std::string hint = did_you_mean(word.text, known);
  if (hint.empty()) hint = "forms: " + pattern_list(candidates);
  return {{word.begin, word.begin + static_cast<uint32_t>(word.text.size())},
          fmt::format("'{}' does not take '.{}' here", base, word.text),
          hint,
          "unknown-modifier"};
}

}  // namespace

bool Spelling::has(Modifier modifier) const {
  return std::find(modifiers.begin(), modifiers.begin() + modifier_count, modifier) !=
         modifiers.begin() + modifier_count;
}

Modifier Spelling::get(Slot slot, int n) const {
  for (size_t i = 0; i < modifier_count; ++i) {
    if (slots[i] == slot && n-- == 0) return modifiers[i];
  }
  return Modifier::kNone;
}

Space Spelling::space(int n) const {
  switch (get(Slot::kSpace, n)) {
    case Modifier::kConst:
      return Space::kConst;
    case Modifier::kGlobal:
      return Space::kGlobal;
    case Modifier::kLocal:
      return Space::kLocal;
    case Modifier::kParam:
    case Modifier::kParamEntry:
    case Modifier::kParamFunc:
      return Space::kParam;
    case Modifier::kShared:
    case Modifier::kSharedCta:
      return Space::kShared;
    case Modifier::kSharedCluster:
      return Space::kSharedCluster;
    default:
      return Space::kGeneric;
  }
}

std::string_view to_text(Space space) {
  constexpr std::array kNames = {"generic", "reg",    "const",           "global", "local",
                                 "param",   "shared", "shared::cluster", "tex"};
  return kNames[static_cast<size_t>(space)];
}

Type operand_type(const Spelling& spelling, const OperandShape& shape) {
  switch (shape.type_from) {
    case TypeFrom::kInstruction:
      return spelling.type(shape.type_index);
    case TypeFrom::kWidened:
      return widened(spelling.type(shape.type_index));
    case TypeFrom::kFixed:
      return shape.type;
    case TypeFrom::kNone:
      break;
  }
  return Type::kNone;
}

std::optional<Spelling> decode_spelling(std::string_view text, SpellingFault& fault) {
  const std::vector<Word> words = words_of(text);
  const auto candidates = forms_of(words[0].text);
  if (candidates.empty()) return fault = unknown_opcode(words[0]), std::nullopt;
  size_t furthest = 0;  // how many words the best form took
  const PatternElement* missing = nullptr;
  for (const Form* form : candidates) {
    Matcher matcher(*form);
    size_t taken = 1;
    while (taken < words.size() && matcher.take(words[taken])) ++taken;
    if (taken == words.size() && matcher.missing() == nullptr &&
        legal_wgmma_n(matcher.spelling())) {
      Spelling spelling = matcher.spelling();
      spelling.text = text;
      choose_operands(spelling);
      return spelling;
    }
    if (taken > furthest) furthest = taken, missing = matcher.missing();
  }
  if (furthest < words.size()) {
    fault = unknown_word(words[0].text, words[furthest], candidates);
  } else {
    const bool type = missing != nullptr && !missing->types.empty();
    fault = {{0, static_cast<uint32_t>(text.size())},
             fmt::format("'{}' is not complete{}", text, type ? ": a type is missing" : ""),
             "forms: " + pattern_list(candidates),
             "incomplete-opcode"};
  }
  return std::nullopt;
}

Since since(const Spelling& spelling) {
  Since latest{spelling.form->row->ptx, spelling.form->row->sm};
  for (size_t i = 0; i < spelling.modifier_count; ++i) {
    const Since word = since(spelling.modifiers[i]);
    latest.ptx = std::max(latest.ptx, word.ptx);
    latest.sm = std::max(latest.sm, word.sm);
  }
  return latest;
}

}  // namespace warpledger::ptx
