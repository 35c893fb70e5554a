// Loads, stores, copies and atomic operations.
#include "warpledger/exec/machine/memory.h"

#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/translate/table.h"

namespace warpledger::exec::translate {
namespace {

using machine::is_predicate;
using machine::kNoRegister;
using machine::kTruePredicate;
using machine::kZeroRegister;

bool counts(int16_t index) { return index != kNoRegister && index != kZeroRegister; }

Operand named(OperandKind kind, int16_t index) {
  return {.kind = kind, .index = static_cast<uint8_t>(index)};
}

/// The base scaled, and the uniform one added: "" if the address has neither.
std::string wide_base(Writer& w, const Operand& at) {
  std::string base;
  if (counts(at.base)) {
    const Operand reg = named(OperandKind::kRegister, at.base);
    if (at.wide) {
      base = w.pair(reg);
    } else {
      base = w.wide_temp();
      w.step("cvt.u64.u32 {}, {};", base, w.word(reg));
    }
    if (at.scale != 1) w.refuse("a scaled address of 64 bits");
  }
  if (!counts(at.uniform)) return base;
  const Operand uniform = named(OperandKind::kUniform, at.uniform);
  std::string more;
  if (at.wide || at.base_is_32) {
    more = w.pair(uniform);
  } else {
    more = w.wide_temp();
    w.step("cvt.u64.u32 {}, {};", more, w.word(uniform));
  }
  if (base.empty()) return more;
  const std::string sum = w.wide_temp();
  w.step("add.u64 {}, {}, {};", sum, base, more);
  return sum;
}

std::string narrow_base(Writer& w, const Operand& at) {
  std::string base;
  if (at.wide || at.base_is_32) w.refuse("an address of 64 bits");
  if (counts(at.base)) {
    base = w.word(named(OperandKind::kRegister, at.base));
    if (at.scale != 1) {
      const std::string scaled = w.word_temp();
      w.step("mul.lo.u32 {}, {}, {};", scaled, base, at.scale);
      base = scaled;
    }
  }
  if (!counts(at.uniform)) return base;
  const std::string more = w.word(named(OperandKind::kUniform, at.uniform));
  if (base.empty()) return more;
  const std::string sum = w.word_temp();
  w.step("add.u32 {}, {}, {};", sum, base, more);
  return sum;
}

/// "[%d2+16]"
std::string address(Writer& w, const Operand& at, machine::MemoryClass memory) {
  const bool is_wide = memory == machine::MemoryClass::kGeneric;
  const std::string base = is_wide ? wide_base(w, at) : narrow_base(w, at);
  int64_t offset = at.offset;
  if (memory == machine::MemoryClass::kShared) offset -= w.loaded().layout->shared_begin;
  if (base.empty())
    return fmt::format("[{}]", is_wide ? offset : int64_t{static_cast<uint32_t>(offset)});
  if (offset == 0) return fmt::format("[{}]", base);
  return fmt::format("[{}{}{}]", base, offset < 0 ? "" : "+", offset);
}

/// ".global", ".shared", ".local", or "" for generic addresses.
std::string space_of(Writer& w) {
  const std::string_view opcode = w.now().row->opcode;
  if (w.now().row->memory == machine::MemoryClass::kShared) return ".shared";
  if (w.now().row->memory == machine::MemoryClass::kLocal) return ".local";
  if (opcode != "LD" && opcode != "ST" && opcode != "ATOM") return ".global";
  if (w.loaded().layout->shared_begin != 0) w.refuse("a generic address");
  return "";
}

Line access_line(Writer& w) { return {.site = w.now().site}; }

const char* narrow_type(Writer& w) {
  if (w.has(M::kU8)) return "u8";
  if (w.has(M::kS8)) return "s8";
  if (w.has(M::kU16)) return "u16";
  return w.has(M::kS16) ? "s16" : nullptr;
}

bool is_ordered(Writer& w) { return w.has(M::kSTRONG); }

}  // namespace

void translate_load(Writer& w, uint32_t) {
  if (is_ordered(w)) return w.refuse("an ordered load");
  if (w.has(M::k256)) return w.refuse("of 256 bits");
  if (is_predicate(w.operand(0))) return w.refuse("with a predicate");
  const Operand& to = w.operand(0);
  const std::string from = address(w, machine::address_operand(w.now()), w.now().row->memory);
  const std::string space = space_of(w);
  const size_t words = (machine::width_of(w.now()) + 3) / 4;
  if (const char* type = narrow_type(w); type != nullptr)
    return w.result_as(fmt::format("ld{}.{} {}, {};", space, type, w.to(to), from), access_line(w));
  if (words == 1)
    return w.result_as(fmt::format("ld{}.b32 {}, {};", space, w.to(to), from), access_line(w));
  std::string list;
  for (size_t i = 0; i < words; ++i)
    list += fmt::format("{}{}", i == 0 ? "" : ", ", w.to(to, static_cast<int>(i)));
  w.result_as(fmt::format("ld{}.v{}.b32 {{{}}}, {};", space, words, list, from), access_line(w));
}

void translate_store(Writer& w, uint32_t) {
  if (is_ordered(w)) return w.refuse("an ordered store");
  if (w.has(M::k256)) return w.refuse("of 256 bits");
  const Operand& value = w.now().operands.back();
  const std::string to = address(w, machine::address_operand(w.now()), w.now().row->memory);
  const std::string space = space_of(w);
  const size_t words = (machine::width_of(w.now()) + 3) / 4;
  const char* type = w.has(M::kU8) || w.has(M::kS8)     ? "u8"
                     : w.has(M::kU16) || w.has(M::kS16) ? "u16"
                                                        : "b32";
  if (words == 1)
    return w.result_as(fmt::format("st{}.{} {}, {};", space, type, to, w.word(value)),
                       access_line(w));
  std::string list;
  for (size_t i = 0; i < words; ++i)
    list += fmt::format("{}{}", i == 0 ? "" : ", ", w.word(value, static_cast<int>(i)));
  w.result_as(fmt::format("st{}.v{}.b32 {}, {{{}}};", space, words, to, list), access_line(w));
}

/// LDGSTS [shared], [global], predicate: zeros where it is false.
void translate_copy(Writer& w, uint32_t) {
  if (w.has(M::kZFILL)) return w.refuse("a part of its bytes");
  const std::string to = address(w, w.operand(0), machine::MemoryClass::kShared);
  const std::string from =
      address(w, machine::address_operand(w.now()), machine::MemoryClass::kGeneric);
  const size_t bytes = machine::width_of(w.now());
  std::string size;
  const Operand& last = w.now().operands.back();
  if (is_predicate(last) && (last.index != kTruePredicate || last.inverted)) {
    size = w.word_temp();
    w.step("selp.b32 {}, {}, 0, {};", size, bytes, w.predicate(last));
    size = ", " + size;
  }
  w.result_as(fmt::format("cp.async.ca.shared.global {}, {}, {}{};", to, from, bytes, size),
              access_line(w));
}

void translate_copy_group(Writer& w, uint32_t) { w.result("cp.async.commit_group;"); }

void translate_copy_wait(Writer& w, uint32_t) {
  const auto& operands = w.now().operands;
  if (operands.empty() || operands[0].text != "SB0") return;
  w.result("cp.async.wait_group {};", operands.size() > 1 ? operands[1].immediate : 0);
}

void translate_load_constant(Writer& w, uint32_t) {
  if (w.has(M::k128)) return w.refuse("of 128 bits");
  Operand from = w.operand(1);
  const std::string at = narrow_base(w, from);
  const auto offset = static_cast<uint32_t>(from.offset);
  const std::string place =
      at.empty() ? fmt::format("[{}]", offset) : fmt::format("[{}+{}]", at, offset);
  const char* type = narrow_type(w);
  if (!w.has(M::k64))
    return w.result_as(fmt::format("ld.const.{} {}, {};", type == nullptr ? "b32" : type,
                                   w.to(w.operand(0)), place),
                       access_line(w));
  const std::string lower = w.to(w.operand(0)), upper = w.to(w.operand(0), 1);
  w.result_as(fmt::format("ld.const.v2.b32 {{{}, {}}}, {};", lower, upper, place), access_line(w));
}

/// Matrices of 8 x 8 halves.
void translate_load_matrices(Writer& w, uint32_t) {
  const int count = w.has(M::k4) ? 4 : w.has(M::k2) ? 2 : 1;
  const std::string from =
      address(w, machine::address_operand(w.now()), machine::MemoryClass::kShared);
  std::string list;
  for (int i = 0; i < count; ++i)
    list += fmt::format("{}{}", i == 0 ? "" : ", ", w.to(w.operand(0), i));
  w.result_as(fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {{{}}}, {};", count,
                          w.has(M::kMT88) ? ".trans" : "", list, from),
              access_line(w));
}

namespace {

/// "add.u32": what an atomic operation does, and to what; "" for those that are not translated.
std::string update_of(Writer& w) {
  const bool wide = w.has(M::k64) || w.has(M::kS64);
  const std::string bits = wide ? "64" : "32";
  const std::string type = (w.has(M::kS32) || w.has(M::kS64) ? "s" : "u") + bits;
  if (w.has(M::kF16x2) || w.has(M::kBF16V2) || w.has(M::kPOPC) || w.has(M::kARRIVE) ||
      w.has(M::kCAST))
    return "";
  if (w.has(M::kF32)) return w.has(M::kADD) && w.has(M::kFTZ) ? "add.f32" : "";
  if (w.has(M::kF64)) return w.has(M::kADD) ? "add.f64" : "";
  if (w.has(M::kADD)) return "add.u" + bits;
  if (w.has(M::kMIN)) return "min." + type;
  if (w.has(M::kMAX)) return "max." + type;
  if (w.has(M::kAND)) return "and.b" + bits;
  if (w.has(M::kOR)) return "or.b" + bits;
  if (w.has(M::kXOR)) return "xor.b" + bits;
  if (w.has(M::kEXCH)) return "exch.b" + bits;
  if (w.has(M::kCAS)) return "cas.b" + bits;
  if (w.has(M::kINC)) return "inc.u32";
  return w.has(M::kDEC) ? "dec.u32" : "";
}

}  // namespace

void translate_atomic(Writer& w, uint32_t) {
  const std::string what = update_of(w);
  if (what.empty()) return w.refuse("an operation");
  const auto& operands = w.now().operands;
  const Operand& place = machine::address_operand(w.now());
  const auto next = static_cast<size_t>(&place - operands.data()) + 1;
  if (next + (w.has(M::kCAS) ? 1 : 0) >= operands.size()) return w.refuse("without a value");
  const std::string at = address(w, place, w.now().row->memory);
  const bool wide = machine::update_width(w.now()) == 8;
  std::string value = wide ? w.pair(operands[next]) : w.word(operands[next]);
  if (w.has(M::kCAS))
    value += ", " + (wide ? w.pair(operands[next + 1]) : w.word(operands[next + 1]));
  const std::string space = space_of(w);
  const bool reduces = w.now().row->opcode.starts_with("RED");
  if (reduces)
    return w.result_as(fmt::format("red{}.{} {}, {};", space, what, at, value), access_line(w));
  const size_t to = is_predicate(operands[0]) ? 1 : 0;
  if (to == 1 && operands[0].index != kTruePredicate) return w.refuse("with a predicate");
  const std::string old = wide ? w.wide_temp() : w.word_temp();
  w.result_as(fmt::format("atom{}.{} {}, {}, {};", space, what, old, at, value), access_line(w));
  if (operands[to].kind != OperandKind::kRegister) return;
  if (wide) return w.set_pair(operands[to], old);
  w.set(operands[to], old);
}

}  // namespace warpledger::exec::translate
