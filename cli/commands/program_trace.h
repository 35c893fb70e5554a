// `profile --trace FILE.json ./app`: the program's work over time.
#pragma once

#include <string>

#include "cli/terminal/session.h"
#include "interpose/report.h"

namespace warpledger::cli {

/// With the thread blocks of the kernels that take longest: each is simulated once more for them.
[[nodiscard]] Status write_program_trace(Session& session, const std::string& file,
                                         const std::string& gpu, const cuda::ProgramReport& report);

}  // namespace warpledger::cli
