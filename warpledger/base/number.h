// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpledger {

/// 1234567 -> "1,234,567", -1234 -> "-1,234".
[[nodiscard]] std::string group_thousands(int64_t n);

/// The same for a decimal text of any length: "-1234567.5" -> "-1,234,567.5".
[[nodiscard]] std::string group_thousands(std::string_view decimal);

/// As ncu prints it: a whole number without decimals, any other with two, grouped:
/// 8.192 -> "8.19", 62.5 -> "62.50", 100.0 -> "100".
[[nodiscard]] std::string ncu_number(double value);

}  // namespace warpledger
