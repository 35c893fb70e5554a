// Just enough of a warp to follow addresses: the straight-line integer code that ptxas makes of the
// tracer, run for 32 lanes at once. A register holds four bytes; a byte is a number, or a token
// that names a byte of the traced matrix. Any instruction that is not listed in the .cpp stops with
// its name: a map is either followed to the end or not given.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/sass/code.h"

namespace warpledger::derive {

/// 0..255: that number. 256 + n: byte n of the matrix.
using Byte = int32_t;
using Word = std::array<Byte, 4>;

/// Byte at address (within the dump) -> what was stored there.
using Dump = std::map<int64_t, Byte>;

/// Runs the function with the two pointers at the constant bank's parameter offset.
[[nodiscard]] Result<Dump> run_tracer(const sass::Function& function, int parameter_offset);

/// Where kernel parameters start in constant bank 0: 0x160 before sm_90, 0x210 on it, then 0x380.
[[nodiscard]] int parameter_offset(int arch);

}  // namespace warpledger::derive
