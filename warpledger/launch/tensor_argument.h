// A tensor map as people write it on a command line: "box=64x64,swizzle=128B" and a buffer's shape.
#pragma once

#include <string>
#include <vector>

#include "warpledger/exec/decode/tensor_map.h"

namespace warpledger::exec {

/// 64x32 -> {64, 32}; empty: not a shape, or one of more than 2^40 elements.
[[nodiscard]] std::vector<uint64_t> parse_shape(const std::string& text);

/// box=64x64, swizzle=none|32B|64B|128B, fill=zero|nan; sets the map's rank, box, swizzle and fill.
[[nodiscard]] Status parse_tensor_map(const std::string& options, TensorMap& map);

/// Post: the map describes a whole buffer of that shape, outermost dimension first.
[[nodiscard]] Status describe_buffer(const std::string& type, const std::vector<uint64_t>& shape,
                                     TensorMap& map);

}  // namespace warpledger::exec
