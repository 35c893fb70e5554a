#include "interpose/parameters.h"

#include "warpledger/ptx/module.h"

namespace warpledger::cuda {

std::optional<ParameterPlace> parameter_place(const Kernel& kernel, size_t index) {
  const std::vector<uint64_t> offsets = parameter_offsets(kernel);
  if (index >= offsets.size()) return {};
  const ptx::Variable& variable =
      kernel.module->code().variables[kernel.function->signature.params[index]];
  return ParameterPlace{offsets[index], variable.bytes()};
}

}  // namespace warpledger::cuda
