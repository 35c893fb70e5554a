// SHA-256 (FIPS 180-4), for the hashes of a study's manifest: `sha256sum` must agree.
#pragma once

#include <string>
#include <string_view>

namespace warpledger::study {

/// 64 hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace warpledger::study
