// What nvlink does, for PTX: the texts of separately compiled files (-rdc=true) become one module.
//
// Names without linkage that two texts share are told apart; of weak ones the first definition
// counts; declarations go where a definition is found. Files of .loc are numbered anew; sections of
// debug information are left out.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::cuda {

/// Fails when a text is not PTX as far as this reader goes, or a name is defined twice.
/// One text is returned as it is.
[[nodiscard]] Result<std::string> link_ptx(const std::vector<std::string>& texts);

}  // namespace warpledger::cuda
