#include "warpledger/exec/translate/table.h"

#include <map>

#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::translate {

Translate find_translation(std::string_view opcode) {
  static const std::map<std::string_view, Translate> known = {
#define WL_TRANSLATION(opcode, function) {#opcode, function},
#include "warpledger/exec/translate/translations.def"
#undef WL_TRANSLATION
  };
  const machine::Row* row = machine::find_row(opcode);
  const auto found = known.find(opcode);
  if (found != known.end()) return found->second;
  if (row == nullptr || !row->is_uniform || !opcode.starts_with('U')) return nullptr;
  const auto lanes = known.find(opcode.substr(1));
  return lanes == known.end() ? nullptr : lanes->second;
}

size_t first_source(const Instruction& instruction) {
  size_t at = 1;
  while (at < instruction.operands.size() && machine::is_predicate(instruction.operands[at])) ++at;
  return at;
}

bool is_zero(const Operand& operand) {
  const bool named =
      operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kUniform;
  if (named)
    return operand.index == machine::kZeroRegister && !operand.negated && !operand.inverted;
  return operand.kind == OperandKind::kImmediate && operand.immediate == 0;
}

void write_comparison(Writer& w, std::string_view compare, std::string_view type,
                      const std::string& a, const std::string& b) {
  const char* with = w.has(M::kOR) ? "or" : w.has(M::kXOR) ? "xor" : "and";
  const std::string other = w.predicate(w.operand(4));
  const std::string p = w.to_predicate(w.operand(0)), q = w.to_predicate(w.operand(1));
  if (q == "%pz" && other == "%pt" && with == std::string_view("and"))
    return w.result("setp.{}.{} {}, {}, {};", compare, type, p, a, b);
  w.result("setp.{}.{}.{} {}|{}, {}, {}, {};", compare, with, type, p, q, a, b, other);
}

void write_extreme(Writer& w, const std::string& how, const std::string& a, const std::string& b,
                   const Operand& smaller) {
  if (smaller.index == machine::kTruePredicate)
    return w.result("{}{} {}, {}, {};", smaller.inverted ? "max" : "min", how, w.to(w.operand(0)),
                    a, b);
  const std::string least = w.word_temp(), most = w.word_temp(), p = w.predicate(smaller);
  w.step("min{} {}, {}, {};", how, least, a, b);
  w.step("max{} {}, {}, {};", how, most, a, b);
  w.result("selp.b32 {}, {}, {}, {};", w.to(w.operand(0)), least, most, p);
}

}  // namespace warpledger::exec::translate
