// How many machine instructions a launch executes: what the SASS map tells from a run of its PTX,
// and what the machine-code engine counts, both of one cubin.
#pragma once

#include <string>

#include "warpledger/exec/decode/image.h"
#include "warpledger/exec/decode/launch.h"

namespace warpledger::exec::machine {

/// Appends to the file $WL_MACHINE_COUNTS a line "kernel, architecture, map, engine, fidelity,
/// where", with tabs; "where" names the blocks of machine code that differ, "address map/engine".
/// With neither the variable nor the tools, nothing happens.
void compare_counts(Image& image, const exec::Launch& launch, const Limits& limits, uint32_t slots,
                    const std::string& arch);

}  // namespace warpledger::exec::machine
