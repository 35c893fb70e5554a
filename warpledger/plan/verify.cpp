#include "warpledger/plan/verify.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/number.h"
#include "warpledger/base/units.h"
#include "warpledger/plan/fit.h"
#include "warpledger/plan/tensor_memory.h"

namespace warpledger::plan {
namespace {

class Verifier {
 public:
  Verifier(const Plan& plan, const Gpu& gpu) : plan_(plan), gpu_(gpu) {}

  Result<Verification> run() {
    result_.written = place(plan_);
    WL_TRY_STATUS(take_written(result_.written.shared, kStructAlignment));
    WL_TRY_STATUS(take_written(result_.written.tensor, 1));
    check_region(result_.written.shared, "bytes");
    check_region(result_.written.tensor, "columns");
    WL_TRY_STATUS(check_limits());
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Buffer& buffer(SlotName name) const { return plan_.buffers[name.buffer]; }

  Status take_written(Region& region, int64_t granularity) {
    int64_t end = 0;
    for (size_t i = 0; i < region.slots.size(); ++i) {
      const SlotName name = region.slots[i];
      const Slot& slot = slot_of(plan_, name);
      if (!slot.at) {
        return Diagnostic{
            .message = fmt::format("'{}' has no offset to verify", name_of(plan_, name)),
            .hint = "write it after the buffer: at 8192",
            .code = "no-offset",
            .at = buffer(name).where};
      }
      region.packing.offsets[i] = *slot.at;
      if (!region.halves.empty()) region.halves[i] = buffer(name).form.half.value_or(0);
      end = std::max(end, *slot.at + buffer(name).size_of(slot));
    }
    region.packing.total = round_up(end, granularity);
    return {};
  }

  [[nodiscard]] bool lanes_meet(const Region& region, size_t a, size_t b) const {
    return region.halves.empty() || buffer(region.slots[a]).takes_all_lanes() ||
           buffer(region.slots[b]).takes_all_lanes() || region.halves[a] == region.halves[b];
  }

  void check_region(const Region& region, const char* unit) {
    for (size_t b = 0; b < region.slots.size(); ++b) {
      check_alignment(region, b, unit);
      for (size_t a = 0; a < b; ++a) check_pair(region, a, b, unit);
    }
  }

  void check_alignment(const Region& region, size_t item, const char* unit) {
    const Buffer& one = buffer(region.slots[item]);
    const int64_t offset = region.packing.offsets[item];
    if (offset % one.alignment == 0) return;
    result_.faults.push_back(
        {.message = fmt::format("'{}' is at {}, which is not a multiple of {} {}",
                                name_of(plan_, region.slots[item]), group_thousands(offset),
                                group_thousands(one.alignment), unit),
         .hint =
             fmt::format("the next one is {}", group_thousands(round_up(offset, one.alignment))),
         .code = "misaligned",
         .at = one.where});
  }

  void check_pair(const Region& region, size_t a, size_t b, const char* unit) {
    const SlotName x = region.slots[a], y = region.slots[b];
    const int64_t begin = std::max(region.packing.offsets[a], region.packing.offsets[b]);
    const int64_t end = std::min(region.packing.offsets[a] + buffer(x).size_of(slot_of(plan_, x)),
                                 region.packing.offsets[b] + buffer(y).size_of(slot_of(plan_, y)));
    if (begin >= end || !lanes_meet(region, a, b)) return;
    if (!may_overlap(plan_, x, y)) {
      ++result_.overlaid_pairs;
      return;
    }
    const auto lives = [&](SlotName name) { return to_text(plan_, slot_of(plan_, name)); };
    result_.faults.push_back(
        {.message = fmt::format("'{}' (live {}) and '{}' (live {}) share {} {} to {}, and no "
                                "barrier orders them",
                                name_of(plan_, y), lives(y), name_of(plan_, x), lives(x), unit,
                                group_thousands(begin), group_thousands(end)),
         .hint = missing_edge(x, y),
         .code = "unordered-overlap",
         .at = buffer(y).where});
  }

  /// The edge that would make the pair safe, where it does not contradict the order.
  [[nodiscard]] std::string missing_edge(SlotName x, SlotName y) const {
    const Lifetime &first = slot_of(plan_, x).lives.front(),
                   &second = slot_of(plan_, y).lives.front();
    for (const auto& [earlier, later] : {std::pair(first, second), std::pair(second, first)}) {
      if (plan_.order.comes_before(later.begin, earlier.end)) continue;
      return fmt::format("if a barrier guarantees it, say so: order {} < {}",
                         plan_.order.name(earlier.end), plan_.order.name(later.begin));
    }
    return "move one of them: they are needed at the same time";
  }

  Status check_limits() {
    WL_TRY(const Fit fits, fit(plan_, result_.written, gpu_));
    if (fits.missing_bytes() > 0) {
      result_.faults.push_back(
          {.message = fmt::format("{} bytes of shared memory are {} more than the {} of {}",
                                  group_thousands(fits.shared_bytes),
                                  group_thousands(fits.missing_bytes()),
                                  group_thousands(fits.shared_limit), gpu_.name),
           .hint = fmt::format("the best placement of these buffers takes {}",
                               group_thousands(result_.written.shared.packing.lower_bound)),
           .code = "does-not-fit"});
    }
    if (fits.tensor_allocated > fits.tensor_limit || fits.tensor_columns > fits.tensor_allocated) {
      result_.faults.push_back(
          {.message = fmt::format("{} columns of tensor memory do not fit {} ({} allocated, {} "
                                  "there)",
                                  fits.tensor_columns, gpu_.name, fits.tensor_allocated,
                                  fits.tensor_limit),
           .code = "does-not-fit"});
    }
    return {};
  }

  const Plan& plan_;
  const Gpu& gpu_;
  Verification result_;
};

}  // namespace

Result<Verification> verify(const Plan& plan, const Gpu& gpu) { return Verifier(plan, gpu).run(); }

}  // namespace warpledger::plan
