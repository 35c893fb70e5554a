// One parameter of a kernel as the program sees it in the packed ones.
#pragma once

#include <optional>

#include "interpose/module.h"

namespace warpledger::cuda {

struct ParameterPlace {
  uint64_t offset = 0, bytes = 0;
};

/// Nothing where the kernel has no such parameter. Pre: its module is loaded.
[[nodiscard]] std::optional<ParameterPlace> parameter_place(const Kernel& kernel, size_t index);

}  // namespace warpledger::cuda
