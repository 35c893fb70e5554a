// Bulk copies: what the instructions of run_bulk.cpp and run_tensor_copy.cpp share.
#pragma once

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

/// Writes what copies to that mbarrier have read, and completes their transactions.
void finish_copies_at(Engine& engine, Cta& owner, uint64_t barrier);

/// Ends the copies out of shared memory of one thread but the newest `left` groups; all that were
/// committed, and those that were not, with end_bulk().
void wait_bulk(Warp& warp, int lane, size_t left);
void end_bulk(Warp& warp, int lane);

/// A load: `what` to the same offset in every CTA of `ranks`, each ending at the mbarrier at the
/// same offset, or all at `barrier` when it is a peer's.
struct BulkLoad {
  std::shared_ptr<BulkBytes> what;
  uint32_t transactions = 0;
  SpaceAddress barrier;
  uint32_t ranks = 0;  // as bits
  bool multicast = false;
};
void start_load(const Context& context, const Step& step, int lane, const BulkLoad& load);

/// Where a load begins to write: a block of the cluster, and an offset in its shared memory.
struct LoadPlace {
  uint32_t rank = 0, offset = 0;
};
/// Nothing after a fault: no such block, or its shared memory ends before.
[[nodiscard]] std::optional<LoadPlace> find_load_place(const Context& context, const Step& step,
                                                       int lane, const SpaceAddress& to);

/// The lanes for which a copy is issued. Its operands are uniform registers, and ptxas 13 (sm_90a,
/// sm_100a) repeats a load or a reduction for each lane, but a store only where lanes differ:
/// storing the same twice changes nothing.
[[nodiscard]] Lanes issuing_lanes(const Context& context, const Step& step);

/// A store that waits for its group.
void start_store(const Context& context, int lane, BulkStore store);

/// Each element of `bytes` at `to` takes part in the variant's operation with that at `from`.
void reduce_into(const Variant& variant, std::byte* to, const std::byte* from, uint64_t bytes);

/// One run of bytes in global memory, as the trace shows it.
void record_run(const Context& context, const Step& step, uint64_t address, uint64_t bytes);

}  // namespace warpledger::exec::reference
