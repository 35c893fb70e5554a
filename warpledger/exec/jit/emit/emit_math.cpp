// LLVM. The approximate functions of f32: numeric/approximate.cpp operation by operation, in
// doubles, for 32 lanes; one function of the module for each that a kernel uses.
#include <llvm/IR/Intrinsics.h>

#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"
#include "warpledger/exec/numeric/series.h"

namespace warpledger::exec::jit {
namespace {

constexpr uint32_t kNan = 0x7fffffff, kInfinity = 0x7f800000, kSign = 0x80000000;

/// The body of one function.
class Math {
 public:
  Math(llvm::IRBuilder<>& b, V bits) : b_(b), bits_(bits) {
    doubles_ = llvm::FixedVectorType::get(b.getDoubleTy(), 32);
    longs_ = llvm::FixedVectorType::get(b.getInt64Ty(), 32);
    ints_ = bits->getType();
    floats_ = llvm::FixedVectorType::get(b.getFloatTy(), 32);
  }

  using Body = V (Math::*)();

  V run(Body body, bool ftz) {
    ftz_ = ftz;
    if (ftz) bits_ = flushed(bits_);
    x_ = b_.CreateFPExt(b_.CreateBitCast(bits_, floats_), doubles_);
    magnitude_ = b_.CreateAnd(bits_, number(~kSign));
    return (this->*body)();
  }

  V exponential() {
    V result = narrow(exp2_double(x_));
    result = b_.CreateSelect(b_.CreateFCmpOLT(x_, real(-numeric::kExp2Most)), number(0), result);
    result =
        b_.CreateSelect(b_.CreateFCmpOGT(x_, real(numeric::kExp2Most)), number(kInfinity), result);
    return b_.CreateSelect(is_nan(), number(kNan), result);
  }

  V logarithm() {
    V bits = b_.CreateBitCast(x_, longs_);
    const auto word = [&](uint64_t value) { return llvm::ConstantInt::get(longs_, value); };
    V exponent = b_.CreateSub(b_.CreateLShr(bits, word(52)), word(1022));
    V m = b_.CreateBitCast(
        b_.CreateOr(b_.CreateAnd(bits, word(0xfffffffffffff)), word(uint64_t{1022} << 52)),
        doubles_);
    V small = b_.CreateFCmpOLT(m, real(numeric::kRootHalf));
    m = b_.CreateSelect(small, b_.CreateFMul(m, real(2)), m);
    exponent = b_.CreateSub(exponent, b_.CreateZExt(small, longs_));
    V s = b_.CreateFDiv(b_.CreateFSub(m, real(1)), b_.CreateFAdd(m, real(1)));
    V sum = b_.CreateFMul(s, series(numeric::kAtanhTerms, b_.CreateFMul(s, s)));
    V whole = b_.CreateSIToFP(b_.CreateTrunc(exponent, ints_), doubles_);
    V result = narrow(b_.CreateFAdd(whole, b_.CreateFMul(real(2.0 / numeric::kLn2), sum)));
    result = b_.CreateSelect(is_infinite(), number(kInfinity), result);
    V negative = b_.CreateICmpNE(sign(), number(0));
    result = b_.CreateSelect(b_.CreateOr(is_nan(), negative), number(kNan), result);
    return b_.CreateSelect(is_zero(), number(kSign | kInfinity), result);
  }

  V reciprocal_root() {
    V root = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x_);
    V result = narrow(b_.CreateFDiv(real(1), root));
    result = b_.CreateSelect(is_infinite(), number(0), result);
    V negative = b_.CreateICmpNE(sign(), number(0));
    result = b_.CreateSelect(b_.CreateOr(is_nan(), negative), number(kNan), result);
    return b_.CreateSelect(is_zero(), b_.CreateOr(sign(), number(kInfinity)), result);
  }

  V tangent() {
    V magnitude = abs(x_);
    V e = exp2_double(b_.CreateFDiv(b_.CreateFMul(real(-2), magnitude), real(numeric::kLn2)));
    V square = b_.CreateFMul(x_, x_);
    V third = b_.CreateFDiv(square, real(3));
    V fifth = b_.CreateFDiv(b_.CreateFMul(b_.CreateFMul(real(2), square), square), real(15));
    V few = b_.CreateFMul(magnitude, b_.CreateFAdd(b_.CreateFSub(real(1), third), fifth));
    V many = b_.CreateFDiv(b_.CreateFSub(real(1), e), b_.CreateFAdd(real(1), e));
    V result = b_.CreateSelect(b_.CreateFCmpOLT(magnitude, real(numeric::kTanhFew)), few, many);
    result =
        b_.CreateSelect(b_.CreateFCmpOGT(magnitude, real(numeric::kTanhMost)), real(1), result);
    V bits = b_.CreateOr(narrow(result), sign());
    bits = b_.CreateSelect(is_nan(), number(kNan), bits);
    V tiny = b_.CreateICmpULT(magnitude_, number(0x00800000));
    return b_.CreateSelect(tiny, bits_, bits);
  }

  V sine() { return wave(0); }
  V cosine() { return wave(1); }

 private:
  V number(uint32_t value) { return llvm::ConstantInt::get(ints_, value); }
  V real(double value) { return llvm::ConstantFP::get(doubles_, value); }
  V is_nan() { return b_.CreateICmpUGT(magnitude_, number(kInfinity)); }
  V is_infinite() { return b_.CreateICmpEQ(magnitude_, number(kInfinity)); }
  V is_zero() { return b_.CreateICmpEQ(magnitude_, number(0)); }
  V sign() { return b_.CreateAnd(bits_, number(kSign)); }
  V floor(V x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x); }
  V abs(V x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  V flushed(V bits) {
    V tiny = b_.CreateICmpEQ(b_.CreateAnd(bits, number(kInfinity)), number(0));
    return b_.CreateSelect(tiny, b_.CreateAnd(bits, number(kSign)), bits);
  }
  V narrow(V x) {
    V bits = b_.CreateBitCast(b_.CreateFPTrunc(x, floats_), ints_);
    return ftz_ ? flushed(bits) : bits;
  }
  template <size_t N>
  V series(const std::array<double, N>& terms, V x) {
    V sum = real(terms[N - 1]);
    for (size_t k = N - 1; k-- > 0;) sum = b_.CreateFAdd(real(terms[k]), b_.CreateFMul(sum, x));
    return sum;
  }

  V exp2_double(V x) {
    V n = floor(b_.CreateFAdd(x, real(0.5)));
    V sum = series(numeric::kExpTerms, b_.CreateFMul(b_.CreateFSub(x, n), real(numeric::kLn2)));
    // sum is near 1 and n small wherever the result is used: its exponent moves by n.
    V shift = b_.CreateShl(b_.CreateFPToSI(n, longs_), llvm::ConstantInt::get(longs_, 52));
    return b_.CreateBitCast(b_.CreateAdd(b_.CreateBitCast(sum, longs_), shift), doubles_);
  }

  // sin(x + quarter pi / 2)
  V wave(int quarter) {
    V n = floor(b_.CreateFAdd(b_.CreateFMul(x_, real(2 / numeric::kPi)), real(0.5)));
    V r = b_.CreateFSub(b_.CreateFSub(x_, b_.CreateFMul(n, real(numeric::kHalfPiHigh))),
                        b_.CreateFMul(n, real(numeric::kHalfPiLow)));
    V turns = b_.CreateFMul(real(4), floor(b_.CreateFDiv(n, real(4))));
    V phase = b_.CreateAdd(b_.CreateFPToSI(b_.CreateFSub(n, turns), ints_),
                           number(static_cast<uint32_t>(quarter)));
    V y = b_.CreateSelect(b_.CreateFCmpOGT(abs(r), real(1)), real(0), r);
    V square = b_.CreateFMul(y, y);
    const auto bit = [&](uint32_t which) {
      return b_.CreateICmpNE(b_.CreateAnd(phase, number(which)), number(0));
    };
    V value = b_.CreateSelect(bit(1), series(numeric::kCosineTerms, square),
                              b_.CreateFMul(series(numeric::kSineTerms, square), y));
    V bits = narrow(b_.CreateSelect(bit(2), b_.CreateFNeg(value), value));
    if (quarter == 0) bits = b_.CreateSelect(is_zero(), bits_, bits);
    return b_.CreateSelect(b_.CreateOr(is_nan(), is_infinite()), number(kNan), bits);
  }

  llvm::IRBuilder<>& b_;
  V bits_, x_ = nullptr, magnitude_ = nullptr;
  llvm::Type *doubles_, *longs_, *ints_, *floats_;
  bool ftz_ = false;
};

llvm::Function* math_function(Emitter& e, const Step& step, Math::Body body) {
  const bool ftz = step.variant->mode.ftz;
  llvm::Function*& function = e.math[{step.spelling().op(), ftz}];
  if (function != nullptr) return function;
  llvm::Type* lanes = e.lanes_of(e.getInt32Ty());
  function = llvm::Function::Create(llvm::FunctionType::get(lanes, {lanes}, false),
                                    llvm::Function::InternalLinkage, "wl_jit_math", e.module);
  set_host_attributes(function);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::WillReturn);
  function->setDoesNotAccessMemory();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(e.module.getContext(), "entry", function));
  builder.CreateRet(Math(builder, function->getArg(0)).run(body, ftz));
  return function;
}

void emit_approximation(Emitter& e, const Step& step, Math::Body body) {
  V in = operands(e, step, 32, true)[0];
  const bool uniform = !in->getType()->isVectorTy();
  V out = e.CreateCall(math_function(e, step, body), {uniform ? e.splat(in) : in});
  write_result(e, step, uniform ? e.CreateExtractElement(out, uint64_t{0}) : out);
}

}  // namespace

void emit_ex2(Emitter& e, const Step& step) { emit_approximation(e, step, &Math::exponential); }
void emit_lg2(Emitter& e, const Step& step) { emit_approximation(e, step, &Math::logarithm); }
void emit_sin(Emitter& e, const Step& step) { emit_approximation(e, step, &Math::sine); }
void emit_cos(Emitter& e, const Step& step) { emit_approximation(e, step, &Math::cosine); }
void emit_tanh(Emitter& e, const Step& step) { emit_approximation(e, step, &Math::tangent); }
void emit_rsqrt(Emitter& e, const Step& step) {
  emit_approximation(e, step, &Math::reciprocal_root);
}

}  // namespace warpledger::exec::jit
