#include "warpledger/exec/translate/writer.h"

#include <algorithm>

#include "warpledger/exec/machine/lane.h"

namespace warpledger::exec::translate {
namespace {

using machine::kTruePredicate;
using machine::kZeroRegister;

std::string number_text(uint32_t value) { return std::to_string(static_cast<int32_t>(value)); }

bool names_predicate(const Instruction& instruction, uint8_t index, bool uniform) {
  const auto kind = uniform ? OperandKind::kUniformPredicate : OperandKind::kPredicate;
  return std::ranges::any_of(instruction.operands, [&](const Operand& operand) {
    return operand.kind == kind && operand.index == index;
  });
}

}  // namespace

void Fresh::meet(const Fresh& other) {
  for (size_t i = 0; i < registers.size(); ++i) {
    registers[i] = registers[i] && other.registers[i];
    uniform[i] = uniform[i] && other.uniform[i];
  }
}

void Writer::begin(uint32_t number, uint8_t waits, uint8_t loads, bool for_all) {
  write_guard(number, waits, loads);
  if (for_all) {
    end();
    guard_.clear();
  }
  begun_ = {text_.size(), lines_.size(), counted_, fresh};
}

void Writer::write_guard(uint32_t number, uint8_t waits, uint8_t loads) {
  number_ = number;
  loads_ = loads;
  now_ = &loaded_.program.instructions[number];
  counted_ = false;
  guard_.clear();
  if (waits != 0) step_as("mov.b32 %z, 0;", {.waits = waits});
  if (now_->guard == kTruePredicate) {
    if (now_->guard_inverted) guard_ = "@%pf ";
    return;
  }
  std::string name = fmt::format("%{}{}", now_->guard_is_uniform ? 'v' : 'p', now_->guard);
  if (names_predicate(*now_, now_->guard, now_->guard_is_uniform)) {
    const std::string copy = predicate_temp();
    step("mov.pred {}, {};", copy, name);
    name = copy;
  }
  guard_ = fmt::format("@{}{} ", now_->guard_inverted ? "!" : "", name);
}

void Writer::begin_again() {
  text_.resize(begun_.text);
  lines_.resize(begun_.lines);
  fresh = begun_.fresh;
  refusal_.clear();
  counted_ = begun_.counted;
}

void Writer::finish(uint32_t entry) {
  const std::string body = std::move(text_);
  const std::vector<Line> lines = std::move(lines_);
  text_.clear();
  lines_.clear();
  number_ = entry;
  step("setp.eq.u32 %pt, 0, 0;");
  step("setp.ne.u32 %pf, 0, 0;");
  for (const auto& [place, name] : constants_)
    step("ld.param.b{} {}, [banks+{}];", 8 * place.second, name, place.first);
  text_ += body;
  lines_.insert(lines_.end(), lines.begin(), lines.end());
}

void Writer::end() {
  if (!counted_) result("mov.b32 %z, 0;");
}

void Writer::add(const std::string& guard, const std::string& text, const Line& line) {
  // The numbers are part of the text: compiled code is kept by it.
  text_ += fmt::format("/*{} {} {} {} {}{}{} {} {}*/ {}{}\n", line.number, line.site, line.loads,
                       line.waits, line.counted ? 1 : 0, line.names_all_here ? 1 : 0,
                       line.of_first_lane ? 1 : 0, static_cast<int>(line.convergence.kind),
                       line.convergence.barrier, guard, text);
  lines_.push_back(line);
}

void Writer::add_result(const std::string& text, Line line) {
  line.number = number_;
  line.counted = !counted_;
  if (line.counted) line.loads = loads_;
  counted_ = true;
  add(guard_, text, line);
}

void Writer::branch(const std::string& condition, const std::string& text,
                    reference::Convergence convergence) {
  end();
  counted_ = true;
  add(condition, text, {.number = number_, .convergence = convergence});
}

std::string Writer::constant(const Operand& operand, int word, int bytes) {
  if (operand.base != machine::kNoRegister && operand.base != kZeroRegister) {
    refuse("a constant by register");
    return "0";
  }
  if (operand.uniform != machine::kNoRegister && operand.uniform != kZeroRegister) {
    refuse("a constant by register");
    return "0";
  }
  const uint64_t at = static_cast<uint32_t>(operand.offset + 4 * word);
  if (at + static_cast<uint64_t>(bytes) > loaded_.banks[operand.bank].size()) {
    if (at >= loaded_.banks[operand.bank].size()) return "0";
    refuse("a constant across the end of its bank");
    return "0";
  }
  const uint64_t place = bank_at_[operand.bank] + at;
  std::string& name = constants_[{place, bytes}];
  if (name.empty()) name = fmt::format("%c{}_{}", bytes, place);
  return name;
}

std::string Writer::word(const Operand& operand, int word) {
  switch (operand.kind) {
    case OperandKind::kRegister:
      return operand.index == kZeroRegister ? "0" : fmt::format("%r{}", operand.index + word);
    case OperandKind::kUniform:
      return operand.index == kZeroRegister ? "0" : fmt::format("%u{}", operand.index + word);
    case OperandKind::kConstant:
      return constant(operand, word, 4);
    case OperandKind::kImmediate:
      if (word == 0) return number_text(operand.immediate);
      return operand.immediate >> 31 != 0 ? "-1" : "0";
    default:
      refuse("an operand of another kind");
      return "0";
  }
}

std::string Writer::pair(const Operand& operand) {
  if (operand.kind == OperandKind::kConstant && operand.offset % 8 == 0)
    return constant(operand, 0, 8);
  if (operand.kind == OperandKind::kImmediate) {
    const auto value = static_cast<int64_t>(static_cast<int32_t>(operand.immediate));
    return std::to_string(value);
  }
  const bool uniform = operand.kind == OperandKind::kUniform;
  if (!uniform && operand.kind != OperandKind::kRegister) {
    const std::string name = wide_temp(), lower = word(operand), upper = word(operand, 1);
    step("mov.b64 {}, {{{}, {}}};", name, lower, upper);
    return name;
  }
  if (operand.index == kZeroRegister) return "0";
  const std::string name = fmt::format("%{}{}", uniform ? 'e' : 'd', operand.index);
  bool& is_fresh = (uniform ? fresh.uniform : fresh.registers)[operand.index];
  if (!is_fresh) step("mov.b64 {}, {{{}, {}}};", name, word(operand), word(operand, 1));
  is_fresh = true;
  return name;
}

std::string Writer::integer(const Operand& operand) {
  std::string value = word(operand);
  if (operand.kind == OperandKind::kImmediate) return value;
  const auto apply = [&](const char* op) {
    const std::string name = word_temp();
    step("{} {}, {};", op, name, value);
    value = name;
  };
  if (operand.absolute) apply("abs.s32");
  if (operand.inverted) apply("not.b32");
  if (operand.negated) apply("neg.s32");
  return value;
}

std::string Writer::f32(const Operand& operand) {
  if (operand.kind == OperandKind::kImmediate) return fmt::format("0f{:08X}", operand.immediate);
  std::string value = word(operand);
  if (value == "0") return operand.negated ? "0f80000000" : "0f00000000";
  const auto apply = [&](const char* op, const char* mask) {
    const std::string name = word_temp();
    step("{} {}, {}, {};", op, name, value, mask);
    value = name;
  };
  if (operand.absolute) apply("and.b32", "0x7fffffff");
  if (operand.negated) apply("xor.b32", "0x80000000");
  return value;
}

std::string Writer::f64(const Operand& operand) {
  if (operand.kind == OperandKind::kImmediate)
    return fmt::format("0d{:016X}", uint64_t{operand.immediate} << 32);
  std::string value = pair(operand);
  if (value == "0") return operand.negated ? "0d8000000000000000" : "0d0000000000000000";
  const auto apply = [&](const char* op, const char* mask) {
    const std::string name = wide_temp();
    step("{} {}, {}, {};", op, name, value, mask);
    value = name;
  };
  if (operand.absolute) apply("and.b64", "0x7fffffffffffffff");
  if (operand.negated) apply("xor.b64", "0x8000000000000000");
  return value;
}

std::string Writer::predicate(const Operand& operand) {
  if (operand.index == kTruePredicate) return operand.inverted ? "%pf" : "%pt";
  const char kind = operand.kind == OperandKind::kUniformPredicate ? 'v' : 'p';
  const std::string name = fmt::format("%{}{}", kind, operand.index);
  if (!operand.inverted) return name;
  const std::string other = predicate_temp();
  step("not.pred {}, {};", other, name);
  return other;
}

std::string Writer::guard() {
  const auto kind =
      now_->guard_is_uniform ? OperandKind::kUniformPredicate : OperandKind::kPredicate;
  return predicate({.kind = kind, .index = now_->guard, .inverted = now_->guard_inverted});
}

void Writer::wrote(OperandKind kind, int index) {
  auto& known = kind == OperandKind::kUniform ? fresh.uniform : fresh.registers;
  known[static_cast<size_t>(index)] = false;
  if (index > 0) known[static_cast<size_t>(index - 1)] = false;
}

std::string Writer::to(const Operand& operand, int word) {
  if (operand.index == kZeroRegister) return "%z";
  if (operand.kind != OperandKind::kRegister && operand.kind != OperandKind::kUniform) {
    refuse("a result of another kind");
    return "%z";
  }
  wrote(operand.kind, operand.index + word);
  const char kind = operand.kind == OperandKind::kUniform ? 'u' : 'r';
  return fmt::format("%{}{}", kind, operand.index + word);
}

std::string Writer::to_predicate(const Operand& operand) {
  if (operand.index == kTruePredicate) return "%pz";
  const char kind = operand.kind == OperandKind::kUniformPredicate ? 'v' : 'p';
  return fmt::format("%{}{}", kind, operand.index);
}

void Writer::set(const Operand& operand, const std::string& value, int word) {
  result("mov.b32 {}, {};", to(operand, word), value);
}

void Writer::set_predicate(const Operand& operand, const std::string& value) {
  if (operand.index != kTruePredicate) result("mov.pred {}, {};", to_predicate(operand), value);
}

void Writer::set_pair(const Operand& operand, const std::string& wide) {
  if (operand.index == kZeroRegister) return;
  const std::string lower = low(wide), upper = high(wide);
  const bool uniform = operand.kind == OperandKind::kUniform;
  bool& is_fresh = (uniform ? fresh.uniform : fresh.registers)[operand.index];
  const bool stays = is_fresh || !is_guarded();
  result("mov.b64 %{}{}, {};", uniform ? 'e' : 'd', operand.index, wide);
  set(operand, lower);
  set(operand, upper, 1);
  is_fresh = stays;
}

std::string Writer::low(const std::string& wide) {
  const std::string name = word_temp();
  step("cvt.u32.u64 {}, {};", name, wide);
  return name;
}

std::string Writer::high(const std::string& wide) {
  const std::string shifted = wide_temp(), name = word_temp();
  step("shr.u64 {}, {}, 32;", shifted, wide);
  step("cvt.u32.u64 {}, {};", name, shifted);
  return name;
}

void Writer::refuse(const std::string& why) {
  if (refusal_.empty())
    refusal_ = now_ == nullptr ? why : fmt::format("'{}' ({})", now_->text, why);
}

std::string Writer::declarations() const {
  return fmt::format(
             "  .reg .b32 %r<260>;\n  .reg .b32 %u<260>;\n  .reg .b64 %d<260>;\n  .reg .b64 "
             "%e<260>;\n"
             "  .reg .pred %p<8>;\n  .reg .pred %v<8>;\n  .reg .pred %pt;\n  .reg .pred %pf;\n"
             "  .reg .pred %pz;\n  .reg .b32 %z;\n  .reg .b64 %zz;\n"
             "  .reg .b32 %t<{}>;\n  .reg .b64 %w<{}>;\n  .reg .pred %q<{}>;\n  .reg .b16 "
             "%h<{}>;\n",
             words_ + 1, wides_ + 1, predicates_ + 1, halves_ + 1) +
         constant_declarations();
}

std::string Writer::constant_declarations() const {
  std::string text;
  for (const auto& [place, name] : constants_)
    text += fmt::format("  .reg .b{} {};\n", 8 * place.second, name);
  return text;
}

}  // namespace warpledger::exec::translate
