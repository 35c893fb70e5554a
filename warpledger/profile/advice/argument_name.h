// What a user calls the parameters of a kernel: as its source declares them where that can be read,
// else as the PTX names them, else "3rd argument (float *)".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpledger/ptx/forward.h"

namespace warpledger::profile {

/// One for each parameter.
[[nodiscard]] std::vector<std::string> argument_names(const ptx::Module& module,
                                                      const ptx::Function& kernel);

/// The names in the parameter list of the last definition `__global__ ... name(...)` that begins at
/// `line` or before; empty when there is none or a parameter has no name.
[[nodiscard]] std::vector<std::string> declared_names(std::string_view source,
                                                      std::string_view name, uint32_t line);

}  // namespace warpledger::profile
