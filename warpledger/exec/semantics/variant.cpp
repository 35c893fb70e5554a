#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {
namespace {

using ptx::Modifier;
using ptx::Type;

struct FloatType {
  Type type;
  numeric::Format format;
  int count;
};

constexpr FloatType kFloatTypes[] = {
    {Type::kF16, numeric::kF16, 1},     {Type::kF16x2, numeric::kF16, 2},
    {Type::kBf16, numeric::kBf16, 1},   {Type::kBf16x2, numeric::kBf16, 2},
    {Type::kTf32, numeric::kTf32, 1},   {Type::kF32, numeric::kF32, 1},
    {Type::kF32x2, numeric::kF32, 2},   {Type::kF64, numeric::kF64, 1},
    {Type::kE4m3, numeric::kE4m3, 1},   {Type::kE4m3x2, numeric::kE4m3, 2},
    {Type::kE4m3x4, numeric::kE4m3, 4}, {Type::kE5m2, numeric::kE5m2, 1},
    {Type::kE5m2x2, numeric::kE5m2, 2}, {Type::kE5m2x4, numeric::kE5m2, 4},
    {Type::kE2m1, numeric::kE2m1, 1},   {Type::kE2m1x2, numeric::kE2m1, 2},
    {Type::kE2m1x4, numeric::kE2m1, 4}, {Type::kE2m3, numeric::kE2m3, 1},
    {Type::kE2m3x2, numeric::kE2m3, 2}, {Type::kE2m3x4, numeric::kE2m3, 4},
    {Type::kE3m2, numeric::kE3m2, 1},   {Type::kE3m2x2, numeric::kE3m2, 2},
    {Type::kE3m2x4, numeric::kE3m2, 4},
};

}  // namespace

TypeInfo type_info(Type type) {
  TypeInfo info{.bits = ptx::bits(type), .element_bits = ptx::bits(type)};
  info.is_signed = ptx::kind(type) == ptx::TypeKind::kSigned;
  info.is_predicate = type == Type::kPred;
  if (type == Type::kU16x2 || type == Type::kS16x2) info.count = 2;
  for (const FloatType& row : kFloatTypes) {
    if (row.type != type) continue;
    info.is_float = true;
    info.format = row.format;
    info.count = row.count;
  }
  if (info.count > 1) info.element_bits = info.bits / info.count;
  return info;
}

numeric::Rounding rounding_of(Modifier modifier) {
  switch (modifier) {
    case Modifier::kRz:
    case Modifier::kRzi:
      return numeric::Rounding::kZero;
    case Modifier::kRm:
    case Modifier::kRmi:
      return numeric::Rounding::kDown;
    case Modifier::kRp:
    case Modifier::kRpi:
      return numeric::Rounding::kUp;
    case Modifier::kRna:
      return numeric::Rounding::kNearestAway;
    case Modifier::kRs:
      return numeric::Rounding::kStochastic;
    default:
      return numeric::Rounding::kNearestEven;
  }
}

Variant make_variant(const ptx::Spelling& spelling) {
  Variant variant{.spelling = &spelling};
  for (int i = 0; i < 3; ++i) variant.type[i] = type_info(spelling.type(i));
  variant.mode = {.rounding = rounding_of(spelling.get(ptx::Slot::kRounding)),
                  .ftz = spelling.has(Modifier::kFtz),
                  .sat = spelling.has(Modifier::kSat),
                  .relu = spelling.has(Modifier::kRelu)};
  if (spelling.has(Modifier::kRna)) variant.mode.rounding = numeric::Rounding::kNearestAway;
  return variant;
}

}  // namespace warpledger::exec
