#include "warpledger/plan/order.h"

#include <algorithm>

#include "warpledger/base/check.h"

namespace warpledger::plan {

Order::Order() {
  add("start");
  add("end");
}

EventId Order::add(std::string name) {
  names_.push_back(std::move(name));
  later_.emplace_back();
  return static_cast<EventId>(names_.size()) - 1;
}

void Order::add_before(EventId earlier, EventId later) { later_[earlier].push_back(later); }

void Order::close() {
  const size_t count = names_.size();
  reachable_.assign(count, std::vector<bool>(count, false));
  std::vector<EventId> open;
  for (size_t from = 0; from < count; ++from) {
    std::vector<bool>& reached = reachable_[from];
    reached[from] = true;
    open.assign(1, static_cast<EventId>(from));
    while (!open.empty()) {
      const EventId event = open.back();
      open.pop_back();
      for (EventId next : later_[event]) {
        if (!reached[next]) open.push_back(next);
        reached[next] = true;
      }
    }
  }
  reachable_[kStartEvent].assign(count, true);
  for (std::vector<bool>& reached : reachable_) reached[kEndEvent] = true;
}

bool Order::comes_before(EventId a, EventId b) const {
  WL_CHECK(reachable_.size() == names_.size());
  return reachable_[a][b];
}

bool Order::may_overlap(const Lifetime& a, const Lifetime& b) const {
  return !comes_before(a.end, b.begin) && !comes_before(b.end, a.begin);
}

std::optional<std::pair<EventId, EventId>> Order::find_cycle() const {
  const EventId count = static_cast<EventId>(names_.size());
  for (EventId a = 0; a < count; ++a) {
    for (EventId b = a + 1; b < count; ++b) {
      if (comes_before(a, b) && comes_before(b, a)) return std::pair(a, b);
    }
  }
  return std::nullopt;
}

std::optional<EventId> Order::find(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) return std::nullopt;
  return static_cast<EventId>(at - names_.begin());
}

}  // namespace warpledger::plan
