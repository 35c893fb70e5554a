// Tensor maps for the driver's door, which sees of exec/ what this library hands out.
#pragma once

#include "warpledger/exec/decode/tensor_map.h"

namespace warpledger::cuda {

/// Fails where the driver would.
[[nodiscard]] Result<exec::TensorMapBytes> encode_tensor_map(const exec::TensorMap& map);
/// The same map for a tensor elsewhere. Fails when the bytes are none of ours.
[[nodiscard]] Result<exec::TensorMapBytes> move_tensor_map(const exec::TensorMapBytes& bytes,
                                                           uint64_t address);

}  // namespace warpledger::cuda
