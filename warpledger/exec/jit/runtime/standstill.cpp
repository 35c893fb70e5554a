// When no warp of a CTA, or of its cluster, can go on: whose wait is given up, who may still help,
// and what is said of a deadlock.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/number.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/jit/runtime/engine.h"

namespace warpledger::exec::jit {

using reference::Cta;
using reference::Fragment;
using State = RunningWarp::State;

// As the interpreter does (reference::Engine::resolve_standstill()). A wait that is given up may be
// a glance, after which the thread does what others wait for; or the other lanes of its warp would,
// which only fragments can.
Engine::Stuck Engine::resolve_standstill(Slot& slot) {
  if (peers_can_move(slot)) return Stuck::kOthersMayHelp;
  reference::Cluster* cluster = analysis_.clustered ? &reference_->cluster(slot.cta) : nullptr;
  uint64_t& events = cluster != nullptr ? cluster->events : slot.events;
  uint32_t& quiet = cluster != nullptr ? cluster->quiet : slot.quiet;
  const uint64_t now =
      cluster != nullptr ? reference::events_of(*reference_, slot.cta) : slot.cta.events;
  quiet = now == events ? quiet + 1 : 0;
  events = now;
  if (quiet < 2 && time_out(slot)) return Stuck::kGoOn;
  if (lanes_wait_apart(slot)) {
    give_up_lanes(**std::ranges::find_if(
        slot.warps, [](const auto& warp) { return warp->state != State::kEnded; }));
    return Stuck::kFault;
  }
  if (quiet < reference::kQuietRounds && time_out(slot)) return Stuck::kGoOn;
  if (cluster != nullptr) {
    reference::report_deadlock(*reference_, slot.cta);
  } else {
    reference_->set_fault(slot.cta, describe_deadlock(slot));
  }
  return Stuck::kFault;
}

template <class F>
bool Engine::any_resident(Slot& slot, F f) {
  if (!analysis_.clustered) return f(slot.cta);
  const std::vector<uint32_t>& slots = reference_->cluster(slot.cta).slot;
  return std::ranges::any_of(slots, [&](uint32_t index) {
    return index != reference::kNone && f(reference_->cta_in(index));
  });
}

bool Engine::peers_can_move(Slot& slot) {
  return any_resident(
      slot, [&](const Cta& cta) { return &cta != &slot.cta && reference::can_move(cta); });
}

bool Engine::lanes_wait_apart(Slot& slot) {
  return any_resident(slot, [](const Cta& cta) {
    return std::ranges::any_of(cta.warps, [](const reference::Warp& warp) {
      if (warp.fragments.empty() || warp.fragments[0].lanes == warp.alive) return false;
      const Fragment::Wait wait = warp.fragments[0].wait;
      return wait != Fragment::Wait::kReady && wait != Fragment::Wait::kBarrier;
    });
  });
}

bool Engine::time_out(Slot& slot) {
  if (analysis_.clustered) return reference::time_out(*reference_, slot.cta);
  bool any = false;
  for (reference::Warp& warp : slot.cta.warps) {
    if (warp.fragments.empty() || warp.fragments[0].wait != Fragment::Wait::kPhase) continue;
    warp.fragments[0].wait = Fragment::Wait::kReady;
    warp.fragments[0].timed_out = any = true;
  }
  return any;
}

bool Engine::has_ended(const Slot& slot) {
  return std::ranges::all_of(slot.warps,
                             [](const auto& warp) { return warp->state == State::kEnded; });
}

bool Engine::polls_in_vain(const Slot& slot) {
  return std::ranges::any_of(slot.warps, [](const auto& warp) {
    return warp->state != State::kEnded && !warp->waits() && warp->vigil.is_in_vain();
  });
}

bool Engine::waits_in_vain(const Slot& slot) {
  return std::ranges::all_of(slot.warps, [](const auto& warp) {
    return warp->state == State::kEnded || warp->waits() || warp->vigil.is_in_vain();
  });
}

// All resident CTAs, none of which can continue, so none makes room for another.
bool Engine::all_wait() const {
  if (freedom() == trace::Freedom::kParallel) return true;  // no other CTA can help
  uint64_t started = 0;
  bool has_room = false, waits = true;
  for (const Slot& slot : slots_) {
    started += slot.ctas;
    has_room |= has_ended(slot);
    waits &= waits_in_vain(slot);
  }
  return waits && (!has_room || started == launch().ctas());
}

void Engine::report(reference::WaitReport& report, RunningWarp& warp, const Fragment& fragment,
                    const std::string& text, const char* code) const {
  const reference::Context context{*reference_, *warp.cta, *warp.warp, 0, 0, fragment.lanes};
  report.add(context, reference_->program().codes[0]->steps[fragment.pc], fragment, text, code);
}

Diagnostic Engine::describe_deadlock(Slot& slot) const {
  for (const auto& warp : slot.warps) show_barrier(*warp);
  reference::WaitReport waits;
  for (const Fragment::Wait wait : reference::kWaits) {
    for (const auto& warp : slot.warps) {
      if (warp->state != State::kWaiting || warp->warp->fragments[0].wait != wait) continue;
      const Fragment& fragment = warp->warp->fragments[0];
      waits.add({*reference_, slot.cta, *warp->warp, 0, 0, fragment.lanes}, fragment);
    }
  }
  return waits.take();
}

Diagnostic Engine::describe_vigils(const Slot& here) const {
  const bool alone = freedom() == trace::Freedom::kParallel;  // the others are other threads'
  uint64_t started = 0;
  for (size_t i = 0; !alone && i < slots_.size(); ++i) started += slots_[i].ctas;
  const bool crowded = !alone && started < launch().ctas();
  const std::string text =
      fmt::format("waits for a value that no thread writes: it has read the same value {} times{}",
                  group_thousands(Vigil::kPatience),
                  crowded ? ", and the blocks that have not started do not fit on the GPU" : "");
  reference::WaitReport waits;
  const auto add = [&](const Slot& slot) {
    for (const auto& warp : slot.warps) {
      if (warp->state == State::kEnded || warp->waits() || !warp->vigil.is_in_vain()) continue;
      report(waits, *warp, {.lanes = warp->vigil.lanes(), .pc = warp->vigil.pc()}, text,
             "ctas-wait-for-each-other");
    }
  };
  add(here);
  for (size_t i = 0; !alone && i < slots_.size(); ++i) {
    if (&slots_[i] != &here) add(slots_[i]);
  }
  return waits.take();
}

}  // namespace warpledger::exec::jit
