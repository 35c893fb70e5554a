// Exchanges between lanes, tensor cores, barriers, control.
#include <algorithm>

#include "warpledger/exec/jit/analysis/by_address.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/translate/table.h"

namespace warpledger::exec::translate {
namespace {

using machine::is_predicate;
using machine::kTruePredicate;

using Kind = reference::Convergence::Kind;

constexpr Line kAllHere = {.names_all_here = true};

std::string registers(Writer& w, const Operand& operand, int count) {
  std::string list;
  for (int i = 0; i < count; ++i)
    list += fmt::format("{}{}", i == 0 ? "" : ", ", w.word(operand, i));
  return list;
}

std::string results(Writer& w, const Operand& operand, int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += fmt::format("{}{}", i == 0 ? "" : ", ", w.to(operand, i));
  return list;
}

}  // namespace

void translate_nothing(Writer&, uint32_t) {}

void translate_vote(Writer& w, uint32_t) {
  const size_t at = is_predicate(w.operand(0)) ? 0 : 1;
  const bool is_uniform = w.now().row->opcode == "VOTEU";
  if (is_uniform && w.is_guarded()) return w.refuse("with a guard");
  const std::string p = w.predicate(w.operand(at + 1)), set = w.word_temp();
  // Under the guard: only its lanes vote.
  w.result_as(fmt::format("vote.sync.ballot.b32 {}, {}, -1;", set, p), kAllHere);
  if (w.operand(at).index != kTruePredicate) {
    const std::string all = w.word_temp(), differ = w.word_temp(), answer = w.predicate_temp();
    w.result_as(fmt::format("vote.sync.ballot.b32 {}, %pt, -1;", all), kAllHere);
    if (w.has(M::kEQ)) {
      const std::string none = w.predicate_temp();
      w.step("setp.eq.u32 {}, {}, 0;", none, set);
      w.step("setp.eq.or.u32 {}|%pz, {}, {}, {};", answer, set, all, none);
    } else {
      w.step("setp.{}.u32 {}, {}, {};", w.has(M::kALL) ? "eq" : "ne", answer, set,
             w.has(M::kALL) ? all : "0");
    }
    if (is_uniform) {
      const std::string word = w.word_temp(), one = w.word_temp();
      w.step("selp.b32 {}, 1, 0, {};", word, answer);
      w.step_as(fmt::format("mov.b32 {}, {};", one, word), {.of_first_lane = true});
      w.result("setp.ne.u32 {}, {}, 0;", w.to_predicate(w.operand(at)), one);
    } else {
      w.set_predicate(w.operand(at), answer);
    }
  }
  if (at == 0) return;
  if (!is_uniform) return w.set(w.operand(0), set);
  w.result_as(fmt::format("mov.b32 {}, {};", w.to(w.operand(0)), set), {.of_first_lane = true});
}

/// SHFL p, d, a, b, c.
void translate_shuffle(Writer& w, uint32_t) {
  const char* mode = w.has(M::kUP)     ? "up"
                     : w.has(M::kDOWN) ? "down"
                     : w.has(M::kBFLY) ? "bfly"
                                       : "idx";
  const std::string a = w.word(w.operand(2)), b = w.integer(w.operand(3)),
                    c = w.integer(w.operand(4));
  const std::string p = w.to_predicate(w.operand(0));
  w.result_as(
      fmt::format("shfl.sync.{}.b32 {}|{}, {}, {}, {}, -1;", mode, w.to(w.operand(1)), p, a, b, c),
      kAllHere);
}

void translate_reduction(Writer& w, uint32_t) {
  const char* type = w.has(M::kS32) ? "s32" : "u32";
  const std::string how = w.has(M::kSUM)   ? "add.s32"
                          : w.has(M::kOR)  ? "or.b32"
                          : w.has(M::kXOR) ? "xor.b32"
                          : w.has(M::kMIN) ? fmt::format("min.{}", type)
                          : w.has(M::kMAX) ? fmt::format("max.{}", type)
                                           : "and.b32";
  const bool is_uniform = w.operand(0).kind == OperandKind::kUniform;
  if (w.is_guarded() && is_uniform) return w.refuse("with a guard");
  const std::string a = w.integer(w.operand(1)), all = w.word_temp();
  w.result_as(fmt::format("redux.sync.{} {}, {}, -1;", how, all, a), kAllHere);
  if (!is_uniform) return w.set(w.operand(0), all);
  w.result_as(fmt::format("mov.b32 {}, {};", w.to(w.operand(0)), all), {.of_first_lane = true});
}

void translate_product(Writer& w, uint32_t) {
  const int depth = w.has(M::k16816) ? 16 : w.has(M::k1688) ? 8 : 4;
  const bool wide = w.has(M::kTF32), sums_f32 = w.has(M::kF32);
  const int a = wide ? depth / 2 : depth / 4, b = wide ? depth / 4 : depth / 8;
  const char* factor = wide ? "tf32" : w.has(M::kBF16) ? "bf16" : "f16";
  const char* sum = sums_f32 ? "f32" : "f16";
  if (w.is_guarded()) return w.refuse("with a guard");
  const std::string of_a = registers(w, w.operand(1), a), of_b = registers(w, w.operand(2), b),
                    of_c = registers(w, w.operand(3), sums_f32 ? 4 : 2);
  w.result("mma.sync.aligned.m16n8k{}.row.col.{}.{}.{}.{} {{{}}}, {{{}}}, {{{}}}, {{{}}};", depth,
           sum, factor, factor, sum, results(w, w.operand(0), sums_f32 ? 4 : 2), of_a, of_b, of_c);
}

void translate_integer_product(Writer& w, uint32_t) {
  if (w.has(M::kSAT)) return w.refuse("saturating");
  if (w.is_guarded()) return w.refuse("with a guard");
  std::vector<const char*> types;
  for (const M one : w.now().modifiers.list())
    if (one == M::kS8 || one == M::kU8) types.push_back(one == M::kS8 ? "s8" : "u8");
  if (types.size() != 2) return w.refuse("types");
  const bool small = w.has(M::k8816);
  const int depth = w.has(M::k16832) ? 32 : 16, rows = small ? 8 : 16;
  const int a = rows / 8 * depth / 16, b = depth / 16, c = rows / 4;
  const std::string of_a = registers(w, w.operand(1), a), of_b = registers(w, w.operand(2), b),
                    of_c = registers(w, w.operand(3), c);
  w.result("mma.sync.aligned.m{}n8k{}.row.col.s32.{}.{}.s32 {{{}}}, {{{}}}, {{{}}}, {{{}}};", rows,
           depth, types[0], types[1], results(w, w.operand(0), c), of_a, of_b, of_c);
}

void translate_barrier(Writer& w, uint32_t) {
  const auto& operands = w.now().operands;
  const bool plain = w.has(M::kSYNC) && !w.has(M::kRED) && !w.has(M::kARV) && !w.is_guarded() &&
                     operands.size() <= 2 &&
                     std::ranges::all_of(operands, [](const Operand& operand) {
                       return operand.kind == OperandKind::kImmediate;
                     });
  if (!plain) return w.refuse("a barrier of another kind");
  if (operands.size() == 1 && w.flow().by_address) {
    w.result_as("mov.b32 %z, 0;", {.convergence = {Kind::kMeet, jit::kAllLanes}});
    w.label_within();
    return w.step("bar.sync {};", operands[0].immediate);
  }
  if (operands.size() == 1) return w.result("bar.sync {};", operands[0].immediate);
  w.result("bar.sync {}, {};", operands[0].immediate, operands[1].immediate);
}

void translate_meeting(Writer& w, uint32_t) {
  const bool is_collective = w.has(M::kCOLLECTIVE) && w.flow().by_address;
  if ((w.has(M::kCOLLECTIVE) && !is_collective) || w.has(M::kEXCLUSIVE))
    return w.refuse("of a kind");
  std::string named = "-1";
  for (const Operand& operand : w.now().operands) {
    if (operand.kind == OperandKind::kTarget && !is_collective) return w.refuse("with a target");
    if (!is_predicate(operand) && operand.kind != OperandKind::kTarget) named = w.integer(operand);
  }
  if (w.has(M::kALL)) named = "-1";
  if (!w.flow().by_address) return w.result("bar.warp.sync {};", named);
  if (w.is_guarded()) return w.refuse("with a guard");
  w.step_as(fmt::format("mov.b32 %z, {};", named), {.convergence = {.kind = Kind::kName}});
  w.result_as("mov.b32 %z, 0;", {.convergence = {Kind::kMeet, reference::kNamedLanes}});
}

namespace {

/// Predicates among the operands narrow the lanes beside the guard: their conjunction with it, or
/// "" where there are none.
std::string narrowed(Writer& w) {
  std::string condition;
  for (const Operand& operand : w.now().operands) {
    if (!is_predicate(operand) || (operand.index == kTruePredicate && !operand.inverted)) continue;
    const std::string value = w.predicate(operand);
    if (condition.empty()) {
      condition = value;
      continue;
    }
    const std::string both = w.predicate_temp();
    w.step("and.pred {}, {}, {};", both, condition, value);
    condition = both;
  }
  return condition;
}

void leave_by(Writer& w, const std::string& text, reference::Convergence convergence = {}) {
  const std::string condition = narrowed(w);
  if (condition.empty()) return w.result_as(text, {.convergence = convergence});
  if (!w.is_guarded()) return w.branch(fmt::format("@{} ", condition), text, convergence);
  const std::string both = w.predicate_temp();
  w.step("and.pred {}, {}, {};", both, condition, w.guard());
  w.branch(fmt::format("@{} ", both), text, convergence);
}

}  // namespace

namespace {

/// BRA.DIV: all that are here go where some of those that it names are elsewhere; BRA.CONV where
/// none is.
void branch_if_missing(Writer& w, uint32_t target) {
  std::string named = "-1";
  for (const Operand& operand : w.now().operands) {
    if (operand.kind == OperandKind::kUniform || operand.kind == OperandKind::kRegister)
      named = w.integer(operand);
    else if (operand.kind != OperandKind::kTarget)
      return w.refuse("of a kind");
  }
  if (!w.flow().by_address || w.is_guarded()) return w.refuse("of a kind");
  const std::string missing = w.predicate_temp();
  w.step_as(fmt::format("setp.ne.u32 {}, {}, 0;", missing, named),
            {.convergence = {.kind = Kind::kMissing}});
  w.branch(fmt::format("@{}{} ", w.has(M::kCONV) ? "!" : "", missing),
           fmt::format("bra L{};", target));
}

}  // namespace

void translate_branch(Writer& w, uint32_t) {
  if (w.has(M::kANY)) return w.refuse("of a kind");
  const auto target = w.now().target ? w.loaded().program.find(*w.now().target) : std::nullopt;
  if (!target) return w.refuse("without a target");
  if (w.has(M::kDIV) || w.has(M::kCONV)) return branch_if_missing(w, *target);
  const auto comes_back = w.flow().comes_back.find(w.number());
  Kind kind = Kind::kNone;
  if (comes_back != w.flow().comes_back.end())
    kind = comes_back->second ? Kind::kCall : Kind::kJump;
  leave_by(w, fmt::format("bra L{};", *target), {.kind = kind});
}

/// A call that keeps no return address.
void translate_jump(Writer& w, uint32_t end) {
  if (!w.has(M::kNOINC) || w.operand(0).kind != OperandKind::kTarget) return w.refuse("a call");
  translate_branch(w, end);
}

namespace {

/// A jump to one of the places that it may go to: where the register holds how far that is from
/// `base`.
void jump_by_register(Writer& w, uint64_t base, Kind kind) {
  const auto found = w.flow().places.find(w.number());
  if (!w.flow().by_address) return w.refuse("a jump by a register");
  if (found == w.flow().places.end() || !narrowed(w).empty() || w.is_guarded())
    return w.refuse("a jump of a kind");
  const std::vector<uint32_t>& places = found->second;
  const std::string to = w.word(w.operand(0));
  std::string index = std::to_string(places.size()), labels;
  for (size_t i = 0; i < places.size(); ++i) {
    const std::string is_here = w.predicate_temp(), next = w.word_temp();
    const uint64_t far = w.loaded().program.instructions[places[i]].address - base;
    w.step("setp.eq.u32 {}, {}, {};", is_here, to, static_cast<int32_t>(far));
    w.step("selp.b32 {}, {}, {}, {};", next, i, index, is_here);
    index = next;
    labels += fmt::format("{}L{}", i == 0 ? "" : ", ", places[i]);
  }
  w.table(labels);
  w.result_as(fmt::format("brx.idx {}, T{};", index, w.number()), {.convergence = {.kind = kind}});
}

}  // namespace

void translate_return(Writer& w, uint32_t) {
  if (w.has(M::kABS)) return w.refuse("to an address");
  jump_by_register(w, w.now().target.value_or(0), Kind::kReturn);
}

void translate_table_branch(Writer& w, uint32_t) {
  const auto offset = static_cast<uint64_t>(w.operand(0).offset);
  jump_by_register(w, w.now().address + machine::kInstructionBytes + offset, Kind::kNone);
}

/// BSSY, BSYNC, BREAK.
void translate_convergence(Writer& w, uint32_t) {
  const std::string_view opcode = w.now().row->opcode;
  if (!w.flow().by_address) return opcode == "BREAK" ? w.refuse("a break") : void();
  if (!narrowed(w).empty()) return w.refuse("with a predicate");
  if (opcode == "BSYNC" && w.is_guarded()) return w.refuse("with a guard");
  const auto barrier = std::ranges::find_if(w.now().operands, [](const Operand& operand) {
    return operand.kind == OperandKind::kBarrier;
  });
  if (barrier == w.now().operands.end()) return w.refuse("without a barrier");
  const Kind kind = opcode == "BSSY" ? Kind::kOpen : opcode == "BSYNC" ? Kind::kMeet : Kind::kLeave;
  w.result_as("mov.b32 %z, 0;", {.convergence = {kind, barrier->index}});
}

/// A block of EXIT alone would end the lanes that branch there at the branch: machine code counts
/// it once for all that come.
void translate_exit(Writer& w, uint32_t) {
  w.step("mov.b32 %z, 0;");
  leave_by(w, "exit;");
}

}  // namespace warpledger::exec::translate
