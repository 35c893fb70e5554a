// A launch as machine code and as PTX, from the same memory: what differs afterwards.
#pragma once

#include <string>

#include "warpledger/exec/decode/image.h"
#include "warpledger/exec/decode/launch.h"

namespace warpledger::exec::machine {

/// ptxas compiles the image's module for $WL_MACHINE_ARCH (sm_86), contraction off. What became of
/// the launch, "equal" or what else, is appended to the file $WL_MACHINE_OUTCOMES, and
/// the spellings that an equal one executed to $WL_MACHINE_SPELLINGS (tools/machine-spellings).
/// Empty unless memory differs and the kernel is not one whose difference is explained.
[[nodiscard]] std::string compare_with_ptx(Image& image, const exec::Launch& launch,
                                           const Limits& limits, uint32_t slots);

}  // namespace warpledger::exec::machine
