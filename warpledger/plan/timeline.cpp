#include "warpledger/plan/timeline.h"

#include <algorithm>

namespace warpledger::plan {
namespace {

std::string column_name(const Plan& plan, const std::vector<int>& ranks, int rank) {
  for (const Phase& phase : plan.phases) {
    if (ranks[phase.begin] == rank) return phase.name;
  }
  for (size_t event = 0; event < ranks.size(); ++event) {
    if (ranks[event] == rank) return plan.order.name(static_cast<EventId>(event)) + "..";
  }
  return "";
}

}  // namespace

Timeline::Timeline(const Plan& plan, const std::vector<SlotName>& slots)
    : ranks_(plan.order.ranks()) {
  // The end of a phase and the beginning of the next are one moment.
  for (size_t i = 1; i < plan.phases.size(); ++i) {
    ranks_[plan.phases[i - 1].end] = ranks_[plan.phases[i].begin];
  }
  // A kernel begins with its first phase and ends with its last, unless some event is outside.
  if (!plan.phases.empty()) {
    const int first = ranks_[plan.phases.front().begin], last = ranks_[plan.phases.back().end];
    const auto inside = [&](int rank) { return rank >= first && rank <= last; };
    if (std::all_of(ranks_.begin() + 2, ranks_.end(), inside)) {
      ranks_[kStartEvent] = first;
      ranks_[kEndEvent] = last;
    }
  }
  moments_ = {ranks_[kStartEvent], ranks_[kEndEvent]};
  for (const SlotName& name : slots) {
    for (const Lifetime& life : slot_of(plan, name).lives) {
      moments_.push_back(ranks_[life.begin]);
      moments_.push_back(ranks_[life.end]);
    }
  }
  std::sort(moments_.begin(), moments_.end());
  moments_.erase(std::unique(moments_.begin(), moments_.end()), moments_.end());
  for (size_t i = 0; i + 1 < moments_.size(); ++i) {
    names_.push_back(column_name(plan, ranks_, moments_[i]));
  }
}

Columns Timeline::columns(const Lifetime& life) const {
  const auto at = [&](EventId event) {
    const auto found = std::lower_bound(moments_.begin(), moments_.end(), ranks_[event]);
    return static_cast<int>(found - moments_.begin());
  };
  return {at(life.begin), at(life.end)};
}

}  // namespace warpledger::plan
