// Instructions: guard, spelling, operands; each is checked as soon as it is read.
#include <fmt/core.h>

#include "warpledger/ptx/check.h"
#include "warpledger/ptx/parser_impl.h"

namespace warpledger::ptx {

bool Parser::guarded_instruction() {
  const uint32_t begin = scan_.position();
  scan_.accept('@');
  const bool negated = scan_.accept('!');
  Operand guard;
  if (!named_operand(guard)) return false;
  const bool predicate =
      guard.kind == OperandKind::kRegister && function_->registers[guard.value].type == Type::kPred;
  if (!predicate) {
    return fail(guard.span,
                fmt::format("'{}' is not a predicate register", source_->text(guard.span)), "",
                "not-a-predicate");
  }
  const std::string_view word = scan_.name();
  if (word.empty()) return expected("an instruction");
  if (!instruction(begin, word)) return false;
  function_->instructions.back().guard = guard.index;
  function_->instructions.back().guard_negated = negated;
  return true;
}

// The scanner stands behind the first word of the opcode; `begin` is where the statement begins.
bool Parser::instruction(uint32_t begin, std::string_view first_word) {
  const auto opcode_begin = scan_.position() - static_cast<uint32_t>(first_word.size());
  scan_.opcode_tail();
  Instruction out;
  if (!spelling_of(scan_.text(opcode_begin), opcode_begin, out.spelling)) return false;
  scan_.skip();
  operands_.clear();
  const Spelling& spelling = module_.spellings[out.spelling];
  if (spelling.op() == Op::kCall) {
    if (!call_operands()) return false;
  } else if (scan_.peek() != ';') {
    if (spelling.form->operands.empty()) return expected("';'");
    do {
      Operand next;
      if (!operand(next)) return false;
      operands_.push_back(next);
    } while (scan_.accept(','));
  }
  if (scan_.peek() != ';') return expected("',' or ';'");
  scan_.advance();
  out.span = from(begin);
  scan_.skip();
  if (operands_.size() > 64) return fail(out.span, "too many operands", "", "operand-count");
  out.operand_count = static_cast<uint16_t>(operands_.size());
  out.first_operand = append(operands_, 0);
  out.location = location_;
  if (auto fault = check_operands(module_, *function_, out)) {
    note(fault->where, fault->message, fault->hint, fault->code);
  }
  function_->body.push_back(
      {StatementKind::kInstruction, static_cast<uint32_t>(function_->instructions.size())});
  function_->instructions.push_back(out);
  return true;
}

bool Parser::spelling_of(std::string_view text, uint32_t begin, uint32_t& out) {
  out = spelling_numbers_.number(text);
  if (out < module_.spellings.size()) return true;
  SpellingFault fault;
  const auto spelling = decode_spelling(text, fault);
  if (!spelling) {
    return fail({begin + fault.where.begin, begin + fault.where.end}, fault.message, fault.hint,
                fault.code);
  }
  module_.spellings.push_back(*spelling);
  check_since(*spelling, {begin, begin + static_cast<uint32_t>(text.size())});
  return true;
}

// One diagnosis per spelling, where it is used first.
void Parser::check_since(const Spelling& spelling, Span span) {
  const Since need = since(spelling);
  if (need.ptx > module_.version) {
    note(span,
         fmt::format("'{}' needs PTX {}.{}, this module is {}.{}", spelling.text, need.ptx / 10,
                     need.ptx % 10, module_.version / 10, module_.version % 10),
         "raise .version", "needs-newer-ptx");
  }
  const bool specific = need.sm >= kArchSpecific;
  const int sm = specific ? need.sm - kArchSpecific : need.sm;
  if (module_.target.number < sm || (specific && module_.target.variant == 0)) {
    note(span,
         fmt::format("'{}' needs sm_{}{}, this module is for {}", spelling.text, sm,
                     specific ? "a" : "", module_.target.text),
         specific ? "compile for the architecture-specific target" : "", "needs-newer-target");
  }
}

// (a, b): the lists of a call.
bool Parser::call_list(Operand& out) {
  const uint32_t begin = scan_.position();
  scan_.accept('(');
  const size_t first = operands_.size();
  if (scan_.peek() != ')') {
    do {
      Operand next;
      if (scan_.peek() == '[' || scan_.peek() == '{') return expected("an argument");
      if (!simple_operand(next)) return false;
      operands_.push_back(next);
    } while (scan_.accept(','));
  }
  if (scan_.peek() != ')') return expected("')'");
  scan_.advance();
  out = {OperandKind::kList};
  adopt_children(out, first);
  out.span = from(begin);
  scan_.skip();
  return true;
}

// call (results), callee, (arguments), targets: four operands whatever is left out.
bool Parser::call_operands() {
  Operand results{OperandKind::kList}, callee, arguments{OperandKind::kList}, targets;
  const bool has_results = scan_.peek() == '(';
  if (has_results && (!call_list(results) || !expect(','))) return false;
  if (!named_operand(callee)) return false;
  if (scan_.accept(',')) {
    const bool has_arguments = scan_.peek() == '(';
    if (has_arguments && !call_list(arguments)) return false;
    if ((!has_arguments || scan_.accept(',')) && !named_operand(targets)) return false;
  }
  operands_.assign({results, callee, arguments, targets});
  return true;
}

}  // namespace warpledger::ptx
