// Floating-point comparisons of FSETP, DSETP, HSETP2 and their kin.
#pragma once

#include "warpledger/exec/machine/modifier.h"
#include "warpledger/exec/numeric/arithmetic.h"

namespace warpledger::exec::machine {

/// The comparison among an instruction's modifiers: LT, GEU, NAN, ...
[[nodiscard]] Modifier comparison_of(const Modifiers& modifiers);

[[nodiscard]] bool holds(Modifier comparison, numeric::Order order);

/// What the modifiers say of rounding and ranges.
[[nodiscard]] numeric::Mode mode_of(const Modifiers& modifiers);

}  // namespace warpledger::exec::machine
