// Video instructions: scalar ones on selected bytes or halves, and two or four packed values.
// Destination selectors and selectors of packed operands are not run: find_video cannot see them,
// so the engines refuse them (video_selectors_run).
#include <algorithm>

#include "warpledger/exec/numeric/integer.h"
#include "warpledger/exec/semantics/pure.h"
#include "warpledger/ptx/operand.h"

namespace warpledger::exec {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

// A register's selected byte or half, or all of it, by the sign of its type.
int64_t selected(const TypeInfo& type, uint64_t value, uint16_t selector) {
  int bits = 32;
  if ((selector & ptx::kSelect) != 0) {
    bits = (selector & ptx::kSelectHalves) != 0 ? 16 : 8;
    value >>= (selector & 7) * bits;
  }
  return static_cast<int64_t>(numeric::extend({bits, type.is_signed}, value));
}

int64_t clamped(numeric::Integer type, int64_t value) {
  const int64_t lowest = type.is_signed ? -(int64_t{1} << (type.bits - 1)) : 0;
  const int64_t highest = (int64_t{1} << (type.is_signed ? type.bits - 1 : type.bits)) - 1;
  return std::clamp(value, lowest, highest);
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

int64_t shifted(const Variant& v, int64_t a, int64_t b, bool left) {
  const int64_t n = v.has(Modifier::kClamp) ? std::min<int64_t>(b, 32) : b & 31;
  return left ? static_cast<int64_t>(static_cast<uint64_t>(a) << n) : a >> n;
}

// The first operation, exact, of a scalar or of one packed element.
int64_t combined(const Variant& v, int64_t a, int64_t b) {
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
  int64_t result =
      combined(v, selected(type_a, in[0], in.selector[0]), selected(type_b, in[1], in.selector[1]));
  if (v.mode.sat) result = clamped(to.integer(), result);
  const auto bits = static_cast<uint64_t>(result) & 0xffffffff;
  switch (v.get(Slot::kOperation)) {
    case Modifier::kAdd:
      return bits + in[2];
    case Modifier::kMin:
      return numeric::smaller(to.integer(), bits, in[2]);
    case Modifier::kMax:
      return numeric::larger(to.integer(), bits, in[2]);
    default:
      return bits;
  }
}

uint64_t multiply_add(const Variant& v, const Inputs& in) {
  const int64_t a = selected(v.type[1], in[0], in.selector[0]);
  const int64_t b = selected(v.type[2], in[1], in.selector[1]);
  numeric::int128 result = numeric::int128{a} * b + selected(v.type[0], in[2], 0);
  if (v.has(Modifier::kPo)) result += 1;
  if (v.has(Modifier::kShr7)) result >>= 7;
  if (v.has(Modifier::kShr15)) result >>= 15;
  const auto wide = static_cast<int64_t>(result);
  return static_cast<uint64_t>(v.mode.sat ? clamped(v.type[0].integer(), wide) : wide);
}

template <int kCount>
uint64_t packed(const Variant& v, const Inputs& in) {
  constexpr int kBits = 32 / kCount;
  const bool compares = v.spelling->op() == Op::kVset2 || v.spelling->op() == Op::kVset4;
  const bool is_signed = !compares && v.type[0].is_signed;
  const numeric::Integer a_type{kBits, v.type[compares ? 0 : 1].is_signed};
  const numeric::Integer b_type{kBits, v.type[compares ? 1 : 2].is_signed};
  uint64_t merged = 0, sum = in[2];
  for (int i = 0; i < kCount; ++i) {
    const auto a = static_cast<int64_t>(numeric::extend(a_type, in[0] >> (i * kBits)));
    const auto b = static_cast<int64_t>(numeric::extend(b_type, in[1] >> (i * kBits)));
    int64_t result = combined(v, a, b);
    if (v.mode.sat) result = clamped({kBits, is_signed}, result);
    sum += static_cast<uint64_t>(result);
    merged |= (static_cast<uint64_t>(result) & numeric::mask_of(kBits)) << (i * kBits);
  }
  return v.has(Modifier::kAdd) ? sum : merged;
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
