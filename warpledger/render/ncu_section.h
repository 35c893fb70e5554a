// A table in the text layout of an ncu section: title, dashes, three aligned columns.
#pragma once

#include <string>

#include "warpledger/base/table.h"

namespace warpledger {

/// Ends with the closing rule and a newline.
[[nodiscard]] std::string ncu_section_text(const Table& section);

}  // namespace warpledger
