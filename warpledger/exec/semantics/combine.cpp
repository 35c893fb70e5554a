#include "warpledger/exec/semantics/combine.h"

#include "warpledger/exec/numeric/integer.h"

namespace warpledger::exec {

using ptx::Modifier;

uint64_t combine(const TypeInfo& type, const Combination& how, uint64_t a, uint64_t b) {
  switch (how.operation) {
    case Modifier::kAnd:
      return a & b;
    case Modifier::kOr:
      return a | b;
    case Modifier::kXor:
      return a ^ b;
    case Modifier::kMin:
      return type.is_float ? numeric::min(type.format, a, b, {.nan = how.nan})
                           : numeric::smaller(type.integer(), a, b);
    case Modifier::kMax:
      return type.is_float ? numeric::max(type.format, a, b, {.nan = how.nan})
                           : numeric::larger(type.integer(), a, b);
    default:
      return type.is_float ? numeric::add(type.format, a, b, {.ftz = how.ftz}) : a + b;
  }
}

}  // namespace warpledger::exec
