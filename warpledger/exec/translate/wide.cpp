#include "warpledger/exec/translate/wide.h"

#include <algorithm>
#include <optional>

#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/translate/table.h"

namespace warpledger::exec::translate {
namespace {

using machine::is_predicate;
using machine::kTruePredicate;
using machine::kZeroRegister;

bool is_one(const Operand& operand) {
  return operand.kind == OperandKind::kImmediate && operand.immediate == 1;
}

bool is_register(const Operand& operand) {
  return operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kUniform;
}

std::string_view name_of(const Instruction& instruction) {
  std::string_view name = instruction.row == nullptr ? "" : instruction.row->opcode;
  if (name.starts_with("U") && instruction.row != nullptr && instruction.row->is_uniform)
    name.remove_prefix(1);
  return name;
}

/// What the upper word adds besides the carry `predicate`; nothing if it is no such sum.
std::optional<std::vector<Operand>> upper_addends(const Instruction& one, const Operand& carry) {
  const size_t at = first_source(one);
  const auto& operands = one.operands;
  const auto is_carry = [&](size_t i) {
    return i < operands.size() && operands[i].kind == carry.kind &&
           operands[i].index == carry.index && !operands[i].inverted;
  };
  const auto is_false = [&](size_t i) {
    return i >= operands.size() || (is_predicate(operands[i]) &&
                                    operands[i].index == kTruePredicate && operands[i].inverted);
  };
  for (size_t i = 1; i < at; ++i)
    if (operands[i].index != kTruePredicate) return {};
  if (!one.has(M::kX) || operands.size() < at + 3) return {};
  if (name_of(one) == "IADD3") {
    const bool fits =
        (is_carry(at + 3) && is_false(at + 4)) || (is_false(at + 3) && is_carry(at + 4));
    if (!fits) return {};
    return std::vector<Operand>(operands.begin() + static_cast<std::ptrdiff_t>(at),
                                operands.begin() + static_cast<std::ptrdiff_t>(at + 3));
  }
  if (name_of(one) != "IMAD" || one.has(M::kWIDE) || one.has(M::kHI) || !is_carry(at + 3))
    return {};
  const Operand &a = operands[at], &b = operands[at + 1], &c = operands[at + 2];
  if (is_zero(a) || is_zero(b)) return std::vector{c};
  if (is_one(b) && !a.negated && !a.inverted && !a.absolute) return std::vector{a, c};
  return {};
}

/// Whether `upper` is the word above `lower`.
bool is_above(const Operand& upper, const Operand& lower) {
  if (upper.kind != lower.kind || lower.absolute || upper.absolute || lower.inverted) return false;
  if (lower.negated != (upper.negated || upper.inverted)) return false;
  if (is_register(lower)) return lower.index != kZeroRegister && upper.index == lower.index + 1;
  return lower.kind == OperandKind::kConstant && lower.bank == upper.bank &&
         lower.base == machine::kNoRegister && upper.base == machine::kNoRegister &&
         lower.uniform == machine::kNoRegister && upper.uniform == machine::kNoRegister &&
         upper.offset == lower.offset + 4;
}

/// A word as an addend of 64 bits; with `shifts` as the upper half of one.
std::string word_of_sum(Writer& w, const Operand& operand, bool shifts) {
  const std::string name = w.wide_temp();
  if (shifts) {
    // With a carry coming in, -x is ~x.
    Operand plain = operand;
    plain.inverted = operand.inverted || operand.negated;
    plain.negated = false;
    w.step("mov.b64 {}, {{0, {}}};", name, w.integer(plain));
    return name;
  }
  if (operand.kind == OperandKind::kImmediate) return std::to_string(operand.immediate);
  if (operand.negated) {  // 2^32 less the word
    const std::string wide = w.wide_temp();
    w.step("cvt.u64.u32 {}, {};", wide, w.word(operand));
    w.step("sub.u64 {}, 0x100000000, {};", name, wide);
    return name;
  }
  w.step("cvt.u64.u32 {}, {};", name, w.integer(operand));
  return name;
}

class Sum {
 public:
  explicit Sum(Writer& writer) : w_(writer) {}
  void add(const std::string& value, bool negative = false) {
    if (sum_.empty() && !negative) {
      sum_ = value;
      return;
    }
    const std::string name = w_.wide_temp();
    w_.step("{} {}, {}, {};", negative ? "sub.u64" : "add.u64", name, sum_.empty() ? "0" : sum_,
            value);
    sum_ = name;
  }
  [[nodiscard]] std::string result() {
    if (!sum_.empty() && sum_[0] == '%') return sum_;
    const std::string name = w_.wide_temp();
    w_.step("mov.b64 {}, {};", name, sum_.empty() ? "0" : sum_);
    return name;
  }

 private:
  Writer& w_;
  std::string sum_;
};

/// The sum of lower words and upper words, whichever belong together.
std::string write_sum(Writer& w, std::vector<Operand> lower, std::vector<Operand> upper) {
  Sum sum(w);
  std::erase_if(lower, is_zero);
  std::erase_if(upper, is_zero);
  for (const bool negative : {false, true}) {
    for (const Operand& low : std::vector<Operand>(lower)) {
      if (low.negated != negative) continue;
      const auto high =
          std::ranges::find_if(upper, [&](const Operand& one) { return is_above(one, low); });
      if (high == upper.end()) continue;
      upper.erase(high);
      lower.erase(std::ranges::find_if(lower, [&](const Operand& one) {
        return one.kind == low.kind && one.index == low.index && one.offset == low.offset &&
               one.negated == low.negated;
      }));
      Operand plain = low;
      plain.negated = false;
      sum.add(w.pair(plain), negative);
    }
  }
  // A constant: its words are one number.
  const auto constant = std::ranges::find(lower, OperandKind::kImmediate, &Operand::kind);
  const auto above = std::ranges::find(upper, OperandKind::kImmediate, &Operand::kind);
  if (constant != lower.end()) {
    const uint64_t high = above == upper.end() ? 0 : above->immediate;
    sum.add(std::to_string(static_cast<int64_t>(high << 32 | constant->immediate)));
    lower.erase(constant);
    if (above != upper.end()) upper.erase(above);
  }
  for (const Operand& one : lower) sum.add(word_of_sum(w, one, false));
  for (const Operand& one : upper) sum.add(word_of_sum(w, one, true));
  return sum.result();
}

/// Words of the first result, at most.
int result_words(const Instruction& one) {
  constexpr std::string_view kSingle[] = {"IADD3", "MOV",  "LEA",  "SHF",  "LOP3", "SEL",
                                          "ISETP", "FADD", "FMUL", "FFMA", "FSETP"};
  if (std::ranges::find(kSingle, name_of(one)) != std::end(kSingle)) return 1;
  if (name_of(one) == "IMAD") return one.has(M::kWIDE) ? 2 : 1;
  return one.has(M::k256) ? 8 : 4;
}

bool writes(const Instruction& one, const Operand& operand) {
  // Destinations come first; those of several words are told by none of these instructions' kin.
  if (one.row == nullptr) return true;
  const int words = result_words(one);
  for (size_t i = 0; i < one.operands.size() && i < first_source(one); ++i) {
    const Operand& to = one.operands[i];
    if (to.kind != operand.kind) continue;
    if (is_predicate(to) ? to.index == operand.index
                         : to.index <= operand.index && operand.index < to.index + words)
      return true;
  }
  // A predicate before a register, as LOP3 and SHFL have it.
  for (const Operand& to : one.operands)
    if (is_predicate(operand) && to.kind == operand.kind && to.index == operand.index) return true;
  return one.operands.size() > 1 && is_predicate(one.operands[0]) &&
         one.operands[1].kind == operand.kind && one.operands[1].index <= operand.index &&
         operand.index < one.operands[1].index + words;
}

bool is_changed(const machine::Program& program, uint32_t first, uint32_t end,
                const std::vector<Operand>& operands) {
  for (uint32_t i = first; i < end; ++i)
    for (const Operand& operand : operands)
      if ((is_register(operand) || is_predicate(operand)) &&
          operand.index != (is_predicate(operand) ? kTruePredicate : kZeroRegister) &&
          writes(program.instructions[i], operand))
        return true;
  return false;
}

/// LEA: the index shifted, of 64 bits. "" where the upper word shifts something else.
std::string shifted_index(Writer& w, const Instruction& upper) {
  const size_t at = first_source(upper);
  const auto& operands = upper.operands;
  const bool extends = upper.has(M::kSX32);
  const Operand& a = operands[at];
  const std::string index = w.wide_temp(), name = w.wide_temp();
  if (extends)
    w.step("cvt.s64.s32 {}, {};", index, w.word(a));
  else if (is_zero(operands[at + 2]))
    w.step("cvt.u64.u32 {}, {};", index, w.word(a));
  else if (is_above(operands[at + 2], a))
    w.step("mov.b64 {}, {};", index, w.pair(a));
  else
    w.step("mov.b64 {}, {{{}, {}}};", index, w.word(a), w.word(operands[at + 2]));
  w.step("shl.b64 {}, {}, {};", name, index, operands[at + (extends ? 2 : 3)].immediate & 31);
  return name;
}

/// Whether `upper` is LEA.HI.X of what `lower`, a LEA, shifts.
bool shifts_the_same(const Instruction& lower, const Instruction& upper, const Operand& carry) {
  const size_t at = first_source(upper), from = first_source(lower);
  const auto& operands = upper.operands;
  if (name_of(upper) != "LEA" || !upper.has(M::kHI) || !upper.has(M::kX) || at != 1) return false;
  const size_t by = at + (upper.has(M::kSX32) ? 2 : 3);
  if (operands.size() <= by + 1) return false;
  const Operand &a = lower.operands[from], &b = operands[at];
  return operands[by + 1].kind == carry.kind && operands[by + 1].index == carry.index &&
         !operands[by + 1].inverted && a.kind == b.kind && a.index == b.index && is_register(a) &&
         !a.negated && !b.negated && !a.inverted && !b.inverted &&
         lower.operands[from + 2].immediate == operands[by].immediate;
}

}  // namespace

std::string write_wide_sum(Writer& w, uint32_t end) {
  const machine::Program& program = w.loaded().program;
  const Instruction& lower = w.now();
  const size_t at = first_source(lower);
  if (w.is_guarded() || at != 2 || lower.has(M::kX) || lower.has(M::kHI)) return {};
  const Operand& carry = lower.operands[1];
  if (carry.index == kTruePredicate) return {};
  const bool is_lea = name_of(lower) == "LEA";
  for (uint32_t i = w.number() + 1; i < end; ++i) {
    const Instruction& one = program.instructions[i];
    if (one.row == nullptr) return {};
    const auto addends = is_lea ? std::nullopt : upper_addends(one, carry);
    const bool fits = is_lea ? shifts_the_same(lower, one, carry) : addends.has_value();
    if (!fits || one.guard != kTruePredicate || one.guard_inverted ||
        one.row->is_uniform != lower.row->is_uniform) {
      if (writes(one, carry)) return {};
      continue;
    }
    std::vector<Operand> read(one.operands.begin() + 1, one.operands.end());
    read.push_back(lower.operands[0]);  // stays the lower word of the pair
    std::vector<Operand> others = read;
    if (is_changed(program, w.number() + 1, i, others)) return {};
    // What this instruction itself writes is read before it.
    for (size_t k = 1; k < one.operands.size(); ++k)
      if (one.operands[k].kind == lower.operands[0].kind &&
          one.operands[k].index == lower.operands[0].index && !is_zero(one.operands[k]) &&
          is_register(one.operands[k]))
        return {};
    std::string wide;
    if (is_lea) {
      const Operand& base = one.operands[first_source(one) + 1];
      Sum sum(w);
      const std::string index = shifted_index(w, one);
      sum.add(write_sum(w, {lower.operands[at + 1]}, {base}));
      sum.add(index);
      wide = sum.result();
    } else {
      wide = write_sum(w,
                       {lower.operands.begin() + static_cast<std::ptrdiff_t>(at),
                        lower.operands.begin() + static_cast<std::ptrdiff_t>(at + 3)},
                       *addends);
    }
    w.uppers[i] = {wide, lower.operands[0].index, lower.row->is_uniform};
    return wide;
  }
  return {};
}

bool write_upper(Writer& w) {
  const auto found = w.uppers.find(w.number());
  if (found == w.uppers.end()) return false;
  const Writer::Upper upper = found->second;
  w.uppers.erase(found);
  const Operand& to = w.operand(0);
  const bool is_pair = upper.lower != kZeroRegister && to.index == upper.lower + 1;
  w.set(to, w.high(upper.wide));
  if (!is_pair) return true;
  w.step("mov.b64 %{}{}, {};", upper.is_uniform ? 'e' : 'd', upper.lower, upper.wide);
  auto& fresh = upper.is_uniform ? w.fresh.uniform : w.fresh.registers;
  fresh[static_cast<size_t>(upper.lower)] = true;
  return true;
}

}  // namespace warpledger::exec::translate
