// LLVM. f16 and bf16 to f32 and back, in integers: the same on hosts with and without half
// precision. 16 bits stand in the low half of 32; `bits32` are those of an f32.
#pragma once

#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

/// Exactly; NaNs become canonical.
V from_sixteen(Emitter& e, V bits, const numeric::Format& format);
/// To nearest even; NaNs become canonical.
V to_sixteen(Emitter& e, V bits32, const numeric::Format& format);

}  // namespace warpledger::exec::jit
