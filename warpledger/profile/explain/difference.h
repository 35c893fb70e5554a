// What became of a launch since an earlier profile of it: faster or not, by how much, on which
// unit, which findings are gone, and whether the expected error leaves that open.
#pragma once

#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {

/// A unit's minimum busy time.
struct UnitChange {
  std::string unit = {};
  double before = 0, after = 0;  // cycles; 0: it has nothing to do
};

struct Difference {
  double before = 0, after = 0;  // nanoseconds; 0: not modeled
  std::string gpu_before = {}, gpu_after = {};
  std::string limit_before = {}, limit_after = {};
  std::string limit_rule = {};                    // of what limits it now
  std::vector<UnitChange> units = {};             // those whose time changed most, at most three
  std::vector<std::string> gone = {}, come = {};  // rules of findings
  double expected_error = 0;

  /// Of the time before, 0..1; negative: slower. 0 where a time is not modeled.
  [[nodiscard]] double saving() const { return before > 0 && after > 0 ? 1 - after / before : 0; }
  /// Whether the expected error is larger than the difference.
  [[nodiscard]] bool is_open() const;
};

[[nodiscard]] Difference difference_of(const Profile& before, const Profile& after);

}  // namespace warpledger::profile
