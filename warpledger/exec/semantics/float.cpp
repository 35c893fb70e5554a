// Floating-point arithmetic: add .. tanh, for scalars and packed values.
#include "warpledger/exec/numeric/approximate.h"
#include "warpledger/exec/semantics/pure.h"

namespace warpledger::exec {
namespace {

using numeric::Format;
using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

using Binary = uint64_t (*)(Format, uint64_t, uint64_t, numeric::Mode);

// add.f32.f16 and its like: an f16 or bf16 operand, widened exactly.
uint64_t widened(const Variant& v, uint64_t bits) {
  return v.type[1].is_float ? numeric::convert(numeric::kF32, v.type[1].format, bits) : bits;
}

template <Binary operation>
uint64_t binary(const Variant& v, const Inputs& in) {
  if (v.type[1].bits != 0) return operation(numeric::kF32, widened(v, in[0]), in[1], v.mode);
  return each_element(v.type[0], in, [&](uint64_t a, uint64_t b, uint64_t) {
    return operation(v.type[0].format, a, b, v.mode);
  });
}

// fma.oob: an out-of-bounds fill (NaN 0xffff) in a or b gives 0.
uint64_t fma_out_of_bounds(const Variant& v, uint64_t a, uint64_t b, uint64_t c) {
  constexpr uint64_t kFill = 0xffff;
  return a == kFill || b == kFill ? 0 : numeric::fma(v.type[0].format, a, b, c, v.mode);
}

uint64_t fused(const Variant& v, const Inputs& in) {
  if (v.type[1].bits != 0) {
    return numeric::fma(numeric::kF32, widened(v, in[0]), widened(v, in[1]), in[2], v.mode);
  }
  return each_element(v.type[0], in, [&](uint64_t a, uint64_t b, uint64_t c) {
    return v.has(Modifier::kOob) ? fma_out_of_bounds(v, a, b, c)
                                 : numeric::fma(v.type[0].format, a, b, c, v.mode);
  });
}

uint64_t absolute(const Variant& v, const Inputs& in) {
  return each_element(v.type[0], in, [&](uint64_t a, uint64_t, uint64_t) {
    return numeric::abs(v.type[0].format, a, v.mode.ftz);
  });
}

uint64_t negate(const Variant& v, const Inputs& in) {
  return each_element(v.type[0], in, [&](uint64_t a, uint64_t, uint64_t) {
    return numeric::neg(v.type[0].format, a, v.mode.ftz);
  });
}

using Extreme = uint64_t (*)(Format, uint64_t, uint64_t, numeric::Extreme);

template <Extreme operation>
uint64_t extreme(const Variant& v, const Inputs& in) {
  const numeric::Extreme mode{
      .ftz = v.mode.ftz, .nan = v.has(Modifier::kNaN), .xorsign_abs = v.has(Modifier::kXorsign)};
  const bool magnitudes = v.has(Modifier::kAbs) && !mode.xorsign_abs;
  const bool three = in.count == 3;
  const Format format = v.type[0].format;
  return each_element(v.type[0], in, [&](uint64_t a, uint64_t b, uint64_t c) {
    if (magnitudes)
      a = numeric::abs(format, a), b = numeric::abs(format, b), c = numeric::abs(format, c);
    const uint64_t first = operation(format, a, b, mode);
    return three ? operation(format, first, c, mode) : first;
  });
}

uint64_t reciprocal(const Variant& v, const Inputs& in) {
  if (!v.has(Modifier::kApprox)) return numeric::rcp(v.type[0].format, in[0], v.mode);
  if (v.type[0].bits == 64) return numeric::rcp_approx_f64(in[0]);
  return numeric::rcp_approx(static_cast<uint32_t>(in[0]), v.mode.ftz);
}

uint64_t square_root(const Variant& v, const Inputs& in) {
  if (!v.has(Modifier::kApprox)) return numeric::sqrt(v.type[0].format, in[0], v.mode);
  return numeric::sqrt_approx(static_cast<uint32_t>(in[0]), v.mode.ftz);
}

uint64_t reciprocal_root(const Variant& v, const Inputs& in) {
  if (v.type[0].bits == 32) return numeric::rsqrt_approx(static_cast<uint32_t>(in[0]), v.mode.ftz);
  return v.mode.ftz ? numeric::rsqrt_approx_ftz_f64(in[0]) : numeric::rsqrt_approx_f64(in[0]);
}

uint64_t quotient(const Variant& v, const Inputs& in) {
  const auto a = static_cast<uint32_t>(in[0]), b = static_cast<uint32_t>(in[1]);
  if (v.has(Modifier::kApprox)) return numeric::div_approx(a, b, v.mode.ftz);
  if (v.has(Modifier::kFull)) return numeric::div_full(a, b, v.mode.ftz);
  return numeric::div(v.type[0].format, in[0], in[1], v.mode);
}

template <uint32_t (*function)(uint32_t, bool)>
uint64_t approximate(const Variant& v, const Inputs& in) {
  return function(static_cast<uint32_t>(in[0]), v.mode.ftz);
}

uint64_t exponential(const Variant& v, const Inputs& in) {
  if (v.type[0].element_bits == 32) return approximate<numeric::ex2_approx>(v, in);
  return each_element(v.type[0], in, [&](uint64_t a, uint64_t, uint64_t) {
    return numeric::ex2_half(v.type[0].format, a, v.mode.ftz);
  });
}

uint64_t hyperbolic_tangent(const Variant& v, const Inputs& in) {
  if (v.type[0].element_bits == 32) return numeric::tanh_approx(static_cast<uint32_t>(in[0]));
  return each_element(v.type[0], in, [&](uint64_t a, uint64_t, uint64_t) {
    return numeric::tanh_half(v.type[0].format, a);
  });
}

uint64_t copy_sign(const Variant& v, const Inputs& in) {
  const uint64_t sign = v.type[0].format.sign_bit();
  return (in[0] & sign) | (in[1] & ~sign);
}

uint64_t test_property(const Variant& v, const Inputs& in) {
  const Format format = v.type[0].format;
  const numeric::Number number = numeric::unpack(format, in[0]);
  const bool subnormal = numeric::is_subnormal(format, in[0]);
  const bool finite =
      number.kind == numeric::Number::kFinite || number.kind == numeric::Number::kZero;
  switch (v.get(Slot::kOperation)) {
    case Modifier::kFinite:
      return finite ? 1 : 0;
    case Modifier::kInfinite:
      return number.kind == numeric::Number::kInfinite ? 1 : 0;
    case Modifier::kNumber:
      return number.kind != numeric::Number::kNan ? 1 : 0;
    case Modifier::kNotanumber:
      return number.kind == numeric::Number::kNan ? 1 : 0;
    case Modifier::kNormal:
      return number.kind == numeric::Number::kFinite && !subnormal ? 1 : 0;
    default:
      return subnormal ? 1 : 0;
  }
}

}  // namespace

Pure find_float(const ptx::Spelling& spelling) {
  static constexpr PureRow kRows[] = {
      {Op::kAdd, binary<numeric::add>},
      {Op::kSub, binary<numeric::sub>},
      {Op::kMul, binary<numeric::mul>},
      {Op::kMad, fused},
      {Op::kFma, fused},
      {Op::kDiv, quotient},
      {Op::kAbs, absolute},
      {Op::kNeg, negate},
      {Op::kMin, extreme<numeric::min>},
      {Op::kMax, extreme<numeric::max>},
      {Op::kRcp, reciprocal},
      {Op::kSqrt, square_root},
      {Op::kRsqrt, reciprocal_root},
      {Op::kSin, approximate<numeric::sin_approx>},
      {Op::kCos, approximate<numeric::cos_approx>},
      {Op::kLg2, approximate<numeric::lg2_approx>},
      {Op::kEx2, exponential},
      {Op::kTanh, hyperbolic_tangent},
      {Op::kTestp, test_property},
      {Op::kCopysign, copy_sign},
  };
  return type_info(spelling.type()).is_float ? find_in(kRows, spelling.op()) : nullptr;
}

}  // namespace warpledger::exec
