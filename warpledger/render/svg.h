// A Drawing as SVG text: words stay words, numbers have at most two decimals.
#pragma once

#include <string>

#include "warpledger/base/drawing.h"

namespace warpledger {

[[nodiscard]] std::string to_svg(const Drawing& drawing);

}  // namespace warpledger
