#include "warpledger/exec/interpreter/deadlock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/mbarrier.h"
#include "warpledger/exec/interpreter/barrier.h"
#include "warpledger/exec/interpreter/converge.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/special.h"

namespace warpledger::exec::reference {
namespace {

using Wait = Fragment::Wait;

constexpr size_t kMostWaits = 8;  // that are reported

/// Calls f(cta, warp, fragment) for each fragment of the cluster.
template <class F>
void for_each_fragment(Engine& engine, Cta& cta, F f) {
  for (const uint32_t slot : engine.cluster(cta).slot) {
    if (slot == kNone) continue;
    Cta& peer = engine.cta_in(slot);
    for (Warp& warp : peer.warps) {
      for (uint32_t i = 0; i < warp.fragments.size(); ++i) f(peer, warp, i);
    }
  }
}

std::string lanes_text(const Context& context, const Step& step, const Fragment& fragment) {
  return fmt::format("lanes {:#010x} wait in '{}' for lanes {:#010x}, which never arrive",
                     fragment.lanes, step.spelling().text,
                     fragment.wanted & context.warp.alive & ~fragment.lanes);
}

std::string wait_text(const Context& context, const Step& step, const Fragment& fragment) {
  switch (fragment.wait) {
    case Wait::kLanes:
      return lanes_text(context, step, fragment);
    case Wait::kPhase:
      return phase_text(context, step, fragment);
    case Wait::kCluster:
      return "waits at the cluster barrier, where other warps never arrive";
    case Wait::kColumns:
      return fmt::format("waits in '{}': {} of 512 columns of tensor memory are allocated",
                         step.spelling().text, context.cta.tensor.taken());
    case Wait::kProducts:
      return fmt::format("waits in '{}' for products that other warps of its warpgroup never issue",
                         step.spelling().text);
    default:
      return waiting_text(context.cta, fragment.barrier);
  }
}

const char* code_of(Wait wait) {
  switch (wait) {
    case Wait::kLanes:
      return "lanes-never-come";
    case Wait::kPhase:
      return "mbarrier-deadlock";
    case Wait::kCluster:
      return "cluster-deadlock";
    case Wait::kColumns:
      return "tensor-memory-deadlock";
    case Wait::kProducts:
      return "warpgroup-deadlock";
    default:
      return "barrier-deadlock";
  }
}

}  // namespace

bool time_out(Engine& engine, Cta& cta) {
  bool any = false;
  for_each_fragment(engine, cta, [&](Cta&, Warp& warp, uint32_t i) {
    Fragment& fragment = warp.fragments[i];
    if (fragment.wait != Wait::kPhase) return;
    fragment.wait = Wait::kReady;
    fragment.timed_out = any = true;
  });
  return any;
}

uint64_t events_of(Engine& engine, Cta& cta) {
  uint64_t events = engine.cluster(cta).ended;
  for (const uint32_t slot : engine.cluster(cta).slot) {
    if (slot != kNone) events += engine.cta_in(slot).events;
  }
  return events;
}

void WaitReport::add(const Context& context, const Step& step, const Fragment& fragment,
                     const std::string& text, const char* code) {
  if (!first_) {
    first_ = describe_fault(context, step, __builtin_ctz(fragment.lanes), text, code, {});
  } else if (others_.size() < kMostWaits) {
    const Extent& block = context.cta.index;
    others_.push_back(fmt::format("warp {} of block ({},{},{}) {}", context.warp.index, block[0],
                                  block[1], block[2], text));
  } else {
    ++left_;
  }
}

void WaitReport::add(const Context& context, const Fragment& fragment) {
  const Step& step = context.frame().code->steps[fragment.pc];
  add(context, step, fragment, wait_text(context, step, fragment), code_of(fragment.wait));
}

Diagnostic WaitReport::take() {
  if (!first_) return {.message = "no warp can run", .code = "deadlock"};
  if (!others_.empty()) first_->hint = fmt::format("also: {}", fmt::join(others_, "; "));
  if (left_ != 0) first_->hint += fmt::format("; and {} more wait", left_);
  return *std::move(first_);
}

void report_deadlock(Engine& engine, Cta& cta) {
  WaitReport report;
  for (const Wait wait : kWaits) {
    for_each_fragment(engine, cta, [&](Cta& peer, Warp& warp, uint32_t i) {
      const Fragment& fragment = warp.fragments[i];
      if (fragment.wait != wait) return;
      report.add({engine, peer, warp, i, fragment.activation, fragment.lanes}, fragment);
    });
  }
  engine.set_fault(cta, report.take());
}

void Engine::join_cluster(Cta& cta) {
  const Extent& e = cluster_extent_;
  cta.rank = cta.index[0] % e[0] + e[0] * (cta.index[1] % e[1] + e[1] * (cta.index[2] % e[2]));
  Cluster& joined = cluster(cta);
  const std::lock_guard lock(clusters_mutex_);
  if (joined.slot.empty()) {
    joined.slot.assign(cluster_size(), kNone);
    joined.arrived.assign(cluster_size(), std::vector<Lanes>(trace_launch_.warps()));
  }
  joined.slot[cta.rank] = cta.slot;
  ++joined.started;
}

void Engine::leave_cluster(const Cta& cta) {
  Cluster& left = cluster(cta);
  const std::lock_guard lock(clusters_mutex_);
  left.slot[cta.rank] = kNone;
  if (++left.ended == cluster_size()) clusters_.erase(cluster_id(cta.index));
}

Cluster& Engine::cluster(const Cta& cta) {
  const std::lock_guard lock(clusters_mutex_);
  return clusters_[cluster_id(cta.index)];
}

uint64_t Engine::cluster_id(const Extent& index) const {
  const uint64_t x = index[0] / cluster_extent_[0], y = index[1] / cluster_extent_[1];
  const uint64_t z = index[2] / cluster_extent_[2];
  const uint64_t width = request_.grid[0] / cluster_extent_[0];
  const uint64_t height = request_.grid[1] / cluster_extent_[1];
  return x + width * (y + height * z);
}

Engine::Stuck Engine::resolve_standstill(Cta& cta) {
  Cluster& here = cluster(cta);
  for (const uint32_t slot : here.slot) {
    if (slot != kNone && slot != cta.slot && can_move(ctas_[slot])) return Stuck::kOthersMayHelp;
  }
  const uint64_t events = events_of(*this, cta);
  here.quiet = events == here.events ? here.quiet + 1 : 0;
  here.events = events;
  // A wait that is given up may be a glance, after which the thread does what others wait for.
  if (here.quiet < 2 && time_out(*this, cta)) return Stuck::kGoOn;
  // Lanes that wait at a join for lanes that wait for them go on alone.
  for (Warp& warp : cta.warps) {
    if (release_waiting(warp)) return Stuck::kGoOn;
  }
  if (here.quiet < kQuietRounds && time_out(*this, cta)) return Stuck::kGoOn;
  for (const Cta& other : ctas_) {
    const bool polls = other.running && other.id != cta.id && can_move(other);
    if (here.quiet >= kQuietRounds && polls) return Stuck::kOthersMayHelp;
  }
  report_deadlock(*this, cta);
  return Stuck::kFault;
}

}  // namespace warpledger::exec::reference
