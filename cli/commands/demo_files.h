// The files that `warpledger demo` writes: those of examples/demo, compiled in.
#pragma once

#include <string_view>

namespace warpledger::cli {

/// "transpose.cu" and the others; a name that is none of them is a bug.
[[nodiscard]] std::string_view demo_file(std::string_view name);

}  // namespace warpledger::cli
