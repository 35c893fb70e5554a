// Registers, barriers and stack of a kernel, as ptxas compiles it for a GPU.
#pragma once

#include <string>
#include <string_view>

#include "warpledger/base/result.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/ptx/forward.h"
#include "warpledger/sass/cubin/cubin.h"

namespace warpledger::profile {

/// What is assumed where there is no ptxas.
inline constexpr int64_t kAssumedRegisters = 32;

/// What the cubin says of the kernel: registers, stack frame, barriers.
[[nodiscard]] Result<Resources> read_resources(const sass::Cubin& cubin, std::string_view kernel);

/// The same of what ptxas makes of the module, which need not be listed for that.
[[nodiscard]] Result<Resources> compile_resources(const ptx::Module& module,
                                                  const ptx::Function& kernel,
                                                  const std::string& architecture);

}  // namespace warpledger::profile
