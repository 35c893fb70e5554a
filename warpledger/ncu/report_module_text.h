// The text of report_module.py, compiled in. Private to ncu/.
#pragma once

#include <string_view>

namespace warpledger::ncu {

[[nodiscard]] std::string_view report_module_text();

}  // namespace warpledger::ncu
