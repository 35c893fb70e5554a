// An operand as nvdisasm prints it.
#include <charconv>

#include "warpledger/exec/machine/loader.h"

namespace warpledger::exec::machine {
namespace {

/// "R12" with prefix "R" -> 12, "RZ" -> `zero`; takes what it read off `text`.
std::optional<uint8_t> take_index(std::string_view& text, std::string_view prefix, char special,
                                  uint8_t zero) {
  if (!text.starts_with(prefix)) return {};
  std::string_view rest = text.substr(prefix.size());
  if (rest.starts_with(special)) {
    text = rest.substr(1);
    return zero;
  }
  uint8_t index = 0;
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
  if (fault != std::errc()) return {};
  text = rest.substr(static_cast<size_t>(end - rest.data()));
  return index;
}

/// "0x1f", "-0x8", "12".
std::optional<int64_t> read_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto value = sass::read_address(text);
  if (!value) return {};
  return negative ? -static_cast<int64_t>(*value) : static_cast<int64_t>(*value);
}

/// One addend of an address: "R2.64", "R4.U32", "R3.X4", "UR4", "0x10", "-0x8".
bool add_term(std::string_view term, Operand& address) {
  if (const auto uniform = take_index(term, "UR", 'Z', kZeroRegister)) {
    address.uniform = *uniform;
    return term.empty();
  }
  if (const auto base = take_index(term, "R", 'Z', kZeroRegister)) {
    address.base = *base;
    if (term == ".64") address.wide = true;
    if (term == ".U32") address.base_is_32 = true;
    if (term == ".X4") address.scale = 4;
    if (term == ".X8") address.scale = 8;
    if (term == ".X16") address.scale = 16;
    return term.empty() || address.wide || address.base_is_32 || address.scale != 1;
  }
  const auto offset = read_integer(term);
  if (offset) address.offset += *offset;
  return offset.has_value();
}

/// The text between brackets: terms with '+'.
bool read_terms(std::string_view text, Operand& address) {
  while (!text.empty()) {
    const size_t plus = std::min(text.find('+'), text.size());
    if (plus != 0 && !add_term(text.substr(0, plus), address)) return false;
    text.remove_prefix(std::min(plus + 1, text.size()));
  }
  return true;
}

/// "c[0x0][0x160]", with a selector perhaps.
std::optional<Operand> read_constant(std::string_view text, Operand operand) {
  operand.kind = OperandKind::kConstant;
  const size_t between = text.find("]["), close = text.rfind(']');
  if (between == std::string_view::npos || close <= between + 1) return {};
  const auto bank = sass::read_address(text.substr(2, between - 2));
  if (!bank || *bank >= kBanks) return {};
  operand.bank = static_cast<uint8_t>(*bank);
  if (!read_terms(text.substr(between + 2, close - between - 2), operand)) return {};
  if (text.substr(close + 1).starts_with('.')) operand.selector = text.substr(close + 2);
  return operand;
}

/// "gdesc[UR4].negA.tnspB", "idesc[UR5]": the register, and what comes behind it as selector.
std::optional<Operand> read_descriptors(std::string_view text, Operand operand) {
  text.remove_prefix(std::min(text.find('[') + 1, text.size()));
  const auto index = take_index(text, "UR", 'Z', kZeroRegister);
  if (!index || !text.starts_with(']')) return {};
  operand.kind = OperandKind::kUniform;
  operand.index = *index;
  operand.selector = text.substr(1);
  return operand;
}

/// Signs and bars before an operand, and the bar behind it.
std::string_view take_signs(std::string_view text, Operand& operand) {
  for (;; text.remove_prefix(1)) {
    if (text.starts_with('-')) {
      operand.negated = true;
    } else if (text.starts_with('~') || text.starts_with('!')) {
      operand.inverted = true;
    } else if (text.starts_with('|')) {
      operand.absolute = true;
    } else {
      return text;
    }
  }
}

bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() &&
         (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text.starts_with("INF") ||
          text.starts_with("QNAN") || text.starts_with("SNAN"));
}

struct Register {
  std::string_view prefix;
  char special;
  uint8_t zero;
  OperandKind kind;
};
constexpr Register kRegisters[] = {
    {"UR", 'Z', kZeroRegister, OperandKind::kUniform},
    {"UP", 'T', kTruePredicate, OperandKind::kUniformPredicate},
    {"R", 'Z', kZeroRegister, OperandKind::kRegister},
    {"P", 'T', kTruePredicate, OperandKind::kPredicate},
    {"B", '-', 0, OperandKind::kBarrier},
};

/// A register with its selector; BRX has an offset behind it: "R2 -0x190".
std::optional<Operand> read_register(std::string_view text, Operand operand) {
  for (const Register& one : kRegisters) {
    std::string_view rest = text;
    const auto index = take_index(rest, one.prefix, one.special, one.zero);
    if (!index) continue;
    operand.kind = one.kind;
    operand.index = *index;
    if (const size_t bar = rest.find('|'); bar != std::string_view::npos) {
      operand.selector = rest.substr(bar + 1);
      rest = rest.substr(0, bar);
    }
    if (const size_t blank = rest.find(' '); blank != std::string_view::npos) {
      const auto offset = read_integer(rest.substr(blank + 1));
      if (!offset) return {};
      operand.offset = *offset;
      rest = rest.substr(0, blank);
    }
    if (operand.selector.empty()) operand.selector = rest;
    if (operand.selector.starts_with('.')) operand.selector.erase(0, 1);
    return operand;
  }
  return {};
}

/// "c[0x0] [0x168].H0_H0" loses its blank.
std::string without_notes(std::string_view text) {
  std::string clean(text.substr(0, text.find(" (*")));
  for (size_t at = 0; (at = clean.find(".reuse")) != std::string::npos;) clean.erase(at, 6);
  if (const size_t at = clean.find("] ["); at != std::string::npos) clean.erase(at + 1, 1);
  while (clean.ends_with(' ')) clean.pop_back();
  return clean;
}

}  // namespace

std::optional<Operand> read_operand(std::string_view printed, uint32_t immediate, bool is_float) {
  const std::string clean = without_notes(printed);
  std::string_view text = clean;
  Operand operand{.text = clean};
  if (text.starts_with('`')) {
    operand.kind = OperandKind::kTarget;
    return operand;
  }
  if (text.starts_with("gdesc[") || text.starts_with("idesc["))
    return read_descriptors(text, operand);
  if (text.starts_with("desc[") && text.find(']') == text.size() - 1) {  // a cache policy
    operand.kind = OperandKind::kNamed;
    return operand;
  }
  if (text.starts_with("desc[")) text.remove_prefix(std::min(text.find("]") + 1, text.size()));
  if (text.starts_with("tmem[")) text.remove_prefix(text.find('['));
  if (text.starts_with('[') && text.ends_with(']')) {
    operand.kind = OperandKind::kAddress;
    if (!read_terms(text.substr(1, text.size() - 2), operand)) return {};
    return operand;
  }
  if (is_number(text) || text.find('@') != std::string_view::npos) {
    operand.kind = OperandKind::kImmediate;
    const auto value = read_integer(text);
    operand.immediate = value && !is_float ? static_cast<uint32_t>(*value) : immediate;
    operand.upper = static_cast<uint32_t>(static_cast<uint64_t>(value.value_or(0)) >> 32);
    return operand;
  }
  if (text.starts_with("SR")) {
    operand.kind = OperandKind::kSpecial;
    return operand;
  }
  if (text == "PR" || text == "UPR" || text.starts_with("SB") || text == "gsb0") {
    operand.kind = OperandKind::kNamed;
    return operand;
  }
  text = take_signs(text, operand);
  return text.starts_with("c[") ? read_constant(text, operand) : read_register(text, operand);
}

}  // namespace warpledger::exec::machine
