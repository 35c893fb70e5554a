// cp.async.bulk and cp.reduce.async.bulk: contiguous bytes between global and shared memory, or
// from one CTA's shared memory to another's; the groups of copies out of shared memory; prefetches.
#include <fmt/core.h>

#include <cstring>

#include "warpledger/exec/interpreter/async/bulk.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/mbarrier.h"
#include "warpledger/exec/interpreter/async/sync_note.h"
#include "warpledger/exec/interpreter/async/traffic.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/shared_use.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Space;

bool check_copy(const Context& context, const Step& step, int lane, uint64_t to, uint64_t from,
                uint64_t bytes) {
  if (to % 16 == 0 && from % 16 == 0 && bytes % 16 == 0) return true;
  context.fault(step, lane,
                fmt::format("a bulk copy of {} bytes from {:#x} to {:#x}", bytes, from, to),
                "misaligned-access", "addresses and size must be multiples of 16");
  return false;
}

/// The bytes of global memory; null after a fault.
std::byte* global_bytes(const Context& context, const Step& step, int lane, uint64_t address,
                        uint64_t bytes, Access access) {
  DeviceMemory& memory = context.engine.image().memory();
  std::byte* host = memory.find(address, bytes);
  if (host == nullptr) {
    context.fault(step, lane,
                  fmt::format("out-of-bounds global {} of a bulk copy of {} bytes at {:#x}: {}",
                              access == Access::kRead ? "read" : "write", bytes, address,
                              memory.explain(address, bytes)),
                  "out-of-bounds");
    return nullptr;
  }
  return context.watch(address, bytes, lane, access) ? host : nullptr;
}

std::byte* shared_bytes(const Context& context, const Step& step, int lane, uint64_t offset,
                        uint64_t bytes) {
  std::vector<std::byte>& shared = context.cta.shared;
  if (offset <= shared.size() && bytes <= shared.size() - offset) return shared.data() + offset;
  context.fault(step, lane,
                fmt::format("out-of-bounds shared read of a bulk copy of {} bytes at {:#x}: the "
                            "block's shared memory has {} bytes",
                            bytes, offset, shared.size()),
                "out-of-bounds");
  return nullptr;
}

/// A copy of contiguous bytes into the shared memory of `to`.
BulkLoad contiguous(const LoadPlace& to, const std::byte* from, uint64_t bytes, const Step& step) {
  auto what = std::make_shared<BulkBytes>();
  if (!step.dropped) what->bytes.assign(from, from + bytes);
  what->pieces.push_back({to.offset, 0, static_cast<uint32_t>(bytes)});
  what->step = &step;
  return {.what = std::move(what),
          .transactions = static_cast<uint32_t>(bytes),
          .ranks = 1u << to.rank};
}

// dst [0], src [1], size [2], mbarrier [3]{, mask}.
void load(const Context& context, const Step& step, int lane, bool from_shared) {
  const SpaceAddress to = context.address(step.operands[0], Space::kSharedCluster, lane);
  const SpaceAddress from =
      context.address(step.operands[1], from_shared ? Space::kShared : Space::kGlobal, lane);
  const uint64_t bytes = context.read(step.operands[2], lane) & 0xffffffff;
  if (!check_copy(context, step, lane, to.offset, from.offset, bytes)) return;
  const auto place = find_load_place(context, step, lane, to);
  if (!place) return;
  const std::byte* source =
      from_shared ? shared_bytes(context, step, lane, from.offset, bytes)
                  : global_bytes(context, step, lane, from.offset, bytes, Access::kRead);
  if (source == nullptr) return;
  BulkLoad copy = contiguous(*place, source, bytes, step);
  copy.barrier = context.address(step.operands[3], Space::kSharedCluster, lane);
  copy.multicast = step.variant->has(Modifier::kMulticastCluster);
  if (copy.multicast) copy.ranks = context.read(step.operands[4], lane) & 0xffff;
  start_load(context, step, lane, copy);
  if (context.failed()) return;
  if (!from_shared) record_run(context, step, from.offset, bytes);
  record_shared_run(context, step, copy.what->pieces.front().shared, bytes,
                    __builtin_popcount(copy.ranks));
}

// dst [0], src [1], size [2].
void store(const Context& context, const Step& step, int lane) {
  const SpaceAddress to = context.address(step.operands[0], Space::kGlobal, lane);
  const SpaceAddress from = context.address(step.operands[1], Space::kShared, lane);
  const uint64_t bytes = context.read(step.operands[2], lane) & 0xffffffff;
  const bool reduces = step.spelling().op() == Op::kCpReduceAsyncBulk;
  if (!check_copy(context, step, lane, to.offset, from.offset, bytes)) return;
  if (step.variant->has(Modifier::kCpMask)) {
    return context.fault(step, lane, "'.cp_mask' of a bulk copy is not executed yet",
                         "unsupported-opcode");
  }
  std::byte* global = global_bytes(context, step, lane, to.offset, bytes,
                                   reduces ? Access::kAtomic : Access::kWrite);
  if (global == nullptr || shared_bytes(context, step, lane, from.offset, bytes) == nullptr) return;
  if (!step.dropped)
    start_store(context, lane,
                [&cta = context.cta, &step, global, at = from.offset, bytes, reduces] {
                  const std::byte* source = cta.shared.data() + at;
                  if (reduces)
                    reduce_into(*step.variant, global, source, bytes);
                  else
                    std::memcpy(global, source, bytes);
                });
  record_run(context, step, to.offset, bytes);
  record_shared_run(context, step, from.offset, bytes);
}

// cp.reduce into a peer's shared memory: the sum is computed at once, the mbarrier gets the bytes.
void reduce_shared(const Context& context, const Step& step, int lane) {
  const SpaceAddress to = context.address(step.operands[0], Space::kSharedCluster, lane);
  const SpaceAddress from = context.address(step.operands[1], Space::kShared, lane);
  const uint64_t bytes = context.read(step.operands[2], lane) & 0xffffffff;
  if (!check_copy(context, step, lane, to.offset, from.offset, bytes)) return;
  const std::byte* source = shared_bytes(context, step, lane, from.offset, bytes);
  if (source == nullptr) return;
  Cta* owner =
      to.space == Space::kShared ? &context.cta : owner_of(context.engine, context.cta, to.offset);
  const uint64_t at = to.space == Space::kShared ? to.offset : offset_in_cta(to.offset);
  if (owner == nullptr || at + bytes > owner->shared.size())
    return context.fault(step, lane, "out-of-bounds shared write of a bulk copy", "out-of-bounds");
  note_values(context.engine, *owner, step, at, bytes);
  note_unknown(context);
  if (!step.dropped) reduce_into(*step.variant, owner->shared.data() + at, source, bytes);
  const SpaceAddress barrier = context.address(step.operands[3], Space::kSharedCluster, lane);
  const PhasePlace place = find_phase(context, step, barrier, lane);
  if (place.owner != nullptr)
    complete_transactions(*place.owner, place.offset, static_cast<uint32_t>(bytes));
  record_shared_run(context, step, from.offset, bytes);
}

Outcome run_copy(Context& context, const Step& step) {
  const bool stores = step.variant->has(Modifier::kBulkGroup);
  const bool reduces = step.spelling().op() == Op::kCpReduceAsyncBulk;
  const bool from_shared = !step.variant->has(Modifier::kGlobal);
  for_each_lane(issuing_lanes(context, step), [&](int lane) {
    if (context.failed()) return;
    if (stores)
      store(context, step, lane);
    else if (reduces)
      reduce_shared(context, step, lane);
    else
      load(context, step, lane, from_shared);
  });
  return context.failed() ? Outcome::kStay : Outcome::kNext;
}

Outcome run_commit(Context& context, const Step&) {
  for_each_lane(context.lanes, [&](int lane) {
    BulkGroups& bulk = context.warp.bulk[static_cast<size_t>(lane)];
    bulk.groups.push_back(std::exchange(bulk.open, {}));
  });
  return Outcome::kNext;
}

// With .read the bytes have left shared memory, and are here in global memory too.
Outcome run_wait(Context& context, const Step& step) {
  for_each_lane(context.lanes,
                [&](int lane) { wait_bulk(context.warp, lane, step.operands[0].value); });
  return Outcome::kNext;
}

Outcome run_prefetch(Context&, const Step&) { return Outcome::kNext; }

}  // namespace

Execute find_bulk(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kCpAsyncBulk, run_copy},
      {Op::kCpReduceAsyncBulk, run_copy},
      {Op::kCpAsyncBulkCommitGroup, run_commit},
      {Op::kCpAsyncBulkWaitGroup, run_wait},
      {Op::kCpAsyncBulkPrefetch, run_prefetch},
      {Op::kCpAsyncBulkPrefetchTensor, run_prefetch},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
