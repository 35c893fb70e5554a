// What atom and red leave in memory.
#pragma once

#include <cstddef>

#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {

/// The new value of one element that holds `old`; b and c are the operands (cas compares with b and
/// writes c). `flush`: f32 additions in global memory flush subnormals (PTX ISA, atom).
[[nodiscard]] uint64_t atomic_update(const Variant& variant, uint64_t old, uint64_t b, uint64_t c,
                                     bool flush);

/// The same of one operation, without cas and exch.
[[nodiscard]] uint64_t atomic_update(const TypeInfo& type, ptx::Modifier operation, uint64_t old,
                                     uint64_t b, bool flush);

/// Each element of `bytes` at `to` takes part in the operation with that at `from`: what reductions
/// of bulk and tensor copies do.
void reduce_bytes(const TypeInfo& type, ptx::Modifier operation, std::byte* to,
                  const std::byte* from, uint64_t bytes);

}  // namespace warpledger::exec
