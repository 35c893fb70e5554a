#include "warpledger/ptx/form.h"

#include <map>
#include <string>

#include "warpledger/base/check.h"

namespace warpledger::ptx {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// A word on its own has the slot of the first set that holds it: .row is a Layout everywhere.
Slot slot_of_word(std::string_view word) {
  for (const ModifierSet& set : modifier_sets()) {
    for (const std::string_view member : split(set.words, ' ')) {
      if (member == word) return set.slot;
    }
  }
  return Slot::kFlag;
}

void add_word(PatternElement& element, std::string_view word, Slot slot) {
  if (const auto type = parse_type(word)) {
    element.types.push_back(*type);
    element.slot = Slot::kType;
    return;
  }
  const auto modifier = parse_modifier(word);
  WL_CHECK(modifier.has_value());
  element.modifiers.push_back(*modifier);
  element.slots.push_back(slot);
  element.slot = slot;
}

PatternElement element_of(std::string_view text) {
  PatternElement element;
  if (text.front() == '<') {
    const std::string_view name = text.substr(1, text.size() - 2);
    for (const ModifierSet& set : modifier_sets()) {
      if (set.name != name) continue;
      for (const std::string_view word : split(set.words, ' ')) add_word(element, word, set.slot);
    }
  } else if (text.front() == '(') {
    for (const std::string_view word : split(text.substr(1, text.size() - 2), '|')) {
      add_word(element, word, slot_of_word(word));
    }
  } else {
    add_word(element, text, slot_of_word(text));
  }
  WL_CHECK(element.types.empty() != element.modifiers.empty());
  return element;
}

// "add{.<rnd>}{.ftz}.f32": the elements after the first word.
void compile_pattern(Form& form) {
  const std::string_view text = form.row->pattern;
  size_t at = text.find_first_of(".{");
  form.base = text.substr(0, at);
  bool optional = false;
  uint8_t group = 0;
  while (at < text.size()) {
    if (text[at] == '{') optional = true, ++group;
    if (text[at] == '}') optional = false;
    if (text[at] != '.') {
      ++at;
      continue;
    }
    const bool choice = text[at + 1] == '(';
    const size_t end = choice ? text.find(')', at) + 1 : text.find_first_of(".{}", at + 1);
    form.elements.push_back(element_of(text.substr(at + 1, std::min(end, text.size()) - at - 1)));
    form.elements.back().optional = optional;
    if (optional) form.elements.back().group = group;
    at = end;
  }
}

void set_type(OperandShape& shape, std::string_view text) {
  if (text == "*") return;
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '9') {
    if (shape.type_from == TypeFrom::kNone) shape.type_from = TypeFrom::kInstruction;
    shape.type_index = static_cast<uint8_t>(text[0] - '0');
    return;
  }
  const auto type = parse_type(text);
  WL_CHECK(type.has_value());
  shape.type_from = TypeFrom::kFixed;
  shape.type = *type;
}

// The classes that are a letter before a type.
OperandClass class_of_letter(char letter) {
  switch (letter) {
    case 'v':
      return OperandClass::kVector;
    case 'x':
    case 'y':
      return OperandClass::kWideValue;
    case 'm':
      return OperandClass::kMove;
    case 'n':
      return OperandClass::kValueOrAddress;
    case 'r':
      return OperandClass::kRegisters;
    case 's':
      return OperandClass::kSelected;
    default:
      return OperandClass::kValue;
  }
}

struct SymbolClass {
  std::string_view text;
  OperandClass operand;
};
constexpr SymbolClass kSymbols[] = {
    {"[]", OperandClass::kAddress}, {"[t]", OperandClass::kTensorAddress},
    {"#", OperandClass::kConstant}, {"@", OperandClass::kLabel},
    {"@@", OperandClass::kTargets}, {"call", OperandClass::kCall},
    {"*", OperandClass::kAny}};

OperandShape shape_of(std::string_view text) {
  OperandShape shape;
  for (const SymbolClass& symbol : kSymbols) {
    if (symbol.text == text) return shape.operand = symbol.operand, shape;
  }
  if (text == "p") {
    shape.operand = OperandClass::kPredicate;
    set_type(shape, "pred");
    return shape;
  }
  const bool letter = text.size() == 2;  // b1 is not an operand type: two characters: letter, index
  shape.operand = letter ? class_of_letter(text[0]) : OperandClass::kValue;
  if (letter && text[0] == 'w') shape.type_from = TypeFrom::kWidened;
  set_type(shape, letter ? text.substr(1) : text);
  return shape;
}

// "b64?L2::cache_hint" or "p?<bool>": the condition behind the question mark.
void set_condition(OperandShape& shape, std::string_view text) {
  if (text.front() != '<') {
    const auto word = parse_modifier(text);
    WL_CHECK(word.has_value());
    shape.only_with = *word;
    return;
  }
  for (const ModifierSet& set : modifier_sets()) {
    if (set.name == text.substr(1, text.size() - 2)) shape.only_with_slot = set.slot;
  }
  WL_CHECK(shape.only_with_slot != Slot::kFlag);
}

OperandShape shape_of_item(std::string_view item, bool optional) {
  const size_t question = item.find('?');
  std::string_view kind = item.substr(0, question);
  const bool written = kind.front() == '=';
  if (written) kind.remove_prefix(1);
  const size_t bar = kind.find('|');
  OperandShape shape = shape_of(kind.substr(0, bar));
  shape.written = written;
  shape.may_pair = bar != std::string_view::npos;
  shape.optional = optional;
  if (question != std::string_view::npos) set_condition(shape, item.substr(question + 1));
  return shape;
}

// "=0|p,[],0{,b64}": the braces and commas are outside of items.
void compile_operands(Form& form) {
  bool optional = false;
  const std::string_view text = form.row->operands;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(",{}", at), text.size());
    if (end > at) form.operands.push_back(shape_of_item(text.substr(at, end - at), optional));
    if (end < text.size() && text[end] != ',') optional = text[end] == '{';
    at = end + 1;
  }
  WL_CHECK(form.operands.size() <= Form::kMostOperands);
}

std::vector<Form> compile() {
  std::vector<Form> result;
  for (const FormRow& row : form_rows()) {
    Form form;
    form.row = &row;
    compile_pattern(form);
    compile_operands(form);
    result.push_back(std::move(form));
  }
  return result;
}

using FormsByBase = std::map<std::string_view, std::vector<const Form*>>;

const FormsByBase& by_base() {
  static const FormsByBase index = [] {
    FormsByBase built;
    for (const Form& form : forms()) built[form.base].push_back(&form);
    return built;
  }();
  return index;
}

}  // namespace

std::span<const Form> forms() {
  static const std::vector<Form> compiled = compile();
  return compiled;
}

std::span<const Form* const> forms_of(std::string_view base) {
  const auto found = by_base().find(base);
  if (found == by_base().end()) return {};
  return found->second;
}

const std::vector<std::string>& base_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> built;
    for (const auto& entry : by_base()) built.emplace_back(entry.first);
    return built;
  }();
  return words;
}

}  // namespace warpledger::ptx
