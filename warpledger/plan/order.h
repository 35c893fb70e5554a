// Happens-before: named events of a kernel (a barrier completes, a phase begins) and which of them
// is known to come before which. What no chain of edges orders may happen in any order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpledger::plan {

using EventId = int;

inline constexpr EventId kStartEvent = 0;  // before every event
inline constexpr EventId kEndEvent = 1;    // after every event

/// The memory is needed from one event to another; Pre (checked by the parser): begin before end.
struct Lifetime {
  EventId begin = kStartEvent;
  EventId end = kEndEvent;
  friend bool operator==(const Lifetime&, const Lifetime&) = default;
};

class Order {
 public:
  Order();

  EventId add(std::string name);
  void add_before(EventId earlier, EventId later);

  /// Reflexive and transitive: comes_before(a, a).
  [[nodiscard]] bool comes_before(EventId a, EventId b) const;
  /// True unless one of the two has ended, by a chain of edges, before the other begins.
  [[nodiscard]] bool may_overlap(const Lifetime& a, const Lifetime& b) const;

  /// Two different events each before the other: the edges cannot all hold.
  [[nodiscard]] std::optional<std::pair<EventId, EventId>> find_cycle() const;

  [[nodiscard]] const std::string& name(EventId event) const { return names_[event]; }
  [[nodiscard]] std::optional<EventId> find(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// Follows every chain once; must be called after the last edge and before the questions above.
  void close();

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<EventId>> later_;   // direct edges
  std::vector<std::vector<bool>> reachable_;  // their closure
};

}  // namespace warpledger::plan
