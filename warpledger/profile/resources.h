// Registers, barriers and stack of a kernel, as ptxas compiles it for a GPU.
#pragma once

#include <string>
#include <string_view>

#include "warpledger/base/result.h"
#include "warpledger/profile/profile.h"
#include "warpledger/ptx/module.h"

namespace warpledger::profile {

/// What is assumed where there is no ptxas.
inline constexpr int64_t kAssumedRegisters = 32;

/// Assembles the module for `architecture` ("sm_86"). Without ptxas, or when it refuses the module,
/// the registers are assumed and `source` says why. Static shared memory is the PTX's.
[[nodiscard]] Resources find_resources(const ptx::Module& module, const ptx::Function& kernel,
                                       const std::string& architecture,
                                       int64_t static_shared_bytes);

/// What the attributes of a cubin (sections .nv.info) say of the kernel.
[[nodiscard]] Result<Resources> read_resources(std::string_view cubin, std::string_view kernel);

}  // namespace warpledger::profile
