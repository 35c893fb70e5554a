#include "warpledger/ledger/level.h"

#include <fmt/core.h>

#include "warpledger/base/check.h"

namespace warpledger {

std::string_view to_text(Level level) {
  switch (level) {
    case Level::kDram:
      return "dram";
    case Level::kL2:
      return "l2";
    case Level::kL1:
      return "l1";
    case Level::kSmem:
      return "smem";
    case Level::kTmem:
      return "tmem";
    case Level::kReg:
      return "reg";
  }
  WL_CHECK(false);
  return "";
}

std::optional<Level> parse_level(std::string_view word) {
  for (const Level level : kLevels) {
    if (to_text(level) == word) return level;
  }
  return std::nullopt;
}

std::string to_text(Edge edge) {
  return fmt::format("{} -> {}", to_text(edge.from), to_text(edge.to));
}

}  // namespace warpledger
