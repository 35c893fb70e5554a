// Registers, barriers and stack of a kernel, as ptxas compiles it for a GPU.
#pragma once

#include <string>
#include <string_view>

#include "warpledger/base/result.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/ptx/forward.h"

namespace warpledger::profile {

/// What is assumed where there is no ptxas.
inline constexpr int64_t kAssumedRegisters = 32;

/// What the cubin says of the kernel: registers, stack frame, barriers.
[[nodiscard]] Result<Resources> read_resources(std::string_view cubin, std::string_view kernel);

/// ptxas alone, for where there is no disassembler.
[[nodiscard]] Result<Resources> compile_resources(const ptx::Module& module,
                                                  const ptx::Function& kernel,
                                                  const std::string& architecture);

}  // namespace warpledger::profile
