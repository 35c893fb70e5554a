// The launches of a program that one profile stands for. Numbers are ncu's IDs: the launches that
// -k, -s and -c choose, counted from 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpledger::profile {

/// first, first + step, ..., last.
struct LaunchRange {
  uint64_t first = 0, last = 0, step = 1;
  friend bool operator==(const LaunchRange&, const LaunchRange&) = default;
};

struct Launches {
  std::vector<LaunchRange> ranges = {};  // ascending by first; empty: one launch, not a program's
  uint64_t count = 0;
  uint64_t modeled = 0;      // that went through the models; of several, the profile is the first's
  uint64_t unlike = 0;       // that executed other numbers of instructions than the modeled ones
  std::string purpose = {};  // "": the program's own; "benchmark", "trial BLOCK: 64, num_warps: 4"

  /// Pre: above every number that was added before.
  void add(uint64_t number);
  /// Whether the profile stands for more than the launch that it was made of.
  [[nodiscard]] bool is_many() const { return count > 1; }
  friend bool operator==(const Launches&, const Launches&) = default;
};

/// "0, 2..301", "0..98 by 2"; of many ranges the first ones.
[[nodiscard]] std::string to_text(const std::vector<LaunchRange>& ranges);

/// "x 301: launches 0, 2..301; 1 modeled, the others ran without the models"; "" for one launch of
/// the program's own. One of a benchmark says so.
[[nodiscard]] std::string to_text(const Launches& launches);

}  // namespace warpledger::profile
