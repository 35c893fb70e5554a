// ELF files with sections of our choice, as the readers of cubins expect them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/bytes.h"

namespace warpledger::testing {

/// A 64-bit little-endian ELF file of sections (name, bytes) after the empty one.
inline std::string cubin_of(const std::vector<std::pair<std::string, std::string>>& sections) {
  std::string names(1, '\0'), body, table(64, '\0');
  const auto add = [&](size_t name, uint32_t type, const std::string& bytes) {
    put(table, name, 4);
    put(table, type, 4);
    put(table, 0, 16);
    put(table, 64 + body.size(), 8);
    put(table, bytes.size(), 8);
    put(table, 0, 24);
    body += bytes;
  };
  for (const auto& [name, bytes] : sections) {
    add(names.size(), 1, bytes);
    names += name + '\0';
  }
  add(0, 3, std::string(names));
  std::string out(
      "\x7f"
      "ELF\x02\x01",
      6);
  out.resize(40);
  put(out, 64 + body.size(), 8);
  out.resize(58);
  put(out, 64, 2);
  put(out, sections.size() + 2, 2);
  put(out, sections.size() + 1, 2);
  return out + body + table;
}

}  // namespace warpledger::testing
