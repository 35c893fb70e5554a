// Comma-separated values with quotes, as ncu and spreadsheets write them. Private to ncu/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpledger::ncu {

/// The cells of the line that begins at `at`, which moves behind it; a quoted cell may hold line
/// ends. Nothing at the end of the text.
[[nodiscard]] std::optional<std::vector<std::string>> next_row(std::string_view text, size_t& at);

}  // namespace warpledger::ncu
