#include "warpledger/exec/interpreter/async/bulk.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/mbarrier.h"
#include "warpledger/exec/interpreter/async/sync_note.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/semantics/atomic.h"

namespace warpledger::exec::reference {
namespace {

void note_modes(Cta& cta, const BulkBytes& what) {
  std::vector<uint8_t>& mode = cta.use.mode;
  if (mode.empty() && what.mode == 0) return;
  if (mode.empty()) mode.assign((cta.shared.size() + kChunkBytes - 1) / kChunkBytes, 0);
  for (const BulkBytes::Piece& piece : what.pieces) {
    if (piece.size != 0) note_mode(cta.use, piece.shared, piece.size, what.mode);
  }
}

void write_bytes(Cta& cta, const BulkBytes& what) {
  for (const BulkBytes::Piece& piece : what.pieces) {
    if (what.bytes.empty()) break;
    std::memcpy(cta.shared.data() + piece.shared, what.bytes.data() + piece.from, piece.size);
  }
  note_modes(cta, what);
}

/// Where a copy to the CTA of that rank signals its end.
PhasePlace signalled(const Context& context, const Step& step, int lane, const BulkLoad& load,
                     uint32_t rank) {
  const PhasePlace named = find_phase(context, step, load.barrier, lane);
  if (named.owner == nullptr || !load.multicast) return named;
  const bool pair = step.variant->has(ptx::Modifier::kCtaGroup2);
  const uint32_t at = pair ? (rank & ~1u) | (named.owner->rank & 1) : rank;
  return {peer_of(context.engine, context.cta, at), named.offset};
}

bool same_value(const Context& context, const Value& value, int a, int b) {
  switch (value.kind) {
    case Value::Kind::kList: {
      const auto parts = context.children(value);
      return std::all_of(parts.begin(), parts.end(),
                         [&](const Value& part) { return same_value(context, part, a, b); });
    }
    case Value::Kind::kRegister:
    case Value::Kind::kIndirect:
      return context.read_word(value, a, 0) == context.read_word(value, b, 0);
    default:
      return context.read(value, a) == context.read(value, b);
  }
}

bool same_operands(const Context& context, const Step& step, int a, int b) {
  return std::all_of(step.operands.begin(), step.operands.end(),
                     [&](const Value& value) { return same_value(context, value, a, b); });
}

/// Where blocks of a cluster do alike, each gets from the others what it gives them.
void note_load(const Context& context, const Step& step, int lane, const BulkLoad& load) {
  if (context.cta.log == nullptr || context.failed()) return;
  const PhasePlace barrier = find_phase(context, step, load.barrier, lane);
  SyncNote(context, step)
      .add({.kind = trace::SyncEvent::Kind::kCopy,
            .barrier = static_cast<uint32_t>(barrier.offset),
            .bytes = int64_t{load.transactions} * __builtin_popcount(load.ranks)});
}

bool fits(const Cta& cta, const BulkBytes& what) {
  return std::all_of(what.pieces.begin(), what.pieces.end(), [&](const BulkBytes::Piece& piece) {
    return uint64_t{piece.shared} + piece.size <= cta.shared.size();
  });
}

}  // namespace

void finish_copies_at(Engine& engine, Cta& owner, uint64_t barrier) {
  if (owner.arrivals.empty()) return;
  std::vector<BulkArrival> due;
  const auto is_due = [&](const BulkArrival& one) { return one.barrier == barrier; };
  std::copy_if(owner.arrivals.begin(), owner.arrivals.end(), std::back_inserter(due), is_due);
  std::erase_if(owner.arrivals, is_due);
  for (const BulkArrival& one : due) {
    if (Cta* to = peer_of(engine, owner, one.to_rank)) write_bytes(*to, *one.what);
    complete_transactions(owner, barrier, one.transactions);
  }
}

std::optional<LoadPlace> find_load_place(const Context& context, const Step& step, int lane,
                                         const SpaceAddress& to) {
  const bool peer = to.space == ptx::Space::kSharedCluster && context.engine.cluster_size() > 1;
  const uint64_t rank = peer ? to.offset >> kRankShift : context.cta.rank;
  const uint64_t offset = peer ? offset_in_cta(to.offset) : to.offset;
  if (rank < context.engine.cluster_size() && offset <= context.cta.shared.size())
    return LoadPlace{static_cast<uint32_t>(rank), static_cast<uint32_t>(offset)};
  context.fault(step, lane,
                fmt::format("out-of-bounds shared write of a bulk copy at {:#x} of block {}: the "
                            "cluster has {}, and each has {} bytes of shared memory",
                            offset, rank, context.engine.cluster_size(), context.cta.shared.size()),
                "out-of-bounds");
  return {};
}

void start_load(const Context& context, const Step& step, int lane, const BulkLoad& load) {
  for (uint32_t rank = 0; rank < 32 && !context.failed(); ++rank) {
    if ((load.ranks >> rank & 1) == 0) continue;
    Cta* to = peer_of(context.engine, context.cta, rank);
    const PhasePlace barrier = signalled(context, step, lane, load, rank);
    if (context.failed()) return;
    if (to == nullptr || barrier.owner == nullptr) {
      return context.fault(
          step, lane,
          fmt::format("copies to block {} of the cluster, which has exited or does not exist",
                      rank),
          "bad-cluster-rank");
    }
    if (!fits(*to, *load.what)) {
      return context.fault(step, lane,
                           fmt::format("out-of-bounds shared write of a bulk copy: the block's "
                                       "shared memory has {} bytes",
                                       to->shared.size()),
                           "out-of-bounds");
    }
    if (!note_copy(context, step, lane, *to, *load.what)) return;
    if (!load_phase(*barrier.owner, barrier.offset).initialized) {
      return context.fault(step, lane, "the mbarrier was never initialized, or was invalidated",
                           "bad-mbarrier");
    }
    barrier.owner->arrivals.push_back({.barrier = barrier.offset,
                                       .to_rank = rank,
                                       .transactions = load.transactions,
                                       .what = load.what});
    wake_phase(*barrier.owner, barrier.offset);
  }
  note_load(context, step, lane, load);
}

Lanes issuing_lanes(const Context& context, const Step& step) {
  const ptx::Op op = step.spelling().op();
  const bool reduces = op == ptx::Op::kCpReduceAsyncBulk || op == ptx::Op::kCpReduceAsyncBulkTensor;
  if (reduces || !step.variant->has(ptx::Modifier::kBulkGroup)) return context.lanes;
  Lanes storing = 0;
  for_each_lane(context.lanes, [&](int lane) {
    bool is_new = true;
    for_each_lane(
        storing, [&](int other) { is_new = is_new && !same_operands(context, step, lane, other); });
    if (is_new) storing |= Lanes{1} << lane;
  });
  return storing;
}

void start_store(const Context& context, int lane, BulkStore store) {
  context.warp.bulk[static_cast<size_t>(lane)].open.push_back(std::move(store));
}

void wait_bulk(Warp& warp, int lane, size_t left) {
  auto& groups = warp.bulk[static_cast<size_t>(lane)].groups;
  if (groups.size() <= left) return;
  const auto end = groups.end() - static_cast<std::ptrdiff_t>(left);
  for (auto group = groups.begin(); group != end; ++group) {
    for (const BulkStore& store : *group) store();
  }
  groups.erase(groups.begin(), end);
}

void end_bulk(Warp& warp, int lane) {
  wait_bulk(warp, lane, 0);
  for (const BulkStore& store : warp.bulk[static_cast<size_t>(lane)].open) store();
  warp.bulk[static_cast<size_t>(lane)].open.clear();
}

void record_run(const Context& context, const Step& step, uint64_t address, uint64_t bytes) {
  Engine& engine = context.engine;
  auto& accesses = engine.counts(context.cta).by_space[static_cast<size_t>(trace::Space::kGlobal)];
  accesses.bytes += bytes;
  engine.buffer(context.cta, context.warp).push_bulk(address, bytes, step.site);
}

void reduce_into(const Variant& variant, std::byte* to, const std::byte* from, uint64_t bytes) {
  reduce_bytes(variant.type[0], variant.get(ptx::Slot::kOperation), to, from, bytes);
}

}  // namespace warpledger::exec::reference
