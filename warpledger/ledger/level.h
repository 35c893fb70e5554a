// The levels that bytes move between, nearest to memory first, and the edge from one to another.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace warpledger {

enum class Level { kDram, kL2, kL1, kSmem, kTmem, kReg };

inline constexpr std::array kLevels = {Level::kDram, Level::kL2,   Level::kL1,
                                       Level::kSmem, Level::kTmem, Level::kReg};

/// "dram" "l2" "l1" "smem" "tmem" "reg".
[[nodiscard]] std::string_view to_text(Level level);
[[nodiscard]] std::optional<Level> parse_level(std::string_view word);

/// From one level to another; both may be the same (arithmetic on registers moves 0 bytes).
struct Edge {
  Level from;
  Level to;

  [[nodiscard]] bool touches(Level level) const { return from == level || to == level; }
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// "dram -> smem".
[[nodiscard]] std::string to_text(Edge edge);

}  // namespace warpledger
