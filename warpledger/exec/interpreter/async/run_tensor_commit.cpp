// tcgen05.cp and .commit, and what they share with .mma: descriptors of shared memory.
#include <fmt/core.h>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/mbarrier.h"
#include "warpledger/exec/interpreter/async/shared_source.h"
#include "warpledger/exec/interpreter/async/sync_note.h"
#include "warpledger/exec/interpreter/async/tensor_operand.h"
#include "warpledger/exec/interpreter/async/traffic.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/semantics/tensor_transfer.h"

namespace warpledger::exec::reference {

namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Space;

void issue_copy(const Context& context, const Step& step, int lane) {
  const auto known = TensorCopy::of(step.variant->get(Slot::kShape));
  if (step.spelling().type_count != 0 || !known || step.variant->has(Modifier::kCtaGroup2)) {
    return context.fault(step, lane, fmt::format("'{}' is not executed yet", step.spelling().text),
                         "unsupported-opcode", "see docs/hopper-blackwell.md");
  }
  auto copy = std::make_shared<TensorCopy>(*known);
  copy->to = tensor_address(context, step.operands[0], lane);
  Cta* const alone[] = {&context.cta};
  const AskedOperand asked = {
      .key = {.step = &step, .operand = 1, .descriptor = context.read(step.operands[1], lane)},
      .kind = DescriptorKind::kTcgen05,
      .shape = copy->from,
      .site = 0,
      .lane = lane};
  const KnownOperands reads = {find_operand(context, asked, alone), nullptr};
  if (reads[0] == nullptr) return;
  copy->from = reads[0]->shape;
  const uint32_t columns = copy->columns();
  if (!context.cta.tensor.holds(copy->to, kTensorLanes, columns))
    return context.fault(step, lane,
                         "a copy to columns of tensor memory that are not allocated, or not to "
                         "lane 0",
                         "out-of-bounds");
  record_cells(context, step, 1, copy->to, columns, 16 * copy->repeats * reads[0]->chunks.size());
  begin_reads(context.cta.use, step, reads);
  context.cta.tensor.queue.push_back(
      {.step = &step,
       .run = step.dropped ? std::function<void()>([] {})
                           : [copy, cta = &context.cta] { (*copy)(cta->shared, cta->tensor); },
       .first_column = copy->to.column,
       .columns = columns,
       .barrier = {},
       .reads = reads});
}

Outcome run_copy(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    if (!context.failed() && keeps_group(context, step)) issue_copy(context, step, lane);
  });
  return context.failed() ? Outcome::kStay : Outcome::kNext;
}

// commit [mbarrier]{, mask}: the mbarrier, of each CTA of the mask, gets one arrival.
void commit(const Context& context, const Step& step, int lane) {
  const Space named = step.spelling().space();
  const SpaceAddress at = context.address(step.operands[0], named, lane);
  const PhasePlace place = find_phase(context, step, at, lane);
  if (place.owner == nullptr) return;
  const bool multicast = step.variant->has(Modifier::kMulticastCluster);
  const auto ranks = multicast
                         ? static_cast<uint32_t>(context.read(step.operands[1], lane) & 0xffff)
                         : 1u << place.owner->rank;
  std::vector<Cta*> targets;
  for (uint32_t rank = 0; rank < 16; ++rank) {
    if ((ranks >> rank & 1) == 0) continue;
    Cta* target = peer_of(context.engine, context.cta, rank);
    if (target == nullptr)
      return context.fault(step, lane, "commits to a block that is not in the cluster",
                           "bad-cluster-rank");
    if (!load_phase(*target, place.offset).initialized)
      return context.fault(step, lane, "the mbarrier was never initialized, or was invalidated",
                           "bad-mbarrier");
    targets.push_back(target);
  }
  context.cta.tensor.queue.push_back({.step = &step,
                                      .run =
                                          [targets, offset = place.offset] {
                                            for (Cta* target : targets)
                                              arrive_from_outside(*target, offset);
                                          },
                                      .barrier = place.offset,
                                      .ranks = ranks,
                                      .reads = {}});
  for (Cta* target : targets) wake_phase(*target, place.offset);
  SyncNote(context, step)
      .add({.kind = trace::SyncEvent::Kind::kCommit,
            .barrier = static_cast<uint32_t>(place.offset),
            .count = 1});
}

Outcome run_commit(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    if (!context.failed() && keeps_group(context, step)) commit(context, step, lane);
  });
  return context.failed() ? Outcome::kStay : Outcome::kNext;
}

}  // namespace

Execute find_tensor_commit(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kTcgen05Cp, run_copy},
      {Op::kTcgen05Commit, run_commit},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
