// One printed value -> an Entry. Private to ncu/.
#pragma once

#include "warpledger/ncu/report.h"

namespace warpledger::ncu {

/// "8,192.50" "Kbyte" -> 8192500 byte, half a last digit 5 byte; words stay words.
[[nodiscard]] Entry entry_of(std::string section, std::string name, const std::string& unit,
                             const std::string& printed);

/// The number in "1,234.5e3"; nothing when it is more or less than a number.
[[nodiscard]] std::optional<double> number_of(const std::string& printed);

}  // namespace warpledger::ncu
