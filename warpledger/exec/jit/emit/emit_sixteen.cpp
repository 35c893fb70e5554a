#include "warpledger/exec/jit/emit/emit_sixteen.h"

#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

V to_half(Emitter& e, V bits32) {
  llvm::Type* type = bits32->getType();
  const auto number = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  V sign = e.CreateAnd(e.CreateLShr(bits32, number(16)), number(0x8000));
  V magnitude = e.CreateAnd(bits32, number(0x7fffffff));
  // Below 2^-14 the sum with 0.5 rounds where a subnormal half does.
  llvm::Type* floats = e.like(bits32, e.getFloatTy());
  V sum = e.CreateFAdd(e.CreateBitCast(magnitude, floats), llvm::ConstantFP::get(floats, 0.5));
  V small = e.CreateSub(e.CreateBitCast(sum, type), number(0x3f000000));
  V odd = e.CreateAnd(e.CreateLShr(magnitude, number(13)), number(1));
  V rounded = e.CreateAdd(e.CreateSub(magnitude, number(0x38000000 - 0xfff)), odd);
  V half = e.CreateSelect(e.CreateICmpULT(magnitude, number(0x38800000)), small,
                          e.CreateLShr(rounded, number(13)));
  half = e.CreateSelect(e.CreateICmpUGE(magnitude, number(0x477ff000)), number(0x7c00), half);
  return e.CreateSelect(e.CreateICmpUGT(magnitude, number(0x7f800000)), number(0x7fff),
                        e.CreateOr(half, sign));
}

V to_bfloat(Emitter& e, V bits32) {
  llvm::Type* type = bits32->getType();
  const auto number = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  V odd = e.CreateAnd(e.CreateLShr(bits32, number(16)), number(1));
  V rounded = e.CreateLShr(e.CreateAdd(e.CreateAdd(bits32, number(0x7fff)), odd), number(16));
  V magnitude = e.CreateAnd(bits32, number(0x7fffffff));
  return e.CreateSelect(e.CreateICmpUGT(magnitude, number(0x7f800000)), number(0x7fff), rounded);
}

}  // namespace

V from_sixteen(Emitter& e, V bits, const numeric::Format& format) {
  llvm::Type *ints = bits->getType(), *floats = e.like(bits, e.getFloatTy());
  const auto number = [&](uint32_t value) { return llvm::ConstantInt::get(ints, value); };
  if (format == numeric::kBf16) return tidy_nan(e, e.CreateShl(bits, number(16)));
  V magnitude = e.CreateAnd(bits, number(0x7fff));
  // Subnormals too: the shifted bits are an f32 that is 2^112 times too small.
  V shifted = e.CreateBitCast(e.CreateShl(magnitude, number(13)), floats);
  V value = e.CreateBitCast(e.CreateFMul(shifted, llvm::ConstantFP::get(floats, 0x1p112)), ints);
  V infinite = e.CreateICmpEQ(magnitude, number(0x7c00));
  value = e.CreateSelect(infinite, number(0x7f800000), value);
  value = e.CreateOr(value, e.CreateShl(e.CreateAnd(bits, number(0x8000)), number(16)));
  return e.CreateSelect(e.CreateICmpUGT(magnitude, number(0x7c00)), number(0x7fffffff), value);
}

V to_sixteen(Emitter& e, V bits32, const numeric::Format& format) {
  return format == numeric::kF16 ? to_half(e, bits32) : to_bfloat(e, bits32);
}

}  // namespace warpledger::exec::jit
