// Bytes of files as tests write and compare them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpledger::testing {

/// Appends `width` bytes of the value, the lowest first.
inline void put(std::string& bytes, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i)
    bytes.push_back(i < 8 ? static_cast<char>(value >> (8 * i)) : '\0');
}

/// "0a1b": two digits a byte.
inline std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes)
    text += {kDigits[static_cast<uint8_t>(c) >> 4], kDigits[static_cast<uint8_t>(c) & 15]};
  return text;
}

}  // namespace warpledger::testing
