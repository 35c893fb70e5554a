// A launch as machine code and as PTX, from the same memory: what differs afterwards.
#pragma once

#include <map>
#include <string>

#include "warpledger/exec/decode/image.h"
#include "warpledger/exec/decode/launch.h"

namespace warpledger::exec::machine {

struct Compared {
  std::string outcome;  // "equal", "differs ...", "refused ...", "stopped ..."
  std::map<std::string, uint64_t> spellings = {};  // that an equal one executed
};

/// Whether ptxas and nvdisasm are there.
[[nodiscard]] bool can_compare();

/// The launch as PTX and as the code of `cubin`, which was made of the same kernel.
[[nodiscard]] Compared compare_cubin(Image& image, const exec::Launch& launch,
                                     const std::string& cubin, const Limits& limits,
                                     uint32_t slots);

/// Appends the spellings to the file $WL_MACHINE_SPELLINGS.
void note_spellings(const std::string& arch, const Compared& compared);

/// $WL_MACHINE_ARCH, or sm_86.
[[nodiscard]] std::string compared_arch();

/// ptxas compiles the image's module for compared_arch(), contraction off. What became of
/// the launch, "equal" or what else, is appended to the file $WL_MACHINE_OUTCOMES, and
/// the spellings that an equal one executed to $WL_MACHINE_SPELLINGS (tools/machine-spellings).
/// What became of it compiled goes to $WL_MACHINE_COMPILED.
/// Empty unless memory differs, or compiled code differs from the interpreter, and the kernel is
/// not one whose difference is explained.
[[nodiscard]] std::string compare_with_ptx(Image& image, const exec::Launch& launch,
                                           const Limits& limits, uint32_t slots);

}  // namespace warpledger::exec::machine
