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

/// Two decimals at most, no trailing zeros, grouped: 8.192 -> "8.19", 100.0 -> "100".
/// This is how ncu prints a value that is not an integer.
[[nodiscard]] std::string ncu_number(double value);

}  // namespace warpledger
