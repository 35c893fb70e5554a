// Moves between registers, predicates, special registers and constants.
#include <map>

#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/memory/address.h"
#include "warpledger/exec/translate/table.h"

namespace warpledger::exec::translate {
namespace {

using machine::is_predicate;
using machine::kTruePredicate;

int byte_of(const Operand& operand) {
  if (operand.selector == "B1") return 8;
  if (operand.selector == "B2") return 16;
  return operand.selector == "B3" ? 24 : 0;
}

}  // namespace

void translate_move(Writer& w, uint32_t) {
  if (w.has(M::k64)) return w.refuse("of 64 bits");
  w.set(w.operand(0), w.integer(w.operand(1)));
}

void translate_select(Writer& w, uint32_t) {
  if (w.has(M::k64)) return w.refuse("of 64 bits");
  const std::string a = w.integer(w.operand(1)), b = w.integer(w.operand(2)),
                    p = w.predicate(w.operand(3));
  w.result("selp.b32 {}, {}, {}, {};", w.to(w.operand(0)), a, b, p);
}

void translate_select_float(Writer& w, uint32_t) {
  if (w.has(M::kFTZ)) return w.refuse("flushing");
  const std::string a = w.f32(w.operand(1)), b = w.f32(w.operand(2)), p = w.predicate(w.operand(3));
  w.result("selp.f32 {}, {}, {}, {};", w.to(w.operand(0)), a, b, p);
}

namespace {

/// A mask of the lanes that relate to the lane's own number in that way.
std::string lane_mask(Writer& w, std::string_view name) {
  const std::string lane = w.word_temp(), own = w.word_temp(), mask = w.word_temp();
  w.step("mov.u32 {}, %laneid;", lane);
  w.step("shl.b32 {}, {}, {};", own, name == "SR_LEMASK" || name == "SR_GTMASK" ? "2" : "1", lane);
  if (name == "SR_EQMASK") return own;
  w.step("sub.u32 {}, {}, 1;", mask, own);
  if (name == "SR_LTMASK" || name == "SR_LEMASK") return mask;
  const std::string others = w.word_temp();
  w.step("not.b32 {}, {};", others, mask);
  return others;
}

}  // namespace

void translate_special(Writer& w, uint32_t) {
  static const std::map<std::string_view, const char*> kKnown = {
      {"SR_TID.X", "%tid.x"},     {"SR_TID.Y", "%tid.y"},     {"SR_TID.Z", "%tid.z"},
      {"SR_CTAID.X", "%ctaid.x"}, {"SR_CTAID.Y", "%ctaid.y"}, {"SR_CTAID.Z", "%ctaid.z"},
      {"SR_LANEID", "%laneid"}};
  const std::string& name = w.operand(1).text;
  const bool writes_pair = w.now().row->opcode.starts_with("CS2") && !w.has(M::k32);
  if (const auto known = kKnown.find(name); known != kKnown.end() && !writes_pair)
    return w.result("mov.u32 {}, {};", w.to(w.operand(0)), known->second);
  if (name == "SRZ") {
    if (writes_pair) return w.set_pair(w.operand(0), "0");
    return w.set(w.operand(0), "0");
  }
  if (name == "SR_SWINHI") return w.set(w.operand(0), std::to_string(kSharedWindow >> 32));
  if (name == "SR_LWINHI") return w.set(w.operand(0), std::to_string(kLocalWindow >> 32));
  if (name.ends_with("MASK") && !writes_pair) return w.set(w.operand(0), lane_mask(w, name));
  w.refuse("a special register");
}

void translate_pack_predicates(Writer& w, uint32_t) {
  const int at = byte_of(w.operand(0));
  if (w.operand(3).kind != OperandKind::kImmediate) return w.refuse("a mask by register");
  const uint32_t mask = w.operand(3).immediate;
  const auto kind =
      w.now().row->is_uniform ? OperandKind::kUniformPredicate : OperandKind::kPredicate;
  std::string value = w.word_temp();
  w.step("and.b32 {}, {}, {};", value, w.integer(w.operand(2)),
         static_cast<int32_t>(~(mask << at)));
  for (uint8_t i = 0; i < kTruePredicate; ++i) {
    if ((mask >> i & 1) == 0) continue;
    const std::string bit = w.word_temp(), more = w.word_temp();
    w.step("selp.b32 {}, {}, 0, {};", bit, static_cast<int32_t>(1U << i << at),
           w.predicate({.kind = kind, .index = i}));
    w.step("or.b32 {}, {}, {};", more, value, bit);
    value = more;
  }
  w.set(w.operand(0), value);
}

void translate_unpack_predicates(Writer& w, uint32_t) {
  if (w.operand(2).kind != OperandKind::kImmediate) return w.refuse("a mask by register");
  const std::string bits = w.integer(w.operand(1));
  const int at = byte_of(w.operand(1));
  std::vector<std::pair<uint8_t, std::string>> set;
  for (uint8_t i = 0; i < kTruePredicate; ++i) {
    if ((w.operand(2).immediate >> i & 1) == 0) continue;
    const std::string bit = w.word_temp();
    w.step("and.b32 {}, {}, {};", bit, bits, static_cast<int32_t>(1U << (i + at)));
    set.emplace_back(i, bit);
  }
  for (const auto& [index, bit] : set) w.result("setp.ne.u32 %p{}, {}, 0;", index, bit);
}

void translate_to_uniform(Writer& w, uint32_t) {
  if (is_predicate(w.operand(0))) return w.refuse("with a predicate");
  if (w.is_guarded()) return w.refuse("with a guard");
  const std::string value = w.integer(w.operand(1));
  w.result_as(fmt::format("mov.b32 {}, {};", w.to(w.operand(0)), value), {.of_first_lane = true});
}

void translate_uniform_constant(Writer& w, uint32_t) {
  Operand from = w.operand(1);
  if (from.kind == OperandKind::kAddress) return w.refuse("an address");
  if (w.has(M::k128)) return w.refuse("of 128 bits");
  const bool is_byte = w.has(M::kU8) || w.has(M::kS8);
  if (is_byte || w.has(M::kU16) || w.has(M::kS16)) {
    const int bits = is_byte ? 8 : 16, at = 8 * static_cast<int>(from.offset & 3);
    if (at + bits > 32) return w.refuse("across words");
    from.offset &= ~3;
    const std::string moved = w.word_temp();
    w.step("shl.b32 {}, {}, {};", moved, w.word(from), 32 - bits - at);
    return w.result("shr.{} {}, {}, {};", w.has(M::kS8) || w.has(M::kS16) ? "s32" : "u32",
                    w.to(w.operand(0)), moved, 32 - bits);
  }
  if (w.has(M::k64)) return w.set_pair(w.operand(0), w.pair(from));
  w.set(w.operand(0), w.word(from));
}

}  // namespace warpledger::exec::translate
