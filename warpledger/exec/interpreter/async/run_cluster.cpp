// Clusters: addresses of peers' shared memory, the cluster's barrier, ranks, and the hints of
// dependent launches.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Op;
using ptx::Space;

bool all_arrived(Engine& engine, const Cluster& cluster) {
  bool any = false;
  for (size_t rank = 0; rank < cluster.slot.size(); ++rank) {
    if (cluster.slot[rank] == kNone) continue;
    const Cta& cta = engine.cta_in(cluster.slot[rank]);
    for (const Warp& warp : cta.warps) {
      const Lanes arrived = cluster.arrived[rank][warp.index];
      if ((warp.alive & ~arrived) != 0) return false;
      any |= arrived != 0;
    }
  }
  return any;
}

Outcome run_arrive(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  Lanes& pending = context.warp.at_cluster_barrier;
  if ((pending & context.lanes) != 0) {
    context.fault(step, __builtin_ctz(pending & context.lanes),
                  "arrives at the cluster barrier twice without waiting in between",
                  "bad-cluster-barrier");
    return Outcome::kStay;
  }
  pending |= context.lanes;
  context.engine.cluster(context.cta).arrived[context.cta.rank][context.warp.index] |=
      context.lanes;
  ++context.engine.counts(context.cta).barriers;
  release_cluster(context.engine, context.cta);
  return Outcome::kNext;
}

Outcome run_wait(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  Lanes& pending = context.warp.at_cluster_barrier;
  if ((context.lanes & ~pending) != 0) {
    context.fault(step, __builtin_ctz(context.lanes & ~pending),
                  "waits at the cluster barrier without having arrived", "bad-cluster-barrier");
    return Outcome::kStay;
  }
  const Lanes arrived =
      context.engine.cluster(context.cta).arrived[context.cta.rank][context.warp.index];
  if ((arrived & context.lanes) != 0) {
    context.here().wait = Fragment::Wait::kCluster;
    return Outcome::kStay;
  }
  pending &= ~context.lanes;
  return Outcome::kNext;
}

// mapa d, a, b: the address of a in the CTA of rank b.
Outcome run_mapa(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    const uint64_t a = context.read(step.operands[1], lane);
    const uint64_t rank = context.read(step.operands[2], lane) & 0xffffffff;
    if (rank >= context.engine.cluster_size()) {
      return context.fault(
          step, lane,
          fmt::format("block {} of a cluster of {}", rank, context.engine.cluster_size()),
          "bad-cluster-rank");
    }
    context.write(step.operands[0], lane,
                  (a & ~(uint64_t{0xff} << kRankShift)) | rank << kRankShift);
  });
  return context.failed() ? Outcome::kStay : Outcome::kNext;
}

Outcome run_getctarank(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    context.write(step.operands[0], lane,
                  context.read(step.operands[1], lane) >> kRankShift & 0xff);
  });
  return Outcome::kNext;
}

// Launches follow each other here: what a dependent launch would wait for has ended.
Outcome run_nothing(Context&, const Step&) { return Outcome::kNext; }

Outcome run_setmaxnreg(Context& context, const Step& step) {
  const uint64_t registers = step.operands[0].value;
  if (context.lanes == 0 || (registers % 8 == 0 && registers >= 24 && registers <= 256))
    return Outcome::kNext;
  context.fault(step, __builtin_ctz(context.lanes),
                fmt::format("setmaxnreg of {} registers: multiples of 8 from 24 to 256 are allowed",
                            registers),
                "bad-register-count");
  return Outcome::kStay;
}

}  // namespace

uint64_t rank_bits(const Engine& engine, const Cta& cta) {
  return engine.cluster_size() == 1 ? 0 : uint64_t{cta.rank} << kRankShift;
}

Cta* peer_of(Engine& engine, Cta& cta, uint32_t rank) {
  if (rank == cta.rank) return &cta;
  if (rank >= engine.cluster_size()) return nullptr;
  const uint32_t slot = engine.cluster(cta).slot[rank];
  return slot == kNone ? nullptr : &engine.cta_in(slot);
}

Cta* owner_of(Engine& engine, Cta& cta, uint64_t address) {
  if (engine.cluster_size() == 1) return address >> kRankShift == 0 ? &cta : nullptr;
  return peer_of(engine, cta, static_cast<uint32_t>(address >> kRankShift));
}

SpaceAddress Context::placed(const SpaceAddress& at) const {
  if (!is_shared(at.space) || engine.cluster_size() == 1) return at;
  const uint64_t rank = at.offset >> kRankShift;
  const bool own = rank == cta.rank || (at.space == Space::kShared && rank == 0);
  return own ? SpaceAddress{Space::kShared, offset_in_cta(at.offset)}
             : SpaceAddress{Space::kSharedCluster, at.offset};
}

void release_cluster(Engine& engine, Cta& cta) {
  Cluster& cluster = engine.cluster(cta);
  if (cluster.arrived.empty() || !all_arrived(engine, cluster)) return;
  for (auto& warps : cluster.arrived) std::fill(warps.begin(), warps.end(), 0);
  for (const uint32_t slot : cluster.slot) {
    if (slot == kNone) continue;
    ++engine.cta_in(slot).events;
    for (Warp& warp : engine.cta_in(slot).warps) {
      for (Fragment& fragment : warp.fragments) {
        if (fragment.wait == Fragment::Wait::kCluster) fragment.wait = Fragment::Wait::kReady;
      }
    }
  }
}

bool can_move(const Cta& cta) {
  return std::any_of(cta.warps.begin(), cta.warps.end(), [](const Warp& warp) {
    return std::any_of(warp.fragments.begin(), warp.fragments.end(), [](const Fragment& fragment) {
      return fragment.wait == Fragment::Wait::kReady;
    });
  });
}

Execute find_cluster(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kBarrierClusterArrive, run_arrive},
      {Op::kBarrierClusterWait, run_wait},
      {Op::kMapa, run_mapa},
      {Op::kGetctarank, run_getctarank},
      {Op::kGriddepcontrol, run_nothing},
      {Op::kSetmaxnreg, run_setmaxnreg},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
