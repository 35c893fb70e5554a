// Integer arithmetic. Carries (add.cc and its kin) live in a register of the thread and are the
// engines' own business.
#include "warpledger/exec/numeric/integer.h"

#include "warpledger/exec/semantics/pure.h"

namespace warpledger::exec {
namespace {

using numeric::Integer;
using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

int64_t as_s32(uint64_t bits) { return static_cast<int32_t>(bits); }

uint64_t add(const Variant& v, const Inputs& in) {
  if (v.mode.sat) return numeric::add_sat_s32(as_s32(in[0]), as_s32(in[1]));
  return each_element(v.type[0], in, [](uint64_t a, uint64_t b, uint64_t) { return a + b; });
}

uint64_t subtract(const Variant& v, const Inputs& in) {
  if (v.mode.sat) return numeric::add_sat_s32(as_s32(in[0]), -as_s32(in[1]));
  return in[0] - in[1];
}

uint64_t multiply(const Variant& v, const Inputs& in) {
  const Integer type = v.type[0].integer();
  switch (v.get(Slot::kHalf)) {
    case Modifier::kHi:
      return numeric::mul_hi(type, in[0], in[1]);
    case Modifier::kWide:
      return numeric::mul_wide(type, in[0], in[1]);
    default:
      return in[0] * in[1];
  }
}

uint64_t multiply_add(const Variant& v, const Inputs& in) {
  const uint64_t product = multiply(v, in);
  return v.mode.sat ? numeric::add_sat_s32(as_s32(product), as_s32(in[2])) : product + in[2];
}

uint64_t multiply24(const Variant& v, const Inputs& in) {
  return numeric::mul24(v.type[0].is_signed, v.has(Modifier::kHi), in[0], in[1]);
}

uint64_t multiply_add24(const Variant& v, const Inputs& in) {
  const uint64_t product = multiply24(v, in);
  return v.mode.sat ? numeric::add_sat_s32(as_s32(product), as_s32(in[2])) : product + in[2];
}

uint64_t sum_of_difference(const Variant& v, const Inputs& in) {
  return numeric::sad(v.type[0].integer(), in[0], in[1], in[2]);
}

uint64_t divide(const Variant& v, const Inputs& in) {
  return numeric::divide(v.type[0].integer(), in[0], in[1]);
}

uint64_t remainder(const Variant& v, const Inputs& in) {
  return numeric::remainder(v.type[0].integer(), in[0], in[1]);
}

uint64_t absolute(const Variant& v, const Inputs& in) {
  const auto value = static_cast<int64_t>(numeric::extend(v.type[0].integer(), in[0]));
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

uint64_t negate(const Variant&, const Inputs& in) { return 0 - in[0]; }

template <uint64_t (*choose)(Integer, uint64_t, uint64_t)>
uint64_t extreme(const Variant& v, const Inputs& in) {
  const Integer type = v.type[0].integer();
  return each_element(v.type[0], in, [&](uint64_t a, uint64_t b, uint64_t) {
    const uint64_t result = choose(type, a, b);
    return v.mode.relu ? numeric::larger(type, result, 0) : result;
  });
}

uint64_t dot4(const Variant& v, const Inputs& in) {
  return numeric::dot4(v.type[0].is_signed, v.type[1].is_signed, static_cast<uint32_t>(in[0]),
                       static_cast<uint32_t>(in[1]), static_cast<uint32_t>(in[2]));
}

uint64_t dot2(const Variant& v, const Inputs& in) {
  return numeric::dot2(v.type[0].is_signed, v.type[1].is_signed, v.has(Modifier::kHi),
                       static_cast<uint32_t>(in[0]), static_cast<uint32_t>(in[1]),
                       static_cast<uint32_t>(in[2]));
}

}  // namespace

Pure find_integer(const ptx::Spelling& spelling) {
  static constexpr PureRow kRows[] = {
      {Op::kAdd, add},
      {Op::kSub, subtract},
      {Op::kMul, multiply},
      {Op::kMad, multiply_add},
      {Op::kMul24, multiply24},
      {Op::kMad24, multiply_add24},
      {Op::kSad, sum_of_difference},
      {Op::kDiv, divide},
      {Op::kRem, remainder},
      {Op::kAbs, absolute},
      {Op::kNeg, negate},
      {Op::kMin, extreme<numeric::smaller>},
      {Op::kMax, extreme<numeric::larger>},
      {Op::kDp4a, dot4},
      {Op::kDp2a, dot2},
  };
  if (type_info(spelling.type()).is_float || spelling.has(Modifier::kCc)) return nullptr;
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec
