// Video instructions: scalar ones on selected bytes or halves, and two or four packed values.
// Names of the ISA's pseudocode: optSaturate is saturated, optMerge merged.
#include <algorithm>

#include "warpledger/exec/numeric/integer.h"
#include "warpledger/exec/semantics/pure.h"
#include "warpledger/ptx/operand.h"

namespace warpledger::exec {
namespace {

using numeric::int128;
using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

// What a scalar's selector names: .b2 is 8 bits at 16; without one all 32.
struct Part {
  int bits = 32, at = 0;
};
Part part_of(uint16_t selector) {
  if ((selector & ptx::kSelect) == 0) return {};
  const int bits = (selector & ptx::kSelectHalves) != 0 ? 16 : 8;
  return {bits, (selector & 7) * bits};
}

// A register's selected byte or half, or all of it, by the sign of its type.
int64_t selected(const TypeInfo& type, uint64_t value, uint16_t selector) {
  const Part part = part_of(selector);
  return static_cast<int64_t>(numeric::extend({part.bits, type.is_signed}, value >> part.at));
}

int64_t clamped(numeric::Integer type, int128 value) {
  const int64_t lowest = type.is_signed ? -(int64_t{1} << (type.bits - 1)) : 0;
  const int64_t highest = (int64_t{1} << (type.is_signed ? type.bits - 1 : type.bits)) - 1;
  return static_cast<int64_t>(std::clamp<int128>(value, lowest, highest));
}

// The selected part of the destination; the rest of it is c's.
uint64_t merged(uint16_t selector, uint64_t value, uint64_t c) {
  const Part part = part_of(selector);
  const uint64_t mask = numeric::mask_of(part.bits) << part.at;
  return ((value << part.at) & mask) | (c & ~mask & 0xffffffff);
}

bool holds(Modifier compare, int64_t a, int64_t b) {
  switch (compare) {
    case Modifier::kEq:
      return a == b;
    case Modifier::kNe:
      return a != b;
    case Modifier::kLt:
      return a < b;
    case Modifier::kLe:
      return a <= b;
    case Modifier::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

int128 shifted(const Variant& v, int128 a, int64_t b, bool left) {
  const int64_t n = v.has(Modifier::kClamp) ? std::min<int64_t>(b, 32) : b & 31;
  return left ? a * (int128{1} << n) : a >> n;
}

// The first operation, exact, of a scalar or of one packed element.
int128 combined(const Variant& v, int64_t a, int64_t b) {
  switch (v.spelling->op()) {
    case Op::kVadd:
    case Op::kVadd2:
    case Op::kVadd4:
      return a + b;
    case Op::kVsub:
    case Op::kVsub2:
    case Op::kVsub4:
      return a - b;
    case Op::kVabsdiff:
    case Op::kVabsdiff2:
    case Op::kVabsdiff4:
      return a < b ? b - a : a - b;
    case Op::kVmin:
    case Op::kVmin2:
    case Op::kVmin4:
      return std::min(a, b);
    case Op::kVmax:
    case Op::kVmax2:
    case Op::kVmax4:
      return std::max(a, b);
    case Op::kVavrg2:
    case Op::kVavrg4:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Op::kVshl:
      return shifted(v, a, b, true);
    case Op::kVshr:
      return shifted(v, a, b, false);
    default:
      return holds(v.get(Slot::kCompare), a, b) ? 1 : 0;  // vset, vset2, vset4
  }
}

uint64_t scalar(const Variant& v, const Inputs& in) {
  // vset names no destination type: its types are those of a and b.
  const bool compares = v.spelling->op() == Op::kVset;
  const TypeInfo to = compares ? type_info(ptx::Type::kU32) : v.type[0];
  const TypeInfo& type_a = v.type[compares ? 0 : 1];
  const TypeInfo& type_b = v.type[compares ? 1 : 2];
  int128 result =
      combined(v, selected(type_a, in[0], in.selector[0]), selected(type_b, in[1], in.selector[1]));
  if (v.mode.sat) result = clamped({part_of(in.written).bits, to.is_signed}, result);
  const auto bits = static_cast<uint64_t>(result) & 0xffffffff;
  switch (v.get(Slot::kOperation)) {
    case Modifier::kAdd:
      return bits + in[2];
    case Modifier::kMin:
      return numeric::smaller(to.integer(), bits, in[2]);
    case Modifier::kMax:
      return numeric::larger(to.integer(), bits, in[2]);
    default:
      return merged(in.written, bits, in[2]);
  }
}

// d = (+-(a * b) +- c {+ 1}) {>> 7, 15}. One sign decides how c is widened and what .sat clamps to.
uint64_t multiply_add(const Variant& v, const Inputs& in) {
  const int64_t a = selected(v.type[1], in[0], in.selector[0]);
  const int64_t b = selected(v.type[2], in[1], in.selector[1]);
  const bool subtracts_product = in.negated[0] != in.negated[1];
  const bool is_signed =
      v.type[1].is_signed || v.type[2].is_signed || subtracts_product || in.negated[2];
  const auto c = static_cast<int64_t>(numeric::extend({32, is_signed}, in[2]));
  const int128 product = int128{a} * b;
  int128 result = (subtracts_product ? -product : product) + (in.negated[2] ? -c : c);
  if (v.has(Modifier::kPo)) result += 1;
  if (v.has(Modifier::kShr7)) result >>= 7;
  if (v.has(Modifier::kShr15)) result >>= 15;
  return static_cast<uint64_t>(v.mode.sat ? clamped({32, is_signed}, result) : result);
}

// The elements that an operand's selector names, of those of a and then those of b.
template <int kCount>
int element_index(uint16_t selector, int i, int otherwise) {
  if ((selector & ptx::kSelect) == 0) return otherwise + i;
  return (selector >> (3 * i)) & (2 * kCount - 1);
}

// Which elements the destination's selector names: those its digits say, or all.
template <int kCount>
uint32_t written_elements(uint16_t selector) {
  if ((selector & ptx::kSelect) == 0) return (1u << kCount) - 1;
  uint32_t elements = 0;
  for (int digit = 0; digit <= (selector >> 12 & 3); ++digit)
    elements |= 1u << ((selector >> (3 * digit)) & (kCount - 1));
  return elements;
}

template <int kCount>
uint64_t packed(const Variant& v, const Inputs& in) {
  constexpr int kBits = 32 / kCount;
  const bool compares = v.spelling->op() == Op::kVset2 || v.spelling->op() == Op::kVset4;
  const bool is_signed = !compares && v.type[0].is_signed;
  const numeric::Integer a_type{kBits, v.type[compares ? 0 : 1].is_signed};
  const numeric::Integer b_type{kBits, v.type[compares ? 1 : 2].is_signed};
  const uint64_t both = (in[0] & 0xffffffff) | in[1] << 32;
  const auto element = [&](numeric::Integer type, int index) {
    return static_cast<int64_t>(numeric::extend(type, both >> (index * kBits)));
  };
  const uint32_t written = written_elements<kCount>(in.written);
  uint64_t together = in[2] & 0xffffffff, sum = in[2];
  for (int i = 0; i < kCount; ++i) {
    if ((written >> i & 1) == 0) continue;
    int128 result = combined(v, element(a_type, element_index<kCount>(in.selector[0], i, 0)),
                             element(b_type, element_index<kCount>(in.selector[1], i, kCount)));
    if (v.mode.sat) result = clamped({kBits, is_signed}, result);
    sum += static_cast<uint64_t>(result);
    const uint64_t mask = numeric::mask_of(kBits) << (i * kBits);
    together = (together & ~mask) | (static_cast<uint64_t>(result) << (i * kBits) & mask);
  }
  return v.has(Modifier::kAdd) ? sum : together;
}

}  // namespace

Pure find_video(const ptx::Spelling& spelling) {
  static constexpr PureRow kRows[] = {
      {Op::kVadd, scalar},         {Op::kVsub, scalar},         {Op::kVabsdiff, scalar},
      {Op::kVmin, scalar},         {Op::kVmax, scalar},         {Op::kVshl, scalar},
      {Op::kVshr, scalar},         {Op::kVset, scalar},         {Op::kVmad, multiply_add},
      {Op::kVadd2, packed<2>},     {Op::kVsub2, packed<2>},     {Op::kVavrg2, packed<2>},
      {Op::kVabsdiff2, packed<2>}, {Op::kVmin2, packed<2>},     {Op::kVmax2, packed<2>},
      {Op::kVset2, packed<2>},     {Op::kVadd4, packed<4>},     {Op::kVsub4, packed<4>},
      {Op::kVavrg4, packed<4>},    {Op::kVabsdiff4, packed<4>}, {Op::kVmin4, packed<4>},
      {Op::kVmax4, packed<4>},     {Op::kVset4, packed<4>},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec
