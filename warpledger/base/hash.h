// SHA-256: names for content.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpledger {

/// FIPS 180-4, as 64 hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace warpledger
