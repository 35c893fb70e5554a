// The operations that fold two values into one: of atom and red between memory and an operand, of
// redux.sync between lanes.
#pragma once

#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {

struct Combination {
  ptx::Modifier operation = ptx::Modifier::kAdd;  // .add .and .or .xor .min .max
  bool ftz = false;                               // of .add
  bool nan = false;                               // .NaN of .min and .max
};

/// a OP b for one element of the type. Integers are not masked.
[[nodiscard]] uint64_t combine(const TypeInfo& type, const Combination& how, uint64_t a,
                               uint64_t b);

}  // namespace warpledger::exec
