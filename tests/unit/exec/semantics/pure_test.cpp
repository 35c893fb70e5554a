// Every spelling of the pure instructions against an independent oracle: 10,000 random inputs each,
// unary ones of 16 bits on all 65,536.
#include <gtest/gtest.h>

#include "tests/support/law.h"
#include "tests/unit/exec/numeric/convert_oracle.h"
#include "tests/unit/exec/semantics/spellings.h"

namespace warpledger::exec {
namespace {

using oracle::Format;
using ptx::Modifier;
using ptx::Slot;

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define WL_SAMPLE_ONLY  // ten times slower
#endif
#endif
#ifdef WL_SAMPLE_ONLY
constexpr int kRounds = 300;
#else
constexpr int kRounds = 10'000;
#endif

// Half of the inputs are uniform, the others are what goes wrong: ends of ranges, small numbers,
// neighbors of another operand, special floating-point values.
uint64_t any_input(testing::Rng& rng, const TypeInfo& type, uint64_t near) {
  const uint64_t ends[] = {0, 1, ~uint64_t{0}, uint64_t{1} << (type.bits - 1),
                           (uint64_t{1} << (type.bits - 1)) - 1};
  const uint64_t sign = type.format.sign_bit(), infinite = type.format.exponent_mask();
  const uint64_t floats[] = {0,
                             sign,
                             infinite,
                             infinite | sign,
                             1,
                             sign | 1,
                             infinite - 1,
                             type.format.fraction_mask(),
                             infinite | 1,
                             type.format.fraction_mask() + 1};
  switch (rng.between(0, 7)) {
    case 0:
      return type.is_float ? floats[rng.between(0, 9)] * (type.count == 2 ? 0x10001 : 1)
                           : ends[rng.between(0, 4)];
    case 1:
      return static_cast<uint64_t>(rng.between(0, 70));
    case 2:
      return near + static_cast<uint64_t>(rng.between(-2, 2));
    case 3:
      return near ^ (type.is_float ? sign : 0);
    default:
      return rng.bits() >> (type.is_float ? 0 : rng.between(0, 63));
  }
}

/// The types of a spelling's operands after the destination.
std::vector<TypeInfo> operand_types(const ptx::Spelling& s) {
  std::vector<TypeInfo> types;
  for (size_t i = 1; i < s.most_operands; ++i) {
    const ptx::OperandShape& shape = s.operand(i, s.most_operands);
    ptx::Type type = ptx::operand_type(s, shape);
    if (shape.operand == ptx::OperandClass::kPredicate) type = ptx::Type::kPred;
    if (shape.operand == ptx::OperandClass::kConstant) type = ptx::Type::kB8;
    types.push_back(type_info(type == ptx::Type::kNone ? ptx::Type::kB32 : type));
  }
  return types;
}

Inputs any_inputs(testing::Rng& rng, const ptx::Spelling& s, const std::vector<TypeInfo>& types) {
  Inputs in;
  for (const TypeInfo& type : types) {
    uint64_t value = any_input(rng, type, in[0]) & type.mask();
    if (type.is_predicate) value = rng.coin() ? 1 : 0;
    if (s.op() == Op::kFns && in.count == 1) value &= 31;
    in.value[in.count++] = value;
  }
  if (s.has(Modifier::kXorsign)) in.count = 2;  // three operands: without .xorsign
  return in;
}

std::optional<uint64_t> each_float(const ptx::Spelling& s, const TypeInfo& t, const Inputs& in) {
  uint64_t all = 0;
  for (int i = 0; i < t.count; ++i) {
    const auto part = [&](int k) {
      return in[k] >> (i * t.element_bits) & oracle::mask(t.element_bits);
    };
    auto r = oracle::exact_scalar(s, t.format, part(0), part(1));
    if (!r) r = oracle::rounded_scalar(s, t.format, part(0), part(1), part(2));
    if (!r) return {};
    const bool chooses = s.op() == Op::kMin || s.op() == Op::kMax;
    if (chooses && in.count == 3) r = oracle::extreme(s, t.format, *r, part(2));
    all |= *r << (i * t.element_bits);
  }
  return all;
}

std::optional<uint64_t> expected(const ptx::Spelling& s, const Inputs& in) {
  if (s.opcode().family == ptx::Family::kVideo) return oracle::video(s, in);
  if (s.opcode().family == ptx::Family::kConversion) return oracle::conversion(s, in);
  if (const auto r = oracle::comparison(s, in)) return r;
  const TypeInfo type = type_info(s.type());
  if (type.is_float && s.op() != Op::kSelp) return each_float(s, type, in);
  return oracle::Integer(s, in)();
}

// NaNs of f64 carry payloads, those of abs and neg are open.
bool agree(const ptx::Spelling& s, const TypeInfo& to, uint64_t got, uint64_t want) {
  if (got == want) return true;
  if (!to.is_float || s.op() == Op::kSelp || s.op() == Op::kSlct) return false;
  for (int i = 0; i < to.count; ++i) {
    const uint64_t a = got >> (i * to.element_bits) & oracle::mask(to.element_bits);
    const uint64_t b = want >> (i * to.element_bits) & oracle::mask(to.element_bits);
    const bool open = to.bits == 64 || s.op() == Op::kAbs || s.op() == Op::kNeg;
    const bool nans =
        open && oracle::is_nan_bits(to.format, a) && oracle::is_nan_bits(to.format, b);
    const bool zeros = s.has(Modifier::kRelu) && (a | b) << 1 == uint64_t{2}
                                                                     << (to.element_bits - 1);
    if (a != b && !nans && !zeros) return false;
  }
  return true;
}

// With approximate results: PTX's bound on the error, as a share of the result or absolute.
struct Bound {
  int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t);
  double relative, absolute;
};
int reciprocal(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { return mpfr_ui_div(r, 1, x, m); }
std::optional<Bound> bound_of(const ptx::Spelling& s) {
  const int bits = type_info(s.type()).element_bits;
  const bool brain = type_info(s.type()).format == numeric::kBf16;
  const bool approximate = s.has(Modifier::kApprox);
  switch (s.op()) {
    case Op::kRcp:
      if (approximate) return Bound{reciprocal, bits == 64 ? std::exp2(-20) : std::exp2(-23), 0};
      break;
    case Op::kSqrt:
      if (approximate) return Bound{mpfr_sqrt, std::exp2(-23), 0};
      break;
    case Op::kRsqrt:
      return Bound{mpfr_rec_sqrt, bits == 64 ? std::exp2(-20) : std::exp2(-22.4), 0};
    case Op::kSin:
      return Bound{mpfr_sin, 0, std::exp2(-20.5)};
    case Op::kCos:
      return Bound{mpfr_cos, 0, std::exp2(-20.5)};
    case Op::kLg2:
      return Bound{mpfr_log2, std::exp2(-22), std::exp2(-22)};
    case Op::kEx2:
      return Bound{mpfr_exp2,
                   bits == 32 ? std::exp2(-22)
                   : brain    ? std::exp2(-7)
                              : std::exp2(-9.9),
                   0};
    case Op::kTanh:
      return Bound{mpfr_tanh, std::exp2(bits == 32 ? -11 : brain ? -8 : -10.987), 0};
    default:
      break;
  }
  return {};
}

void check_approximate(const ptx::Spelling& s, const Bound& bound, Format f, uint64_t a,
                       uint64_t got) {
  const bool ftz = s.has(Modifier::kFtz);
  if (s.type() == ptx::Type::kF64 && oracle::is_nan_bits(f, a)) return;  // perhaps in the low half
  if (ftz) a = oracle::flushed(f, a);
  if (s.type() == ptx::Type::kF64) a &= ~uint64_t{0xffffffff};
  mpfr_t x, y;
  mpfr_inits2(120, x, y, nullptr);
  numeric::set_bits(x, f, a);
  bound.function(y, x, MPFR_RNDN);
  const double truth = mpfr_get_d(y, MPFR_RNDN);
  mpfr_clears(x, y, nullptr);
  const bool periodic = s.op() == Op::kSin || s.op() == Op::kCos;
  if (periodic && std::abs(oracle::real(f, a)) > 3.14) return;
  const double result = oracle::real(f, got);
  if (std::isnan(truth)) {
    EXPECT_TRUE(std::isnan(result)) << s.text << " of " << std::hex << a;
    return;
  }
  const double smallest = std::ldexp(1, 1 - f.bias() - (ftz ? 0 : f.fraction_bits));
  const double largest = oracle::real(f, numeric::largest_finite(f));
  if (std::abs(truth) >= largest) return;  // rounds to the largest or to infinity
  EXPECT_LE(std::abs(result - truth),
            std::max({std::abs(truth) * bound.relative, bound.absolute, smallest}))
      << s.text << " of " << std::hex << a << " gave " << got;
}

int result_bits(const ptx::Spelling& s) {
  const ptx::OperandShape& shape = s.form->operands[0];
  if (shape.may_pair) return 33;
  if (shape.operand == ptx::OperandClass::kPredicate) return 1;
  const ptx::Type type = ptx::operand_type(s, shape);
  return type == ptx::Type::kNone ? 32 : ptx::bits(type);
}

void check(const ptx::Spelling& s, const Variant& v, Pure pure, const Inputs& in) {
  const int bits = result_bits(s);
  const uint64_t got = pure(v, in) & oracle::mask(bits);
  const auto want = expected(s, in);
  if (!want) return;
  EXPECT_TRUE(agree(s, v.type[0], got, *want & oracle::mask(bits)))
      << s.text << std::hex << " " << in[0] << " " << in[1] << " " << in[2] << " " << in[3]
      << " gave " << got << ", expected " << (*want & oracle::mask(bits));
}

// div.approx and div.full: 2 units of the last place, for |b| within 2^-126 .. 2^126.
void check_quotient(const ptx::Spelling& s, const Inputs& in, uint64_t got) {
  const double a = oracle::real(numeric::kF32, in[0]), b = oracle::real(numeric::kF32, in[1]);
  const double truth = a / b, size = std::abs(truth);
  const bool usual = std::abs(b) >= std::ldexp(1, -126) && std::abs(b) <= std::ldexp(1, 126) &&
                     size >= std::ldexp(1, -125) && size < std::ldexp(1, 127) &&
                     std::abs(a) >= std::ldexp(1, -126);
  if (!usual) return;
  EXPECT_LE(std::abs(oracle::real(numeric::kF32, got) - truth), size * std::ldexp(1, -22))
      << s.text;
}

void check_spelling(testing::Rng& rng, const std::string& text, int rounds,
                    bool all_halves = true) {
  ptx::SpellingFault fault;
  const auto s = ptx::decode_spelling(text, fault);
  ASSERT_TRUE(s) << text;
  if (s->has(Modifier::kCc) || !oracle::is_meaningful(*s)) return;  // carries: program_test.cpp
  const bool signs = s->has(Modifier::kXorsign) && !s->has(Modifier::kAbs);
  if (signs) return;  // the two stand together
  const Pure pure = find_pure(*s);
  ASSERT_NE(pure, nullptr) << text;
  const Variant v = make_variant(*s);
  const auto bound = bound_of(*s);
  const std::vector<TypeInfo> types = operand_types(*s);
  const bool divides =
      s->op() == Op::kDiv && (s->has(Modifier::kApprox) || s->has(Modifier::kFull));
  const bool unary16 = all_halves && s->most_operands == 2 &&
                       ptx::bits(ptx::operand_type(*s, s->operand(1, 2))) == 16;
  for (int i = 0; i < (unary16 ? 0x10000 : rounds) && !::testing::Test::HasFailure(); ++i) {
    Inputs in = any_inputs(rng, *s, types);
    if (unary16) in.value[0] = static_cast<uint64_t>(i);
    if (bound) {
      const TypeInfo t = v.type[0];
      const uint64_t got = pure(v, in);
      for (int k = 0; k < t.count; ++k) {
        const int at = k * t.element_bits;
        check_approximate(*s, *bound, t.format, in[0] >> at & oracle::mask(t.element_bits),
                          got >> at & oracle::mask(t.element_bits));
      }
    } else if (divides) {
      check_quotient(*s, in, pure(v, in));
    } else {
      check(*s, v, pure, in);
    }
  }
}

void check_family(ptx::Family family) {
  testing::Rng rng(testing::kLawSeed, 100);
  int count = 0;
  for (const std::string& text : spellings(kPureOps)) {
    ptx::SpellingFault fault;
    if (ptx::decode_spelling(text, fault)->opcode().family != family) continue;
    check_spelling(rng, text, kRounds);
    ++count;
    ASSERT_FALSE(::testing::Test::HasFailure()) << text;
  }
  EXPECT_GT(count, 80);
}

TEST(Pure, ArithmeticEqualsTheOracle) { check_family(ptx::Family::kArithmetic); }
TEST(Pure, LogicEqualsTheOracle) { check_family(ptx::Family::kLogic); }
TEST(Pure, ConversionsEqualTheOracle) { check_family(ptx::Family::kConversion); }
TEST(Pure, VideoEqualsTheOracle) { check_family(ptx::Family::kVideo); }

// Conversions depend on both types at once: every pair, with every rounding that it has.
TEST(Pure, EveryPairOfTypesConverts) {
  testing::Rng rng(testing::kLawSeed, 100);
  const std::string integers[] = {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"};
  const std::string floats[] = {"bf16", "f16", "f32", "f64"};
  const auto run = [&](const std::string& text, bool all_halves = false) {
    check_spelling(rng, text, kRounds / 10, all_halves);
  };
  for (const std::string& to : integers) {
    for (const std::string& from : integers) {
      run("cvt." + to + "." + from);
      run("cvt.sat." + to + "." + from);
    }
    for (const std::string& with : floats) {
      for (const char* rounding : {"rn", "rz", "rm", "rp"}) {
        run("cvt." + std::string(rounding) + "." + with + "." + to);
        run("cvt." + std::string(rounding) + "i." + to + "." + with, rounding == std::string("rz"));
      }
    }
  }
  for (const std::string& to : floats) {
    for (const std::string& from : floats) {
      for (const char* rounding :
           {"", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi"}) {
        for (const char* more : {"", ".ftz", ".sat", ".ftz.sat"})
          run("cvt" + std::string(rounding) + more + "." + to + "." + from,
              *more == 0 && (*rounding == 0 || rounding[2] == 'n'));
      }
    }
  }
}

// The arithmetic of each format in each rounding, with what may follow it.
TEST(Pure, EveryRoundingAndFlushing) {
  testing::Rng rng(testing::kLawSeed, 100);
  for (const char* op : {"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"}) {
    for (const char* rounding : {".rn", ".rz", ".rm", ".rp"}) {
      for (const char* more : {"", ".ftz", ".sat", ".ftz.sat"}) {
        const bool divides =
            op == std::string("div") || op == std::string("rcp") || op == std::string("sqrt");
        if (divides && std::string(more).find("sat") != std::string::npos) continue;
        check_spelling(rng, std::string(op) + rounding + more + ".f32", kRounds / 4);
      }
      check_spelling(rng, std::string(op) + rounding + ".f64", kRounds / 4);
    }
  }
}

}  // namespace
}  // namespace warpledger::exec
