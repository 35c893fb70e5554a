// What a device's printf writes: its format and arguments lie in the launch's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace warpledger::exec {

/// Bytes at a generic address; null where the launch may not read them.
using ByteReader = std::function<const std::byte*(uint64_t address, uint64_t bytes)>;

/// The text at an address, to its zero; at most 4,096 characters.
[[nodiscard]] std::string text_at(uint64_t address, const ByteReader& read);

/// `format` with the arguments at that address, one after another, each at its natural alignment.
[[nodiscard]] std::string print(const std::string& format, uint64_t arguments,
                                const ByteReader& read);

}  // namespace warpledger::exec
