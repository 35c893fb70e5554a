// Time as columns: the happens-before order stretched on a line, so that lifetimes can be drawn.
// Ordered lifetimes never share a column; unordered ones may, though a run may keep them apart.
#pragma once

#include "warpledger/plan/place.h"

namespace warpledger::plan {

/// A lifetime covers the columns [first, last).
struct Columns {
  int first = 0;
  int last = 0;
};

class Timeline {
 public:
  /// The columns between the moments at which some slot of `slots` begins or ends.
  Timeline(const Plan& plan, const std::vector<SlotName>& slots);

  [[nodiscard]] int count() const { return static_cast<int>(names_.size()); }
  /// The phase that begins with the column, or the event: "main", "q_copied..".
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] Columns columns(const Lifetime& life) const;

 private:
  std::vector<int> ranks_;    // of every event
  std::vector<int> moments_;  // ranks at which a column begins, then the last end
  std::vector<std::string> names_;
};

}  // namespace warpledger::plan
