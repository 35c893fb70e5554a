#include "warpledger/plan/place.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace warpledger::plan {
namespace {

constexpr size_t kMaxFreeHalves = 10;  // beyond, tensors in half of the lanes alternate

std::vector<SlotName> slots_in(const Plan& plan, Space space) {
  std::vector<SlotName> slots;
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    if (plan.buffers[b].space != space) continue;
    for (size_t s = 0; s < plan.buffers[b].slots.size(); ++s) {
      slots.push_back({static_cast<int>(b), static_cast<int>(s)});
    }
  }
  return slots;
}

PackProblem problem_of(const Plan& plan, const std::vector<SlotName>& slots, int64_t granularity) {
  PackProblem problem;
  problem.granularity = granularity;
  const size_t count = slots.size();
  problem.conflicts.assign(count, std::vector<bool>(count, false));
  for (size_t a = 0; a < count; ++a) {
    const Buffer& buffer = plan.buffers[slots[a].buffer];
    problem.items.push_back({buffer.size_of(slot_of(plan, slots[a])), buffer.alignment});
    for (size_t b = 0; b < a; ++b) {
      problem.conflicts[a][b] = problem.conflicts[b][a] = may_overlap(plan, slots[a], slots[b]);
    }
  }
  return problem;
}

/// Only for comparison: worth little search.
int64_t total_without_overlays(PackProblem problem) {
  problem.node_limit = 10000;
  for (size_t a = 0; a < problem.items.size(); ++a) {
    for (size_t b = 0; b < problem.items.size(); ++b) problem.conflicts[a][b] = a != b;
  }
  return pack(problem).total;
}

Region place_in(const Plan& plan, Space space, int64_t granularity) {
  Region region;
  region.slots = slots_in(plan, space);
  const PackProblem problem = problem_of(plan, region.slots, granularity);
  region.packing = pack(problem);
  region.without_overlays = total_without_overlays(problem);
  std::vector<int> order(region.slots.size());
  std::iota(order.begin(), order.end(), 0);
  region.first_fit = first_fit(problem, order).total;
  return region;
}

/// Tensors in different halves of the lanes do not meet. Every choice of halves is tried.
class HalfChoice {
 public:
  HalfChoice(const Plan& plan, Region& region) : plan_(plan), region_(region) {
    region.halves.assign(region.slots.size(), 0);
    for (size_t i = 0; i < region.slots.size(); ++i) {
      const Buffer& buffer = plan.buffers[region.slots[i].buffer];
      region.halves[i] = buffer.form.half.value_or(0);
      if (!buffer.takes_all_lanes() && !buffer.form.half) free_.push_back(i);
    }
  }

  void run() {
    const PackProblem whole = problem_of(plan_, region_.slots, 1);
    std::vector<int> halves = region_.halves;
    // The first free one stays in half 0: the other choice is its mirror image.
    const size_t bits = free_.empty() ? 0 : std::min(free_.size() - 1, kMaxFreeHalves);
    int64_t best = -1, floor = -1;
    for (uint32_t choice = 0; choice < uint32_t{1} << bits; ++choice) {
      for (size_t f = 1; f < free_.size(); ++f) {
        halves[free_[f]] = f - 1 < bits ? static_cast<int>(choice >> (f - 1) & 1) : f % 2 != 0;
      }
      const Packing packing = pack(without_lanes_apart(whole, halves));
      if (floor < 0 || packing.lower_bound < floor) floor = packing.lower_bound;
      if (best >= 0 && packing.total >= best) continue;
      best = packing.total;
      region_.packing = packing;
      region_.halves = halves;
    }
    // A bound holds for the choices that were tried; nothing is proven when some were not.
    const bool tried_all = free_.empty() || bits == free_.size() - 1;
    region_.packing.lower_bound = tried_all ? std::max(floor, int64_t{0}) : 0;
  }

 private:
  [[nodiscard]] PackProblem without_lanes_apart(PackProblem problem,
                                                const std::vector<int>& halves) const {
    const auto is_half = [&](size_t i) {
      return !plan_.buffers[region_.slots[i].buffer].takes_all_lanes();
    };
    for (size_t a = 0; a < halves.size(); ++a) {
      for (size_t b = 0; b < halves.size(); ++b) {
        if (is_half(a) && is_half(b) && halves[a] != halves[b]) problem.conflicts[a][b] = false;
      }
    }
    return problem;
  }

  const Plan& plan_;
  Region& region_;
  std::vector<size_t> free_;
};

}  // namespace

const Slot& slot_of(const Plan& plan, SlotName name) {
  return plan.buffers[name.buffer].slots[name.slot];
}

bool may_overlap(const Plan& plan, SlotName a, SlotName b) {
  for (const Lifetime& x : slot_of(plan, a).lives) {
    for (const Lifetime& y : slot_of(plan, b).lives) {
      if (plan.order.may_overlap(x, y)) return true;
    }
  }
  return false;
}

std::string name_of(const Plan& plan, SlotName name) {
  const Buffer& buffer = plan.buffers[name.buffer];
  if (buffer.slots.size() == 1) return buffer.name;
  return fmt::format("{}[{}]", buffer.name, slot_of(plan, name).first);
}

std::string to_text(const Plan& plan, const Slot& slot) {
  std::string text;
  const auto phase_with = [&](EventId event, bool as_end) -> std::string {
    for (const Phase& phase : plan.phases) {
      if ((as_end ? phase.end : phase.begin) == event) return phase.name;
    }
    return plan.order.name(event);
  };
  for (const Lifetime& life : slot.lives) {
    if (!text.empty()) text += ", ";
    if (life == Lifetime{}) return "all";
    const std::string begin = phase_with(life.begin, false), end = phase_with(life.end, true);
    text += begin == end ? begin : begin + ".." + end;
  }
  return text;
}

Placement place(const Plan& plan) {
  Placement placement;
  placement.shared = place_in(plan, Space::kShared, kStructAlignment);
  placement.tensor = place_in(plan, Space::kTensor, 1);
  HalfChoice(plan, placement.tensor).run();
  return placement;
}

}  // namespace warpledger::plan
