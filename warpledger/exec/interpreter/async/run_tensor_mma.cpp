// tcgen05.mma, .cp and .commit: work of the tensor core that a single thread asks for. It is
// checked when it is issued and done when somebody waits for it (tensor_work.h).
#include <fmt/core.h>

#include <span>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/shared_source.h"
#include "warpledger/exec/interpreter/async/sync_note.h"
#include "warpledger/exec/interpreter/async/tensor_operand.h"
#include "warpledger/exec/interpreter/async/traffic.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/semantics/tensor_multiply.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;

/// One product in the queue, and the CTAs of its pair: the first alone without one.
struct Product : TensorMultiply {
  std::array<Cta*, 2> ctas = {};
  KnownOperands shared;  // A, null where it lies in tensor memory, and B
};

bool find_ctas(const Context& context, const Step& step, int lane, Product& work) {
  work.ctas[0] = &context.cta;
  work.parts[0] = {&context.cta.tensor, context.cta.shared};
  if (work.plan.cta_group == 1) return true;
  const uint32_t first = context.cta.rank & ~1u;
  work.ctas = {peer_of(context.engine, context.cta, first),
               peer_of(context.engine, context.cta, first + 1)};
  if (work.ctas[0] != nullptr && work.ctas[1] != nullptr) {
    for (size_t i = 0; i < 2; ++i) work.parts[i] = {&work.ctas[i]->tensor, work.ctas[i]->shared};
    return true;
  }
  context.fault(step, lane, "'.cta_group::2' needs a cluster with both blocks of the pair",
                "bad-cluster-rank");
  return false;
}

/// Operands after the instruction descriptor: {lanes to keep,} whether D is added{, its scale}; or
/// the two scales and whether D is added.
void read_rest(const Context& context, const Step& step, int lane, Product& work) {
  size_t next = 4;
  const bool scaled = work.plan.scale_every != 0;
  if (scaled) {
    work.a_scale = tensor_address(context, step.operands[4], lane);
    work.b_scale = tensor_address(context, step.operands[5], lane);
    next = 6;
  } else if (step.operands[next].kind == Value::Kind::kList) {
    for (const Value& one : context.elements(step.operands[next++]))
      work.kept_lanes.push_back(static_cast<uint32_t>(context.read(one, lane)));
  }
  work.adds = (context.read(step.operands[next], lane) & 1) != 0;
  const bool more = !scaled && !work.plan.weight_stationary && next + 1 < step.operands.size();
  if (more) work.scale_d = static_cast<int>(context.read(step.operands[next + 1], lane));
}

std::string refusal_of(const Context& context, const Step& step, const Product& work, int lane) {
  if (step.variant->has(Modifier::kAshift)) return "'.ashift'";
  const bool ws = work.plan.weight_stationary && step.operands.size() > 5;
  if (ws && context.read(step.operands[5], lane) != 0) return "a zero-column mask";
  return work.refusal();
}

/// A where it lies in tensor memory, and D: f16 results take a cell each too.
void record_tensor_cells(const Context& context, const Step& step, const Product& work) {
  const TensorProduct& plan = work.plan;
  if (!work.a_is_shared) {
    const uint32_t columns = work.columns_of_a();
    record_cells(context, step, 0, work.a_in_tensor, columns, uint64_t{plan.m} * columns * 4);
  }
  const uint64_t bytes = uint64_t{plan.m} * plan.n * 4;
  if (work.adds) record_cells(context, step, 2, work.d, plan.columns(), bytes);
  record_cells(context, step, 3, work.d, plan.columns(), bytes);
}

TensorSpelling spelling_of(const ptx::Spelling& spelling) {
  return {.kind = spelling.get(ptx::Slot::kKind),
          .cta_group = spelling.has(Modifier::kCtaGroup2) ? 2 : 1,
          .weight_stationary = spelling.op() == Op::kTcgen05MmaWs,
          .scale_every = scale_every_of(spelling)};
}

/// A or B, in shared memory; false after a fault.
bool find_shared(const Context& context, const Step& step, int lane, Product& work, bool is_a) {
  const uint32_t which = is_a ? 0 : 1;
  const AskedOperand asked = {
      .key = {.step = &step,
              .operand = which,
              .shape = static_cast<uint32_t>(context.read(step.operands[3], lane)),
              .descriptor = context.read(step.operands[1 + which], lane)},
      .kind = DescriptorKind::kTcgen05,
      .shape = work.shape_of(is_a),
      .site = which,
      .lane = lane};
  work.shared[which] = find_operand(context, asked, work.ctas);
  if (work.shared[which] == nullptr) return false;
  (is_a ? work.a : work.b) = work.shared[which]->shape;
  work.chunks[which] = work.shared[which]->chunks;
  return true;
}

void issue_product(const Context& context, const Step& step, int lane) {
  auto plan = plan_tensor_product(spelling_of(step.spelling()),
                                  static_cast<uint32_t>(context.read(step.operands[3], lane)));
  if (!plan) return context.fault(step, lane, plan.error().message, plan.error().code);
  auto work = std::make_shared<Product>();
  work->plan = *plan;
  work->d = tensor_address(context, step.operands[0], lane);
  if (!find_ctas(context, step, lane, *work)) return;
  work->a_is_shared = step.operands[1].kind == Value::Kind::kRegister;
  read_rest(context, step, lane, *work);
  const std::string refused = refusal_of(context, step, *work, lane);
  if (!refused.empty())
    return context.fault(step, lane, "tcgen05.mma with " + refused + " is not executed yet",
                         "unsupported-opcode");
  if (!work->a_is_shared) work->a_in_tensor = tensor_address(context, step.operands[1], lane);
  const std::string missing = work->missing_cells();
  if (!missing.empty()) return context.fault(step, lane, missing, "out-of-bounds");
  if (work->a_is_shared && !find_shared(context, step, lane, *work, true)) return;
  if (!find_shared(context, step, lane, *work, false)) return;
  record_tensor_cells(context, step, *work);
  begin_reads(context.cta.use, step, work->shared);
  context.cta.tensor.queue.push_back(
      {.step = &step,
       .run = step.dropped ? std::function<void()>([] {}) : [work] { (*work)(); },
       .first_column = work->d.column,
       .columns = plan->columns(),
       .barrier = {},
       .reads = work->shared});
  SyncNote(context, step)
      .add(
          {.kind = trace::SyncEvent::Kind::kProduct, .count = plan->m * plan->n / plan->cta_group});
}

Outcome run_mma(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    if (!context.failed() && keeps_group(context, step)) issue_product(context, step, lane);
  });
  return context.failed() ? Outcome::kStay : Outcome::kNext;
}

}  // namespace

Execute find_tensor_mma(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kTcgen05Mma, run_mma},
      {Op::kTcgen05MmaWs, run_mma},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
