#include "warpledger/race/watch.h"

#include <algorithm>

namespace warpledger::race {

Watch::Watch(trace::Producer& engine, const Options& options) : engine_(engine), options_(options) {
  kernel_.launch = &engine_.launch();
  const bool many_warps = kernel_.launch->warps() > 1;
  describe_sites(kernel_, options.shared && many_warps, options.global);
  is_idle_ = std::none_of(kernel_.roles.begin(), kernel_.roles.end(),
                          [](Role role) { return role == Role::kWrite; });
  if (options.global) kernel_.global = &global_, kernel_.global_races = &global_races_;
}

// Blocks meet in the shadow of global memory, whose answers depend on their order.
trace::Freedom Watch::freedom() const {
  const trace::Freedom freedom = engine_.freedom();
  const bool one_thread = options_.global && freedom == trace::Freedom::kParallel;
  return one_thread ? trace::Freedom::kAnyOrder : freedom;
}

void Watch::set_slots(uint32_t slots) {
  engine_.set_slots(slots);
  slots_ = std::vector<Slot>(slots);
}

void Watch::start(uint32_t slot, uint64_t cta) {
  engine_.start(slot, cta);
  slots_[slot].is_watched = options_.blocks.empty() || options_.blocks.contains(cta);
  if (slots_[slot].is_watched && !is_idle_) slots_[slot].block.start(kernel_, cta);
}

Result<trace::Progress> Watch::run(uint32_t slot, uint32_t budget) {
  Slot& here = slots_[slot];
  if (!here.is_watched) return engine_.run(slot, budget);
  if (is_idle_) {
    WL_TRY(const trace::Progress progress, engine_.run(slot, budget));
    if (progress == trace::Progress::kEnded) {
      const std::lock_guard lock(mutex_);
      ++blocks_;
    }
    return progress;
  }
  const std::span<trace::Buffer> buffers = engine_.buffers(slot);
  here.held.clear();
  for (const trace::Buffer& buffer : buffers) here.held.push_back(buffer.held().size());
  WL_TRY(const trace::Progress progress, engine_.run(slot, budget));
  for (uint32_t warp = 0; warp < buffers.size(); ++warp)
    here.block.add(warp, buffers[warp].held().subspan(here.held[warp]));
  here.block.check();
  if (progress == trace::Progress::kEnded) end_block(here);
  return progress;
}

void Watch::end_block(Slot& slot) {
  const std::lock_guard lock(mutex_);
  races_.add(slot.block.races());
  ++blocks_;
  left_alone_ += slot.block.is_left_alone() ? 1 : 0;
}

Report Watch::report() const {
  Tally all = races_;
  all.add(global_races_);
  return {.races = all.races(), .blocks = blocks_, .left_alone = left_alone_};
}

}  // namespace warpledger::race
