// A quick hash of bytes, to tell contents of memory apart within one process. Names that are kept
// are hash.h's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace warpledger {

[[nodiscard]] inline uint64_t hash_words(std::span<const std::byte> bytes) {
  uint64_t hash = bytes.size();
  for (size_t at = 0; at < bytes.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<size_t>(8, bytes.size() - at));
    hash = (std::rotl(hash, 29) ^ word) * 0x9e3779b97f4a7c15;
  }
  return hash ^ (hash >> 32);
}

}  // namespace warpledger
