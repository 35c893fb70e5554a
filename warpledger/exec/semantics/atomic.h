// What atom and red leave in memory.
#pragma once

#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {

/// The new value of one element that holds `old`; b and c are the operands (cas compares with b and
/// writes c). `flush`: f32 additions in global memory flush subnormals (PTX ISA, atom).
[[nodiscard]] uint64_t atomic_update(const Variant& variant, uint64_t old, uint64_t b, uint64_t c,
                                     bool flush);

}  // namespace warpledger::exec
