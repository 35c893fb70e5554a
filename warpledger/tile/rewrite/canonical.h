// One text for programs that differ only in the names of tiles, indices and kernels.
#pragma once

#include <string>

#include "warpledger/tile/program.h"

namespace warpledger::tile {

[[nodiscard]] std::string canonical_text(const Program& program);

}  // namespace warpledger::tile
