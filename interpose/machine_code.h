// A fatbin's machine code, for modules that have no PTX to run by.
#pragma once

#include "interpose/fatbin.h"

namespace warpledger::cuda {

/// Of the machine codes in a fatbin the one that the target would take: of its generation, the
/// highest that is not above it and can run here (exec/run/machine_code.h). Empty when there is
/// none. A code that cannot be unpacked is passed over.
[[nodiscard]] std::string choose_machine_code(const std::vector<FatbinEntry>& entries, int target);

/// The module's code as text (sass/cubin/carrier.h). `file`: the program or library that holds it.
/// Fails on NVIDIA's closed libraries and without nvdisasm.
[[nodiscard]] Result<std::string> carry_machine_code(const std::string& file,
                                                     const std::string& cubin);

/// The file that the bytes at `address` were loaded from; `otherwise` where it is none.
[[nodiscard]] std::string file_of(const void* address, const std::string& otherwise);

}  // namespace warpledger::cuda
