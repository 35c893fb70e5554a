// Where this build comes from: `warpledger --version --verbose`.
#pragma once

#include <string>

#ifndef WL_VERSION
#define WL_VERSION "unknown"
#endif

namespace warpledger::cli {

/// Revision, compilers, and the JIT's library as it is found now; a line each.
[[nodiscard]] std::string provenance();

/// Of the sources, e.g. "523a0cc" or "523a0cc, changed"; "unknown" outside of git.
[[nodiscard]] const char* revision();

}  // namespace warpledger::cli
