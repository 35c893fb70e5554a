// The kernels that studies profile, compiled in (tools/make-study-ptx).
#pragma once

#include <string_view>

#include "warpledger/sweep/profiled.h"

namespace warpledger::study {

/// kernels/study/*.ptx by name without ending: "gemm_ladder".
[[nodiscard]] std::string_view study_ptx(std::string_view name);

[[nodiscard]] inline KernelText study_kernel(std::string_view name) {
  return {std::string(name) + ".ptx", std::string(study_ptx(name))};
}

}  // namespace warpledger::study
