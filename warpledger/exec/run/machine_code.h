// Whose machine code runs here, for those who choose among several codes of a kernel.
#pragma once

#include <string>

namespace warpledger::exec {

/// Of sm_<architecture>: 86.
[[nodiscard]] bool runs_machine_code(int architecture);

/// All of them: "sm_75, sm_80 and sm_86".
[[nodiscard]] std::string machine_code_architectures();

}  // namespace warpledger::exec
