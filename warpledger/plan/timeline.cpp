#include "warpledger/plan/timeline.h"

#include <algorithm>

namespace warpledger::plan {

Timeline::Timeline(const Plan& plan, const std::vector<SlotName>& slots) {
  const size_t count = plan.order.names().size();
  std::vector<bool> is_end(count, false);
  for (const SlotName& name : slots) {
    for (const Lifetime& life : slot_of(plan, name).lives) is_end[life.end] = true;
  }
  run(plan.order, is_end);
  int last = 0;
  for (size_t event = 0; event < count; ++event) {
    if (event != kEndEvent) last = std::max(last, moments_[event]);
  }
  for (const SlotName& name : slots) {
    for (const Lifetime& life : slot_of(plan, name).lives) {
      if (moments_[life.begin] == last) moments_[kEndEvent] = last + 1;
    }
  }
  moments_[kEndEvent] = std::max(moments_[kEndEvent], std::max(last, 1));
  name_columns(plan);
}

/// Takes every event that may come now and ends nothing; when none is left, time goes on and all
/// that may end does.
void Timeline::run(const Order& order, const std::vector<bool>& is_end) {
  const EventId count = static_cast<EventId>(is_end.size());
  moments_.assign(count, 0);
  std::vector<int> waits(count, 0);  // events that come before and are not taken yet
  for (EventId a = 0; a < count; ++a) {
    for (EventId b = 0; b < count; ++b) waits[b] += a != b && order.comes_before(a, b) ? 1 : 0;
  }
  std::vector<bool> taken(count, false);
  taken[kEndEvent] = true;
  int moment = 0;
  const auto take_ready = [&](bool ends) {
    std::vector<EventId> ready;
    for (EventId event = 0; event < count; ++event) {
      if (!taken[event] && waits[event] == 0 && is_end[event] == ends) ready.push_back(event);
    }
    for (EventId event : ready) {
      taken[event] = true;
      moments_[event] = moment;
      for (EventId later = 0; later < count; ++later) {
        if (later != event && order.comes_before(event, later)) --waits[later];
      }
    }
    return !ready.empty();
  };
  do {
    while (take_ready(false)) continue;
    ++moment;
  } while (take_ready(true));
}

void Timeline::name_columns(const Plan& plan) {
  const int count = moments_[kEndEvent];
  names_.assign(count, "");
  for (size_t event = moments_.size(); event-- > 0;) {
    const int moment = moments_[event];
    if (moment < count) names_[moment] = plan.order.name(static_cast<EventId>(event)) + "..";
  }
  for (const Phase& phase : plan.phases) {
    if (moments_[phase.begin] < count) names_[moments_[phase.begin]] = phase.name;
  }
  if (count == 1) names_.front() = "all the time";
}

Columns Timeline::columns(const Lifetime& life) const {
  return {moments_[life.begin], moments_[life.end]};
}

}  // namespace warpledger::plan
