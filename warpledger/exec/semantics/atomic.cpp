#include "warpledger/exec/semantics/atomic.h"

#include "warpledger/exec/numeric/integer.h"
#include "warpledger/exec/semantics/pure.h"

namespace warpledger::exec {
namespace {

using ptx::Modifier;

uint64_t floating(const TypeInfo& type, Modifier operation, uint64_t a, uint64_t b, bool flush) {
  switch (operation) {
    case Modifier::kMin:
      return numeric::min(type.format, a, b);
    case Modifier::kMax:
      return numeric::max(type.format, a, b);
    default:
      return numeric::add(type.format, a, b, {.ftz = flush && type.format == numeric::kF32});
  }
}

uint64_t integral(const TypeInfo& type, Modifier operation, uint64_t a, uint64_t b) {
  switch (operation) {
    case Modifier::kAnd:
      return a & b;
    case Modifier::kOr:
      return a | b;
    case Modifier::kXor:
      return a ^ b;
    case Modifier::kInc:
      return a >= b ? 0 : a + 1;
    case Modifier::kDec:
      return a == 0 || a > b ? b : a - 1;
    case Modifier::kMin:
      return numeric::smaller(type.integer(), a, b);
    case Modifier::kMax:
      return numeric::larger(type.integer(), a, b);
    default:
      return a + b;
  }
}

}  // namespace

uint64_t atomic_update(const Variant& variant, uint64_t old, uint64_t b, uint64_t c, bool flush) {
  const TypeInfo& type = variant.type[0];
  if (variant.has(Modifier::kCas)) return old == (b & type.mask()) ? c : old;
  const Modifier named = variant.get(ptx::Slot::kOperation);
  const Modifier operation = named == Modifier::kNone ? Modifier::kAdd : named;
  if (operation == Modifier::kExch) return b;
  const Inputs in{.value = {old, b & type.mask()}};
  return each_element(type, in, [&](uint64_t x, uint64_t y, uint64_t) {
    return type.is_float ? floating(type, operation, x, y, flush) : integral(type, operation, x, y);
  });
}

}  // namespace warpledger::exec
