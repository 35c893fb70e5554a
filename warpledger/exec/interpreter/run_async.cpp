// cp.async: the bytes are read when it executes and written when its group is waited for, so that a
// kernel that forgets to wait reads what was there before.
#include <cstring>

#include "warpledger/exec/interpreter/async.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Space;

// What is copied: `source` bytes, the rest of `size` zeros. The fourth operand is the number of
// bytes to copy, or, as a predicate, "ignore the source".
uint64_t source_bytes(const Context& context, const Step& step, int lane, uint64_t size) {
  if (step.operands.size() < 4) return size;
  const Value& given = step.operands[3];
  const bool cache_policy = step.variant->has(Modifier::kL2CacheHint) && step.operands.size() == 4;
  if (cache_policy) return size;
  if (given.bits == 1) return (context.read(given, lane) & 1) != 0 ? 0 : size;
  return std::min(context.read(given, lane) & 0xffffffff, size);
}

Outcome run_copy(Context& context, const Step& step) {
  const uint64_t size = step.operands[2].value;
  if (size != 4 && size != 8 && size != 16) {
    context.fault(step, 0, "an asynchronous copy must have 4, 8 or 16 bytes", "unsupported-opcode");
    return Outcome::kStay;
  }
  Accessed from, to;
  PendingCopies::Copy* copy = nullptr;
  if (!step.dropped && context.lanes != 0)
    copy = &context.warp.copies.add(context.lanes, static_cast<uint32_t>(size));
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed()) return;
    const SpaceAddress shared = context.address(step.operands[0], Space::kShared, lane);
    const SpaceAddress global = context.address(step.operands[1], Space::kGlobal, lane);
    const uint64_t wanted = source_bytes(context, step, lane, size);
    if (context.bytes(shared, size, lane, Access::kWrite) == nullptr) return;
    if (shared.space != Space::kShared) {
      return context.fault(step, lane, "an asynchronous copy to another block's shared memory",
                           "bad-address", "cp.async.bulk copies there");
    }
    if (wanted != 0) {
      if (global.offset % size != 0) {
        return context.fault(step, lane, "misaligned global read of an asynchronous copy",
                             "misaligned-access");
      }
      // A short source need not be a power of two: the bytes are checked one range at a time.
      const std::byte* source = context.engine.image().memory().find(global.offset, wanted);
      if (source == nullptr) source = context.bytes(global, size, lane, Access::kRead);
      if (source == nullptr || !context.watch(global.offset, wanted, lane, Access::kRead)) return;
      if (copy != nullptr) std::memcpy(copy->data[lane], source, wanted);
      from.lanes |= 1u << lane;
      from.address[static_cast<size_t>(lane)] = global.offset;
    }
    to.lanes |= 1u << lane;
    to.address[static_cast<size_t>(lane)] = shared.offset;
    if (copy != nullptr) copy->to[static_cast<size_t>(lane)] = shared.offset;
  });
  if (context.failed()) return Outcome::kStay;
  record(context, step, Space::kGlobal, 0, from, size);
  record(context, step, Space::kShared, 1, to, size);
  return Outcome::kNext;
}

Outcome run_commit(Context& context, const Step&) {
  context.warp.copies.commit(context.lanes);
  return Outcome::kNext;
}

Outcome run_wait_group(Context& context, const Step& step) {
  context.warp.copies.finish(context.cta.shared, context.lanes, step.operands[0].value);
  return Outcome::kNext;
}

Outcome run_wait_all(Context& context, const Step&) {
  context.warp.copies.finish_all(context.cta.shared, context.lanes);
  return Outcome::kNext;
}

}  // namespace

void finish_copies(Context& context, int lane) {
  context.warp.copies.finish_all(context.cta.shared, Lanes{1} << lane);
}

Execute find_async(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kCpAsync, run_copy},
      {Op::kCpAsyncCommitGroup, run_commit},
      {Op::kCpAsyncWaitGroup, run_wait_group},
      {Op::kCpAsyncWaitAll, run_wait_all},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
