// What a tensor copy makes of the bytes of a box (tensor_map.h).
#pragma once

#include "warpledger/exec/decode/tensor_map.h"
#include "warpledger/ptx/spelling.h"

namespace warpledger::exec {

/// What a load writes into shared memory for a piece whose bytes `global` has: converted as the map
/// says, and filled where the piece lies outside the tensor. Pre: `to` holds zeros.
void read_piece(const TensorMap& map, const BoxPiece& piece, const std::byte* global,
                std::byte* to);

/// The type that a reduction into such a tensor adds, compares or combines.
[[nodiscard]] ptx::Type reduced_type(TensorElement element);

}  // namespace warpledger::exec
