// The details page as ncu prints it for people. Private to ncu/.
#pragma once

#include "warpledger/ncu/report.h"

namespace warpledger::ncu {

/// Empty when no section is found.
[[nodiscard]] std::vector<Launch> read_text_page(std::string_view text);

}  // namespace warpledger::ncu
