// The built-in architecture files; private to gpu/.
#pragma once

#include "warpledger/gpu/gpu.h"

namespace warpledger {

/// The architecture "sm_86" with what it extends.
[[nodiscard]] Result<Architecture> read_architecture(const std::string& id);

}  // namespace warpledger
