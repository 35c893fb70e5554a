#include "warpledger/exec/decode/tensor_copy.h"

#include <cstring>
#include <iterator>

#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {
namespace {

uint64_t nan_of(TensorElement element) {
  switch (element) {
    case TensorElement::kF16:
    case TensorElement::kBf16:
      return 0x7fff;
    case TensorElement::kF64:
      return 0x7fffffffffffffff;
    default:
      return 0x7fffffff;
  }
}

// f32 elements of a map of tf32 are rounded to nearest even (assumed: the rule is not published);
// with .ftz subnormals become zeros.
void convert(TensorElement element, std::byte* bytes, uint32_t size) {
  const bool tf32 = element == TensorElement::kTf32 || element == TensorElement::kTf32Ftz;
  const bool ftz = element == TensorElement::kF32Ftz || element == TensorElement::kTf32Ftz;
  for (uint32_t at = 0; (tf32 || ftz) && at + 4 <= size; at += 4) {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes + at, sizeof bits);
    if (ftz && (bits & 0x7f800000) == 0) bits &= 0x80000000;
    if (tf32)
      bits = static_cast<uint32_t>(numeric::convert(numeric::kTf32, numeric::kF32, bits)) << 13;
    std::memcpy(bytes + at, &bits, sizeof bits);
  }
}

}  // namespace

void read_piece(const TensorMap& map, const BoxPiece& piece, const std::byte* global,
                std::byte* to) {
  if (piece.inside) {
    std::memcpy(to, global, piece.bytes);
    convert(map.element, to, piece.bytes);
  } else if (map.fills_nan) {
    const uint32_t size = packing_of(map.element).shared_bytes;
    const uint64_t nan = nan_of(map.element);
    for (uint32_t at = 0; at < piece.bytes; at += size) std::memcpy(to + at, &nan, size);
  }
}

ptx::Type reduced_type(TensorElement element) {
  using ptx::Type;
  static constexpr Type kTypes[] = {Type::kU8,  Type::kU16, Type::kU32, Type::kS32, Type::kU64,
                                    Type::kS64, Type::kF16, Type::kF32, Type::kF64, Type::kBf16};
  return static_cast<size_t>(element) < std::size(kTypes) ? kTypes[static_cast<size_t>(element)]
                                                          : Type::kF32;
}

}  // namespace warpledger::exec
