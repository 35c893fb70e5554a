// Time as columns, so that lifetimes can be drawn: one run that the happens-before order allows, in
// which everything begins as early and ends as late as it can. What may live at the same time is
// thus seen side by side; what is ordered never is.
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
  /// The columns between the moments at which some slot of `slots` ends.
  Timeline(const Plan& plan, const std::vector<SlotName>& slots);

  [[nodiscard]] int count() const { return static_cast<int>(names_.size()); }
  /// The phase that begins with the column, or the event: "main", "q_copied..".
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] Columns columns(const Lifetime& life) const;

 private:
  void run(const Order& order, const std::vector<bool>& is_end);
  void name_columns(const Plan& plan);

  std::vector<int> moments_;  // of every event
  std::vector<std::string> names_;
};

}  // namespace warpledger::plan
