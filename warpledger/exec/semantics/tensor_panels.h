// tcgen05.mma of 16-bit elements with f32 results, 16 rows at a time (numeric/panel.h).
#pragma once

#include "warpledger/exec/numeric/tensor_core.h"
#include "warpledger/exec/semantics/tensor_multiply.h"

namespace warpledger::exec {

/// False, and nothing written, where panels do not take the form or a value of it.
[[nodiscard]] bool multiply_panels(const TensorMultiply& work, const numeric::TensorCore& core);

}  // namespace warpledger::exec
