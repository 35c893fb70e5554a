// AVX-512 for mma.m16n8k16 of f16 in blocks of 8 (sm_80 to sm_89): vectors of 16 rows, a column at
// a time, so that a factor of B is a broadcast from memory and A is turned once. The exponents of
// f16 fit into bytes: their sums and the largest of them are found for 64 results at a time.
#pragma once

#include "warpledger/exec/numeric/tile_vectors.h"

namespace warpledger::numeric {

/// multiply_halves() of that form. Pre: has_tile_vectors(), core.block == 8.
[[nodiscard]] bool multiply_rows(const Fragments& fragments, const TensorCore& core);

}  // namespace warpledger::numeric
