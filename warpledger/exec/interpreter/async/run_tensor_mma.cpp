// tcgen05.mma, .cp and .commit: work of the tensor core that a single thread asks for. It is
// checked when it is issued and done when somebody waits for it (tensor_work.h).
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/sync_note.h"
#include "warpledger/exec/interpreter/async/tensor_operand.h"
#include "warpledger/exec/interpreter/async/traffic.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/shared_use.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;

/// One product in the queue.
struct Product {
  TensorProduct plan;
  TensorAddress d, a_in_tensor, a_scale, b_scale;
  bool a_is_shared = true;
  SharedOperand a, b;  // of one CTA
  bool adds = true;
  int scale_d = 0;                   // D is multiplied by 2^-scale_d before
  std::vector<uint32_t> kept_lanes;  // of D, as bits: these are not written
  std::array<Cta*, 2> ctas = {};     // of the pair; the first alone without one
};

DenseOperand gather(const Product& work, bool is_a) {
  const TensorProduct& plan = work.plan;
  DenseOperand operand{.type = type_info(is_a ? plan.a : plan.b),
                       .rows = is_a ? plan.m : plan.n,
                       .negated = is_a ? plan.negates_a : plan.negates_b};
  for (int cta = 0; cta < plan.cta_group; ++cta) {
    Cta& from = *work.ctas[static_cast<size_t>(cta)];
    const SharedOperand& shape = is_a ? work.a : work.b;
    const std::vector<uint32_t> part = is_a && !work.a_is_shared
                                           ? read_tensor_a(plan, from.tensor, work.a_in_tensor)
                                           : shape.read(from.shared, shape.chunks());
    operand.elements.insert(operand.elements.end(), part.begin(), part.end());
  }
  if (plan.scale_every == 0) return operand;
  operand.scale_every = plan.scale_every;
  operand.scale = read_scales(plan, work.ctas[0]->tensor, is_a ? work.a_scale : work.b_scale,
                              operand.rows, is_a ? plan.a_scale_id : plan.b_scale_id);
  return operand;
}

bool is_kept(const Product& work, const TensorCell& at) {
  const size_t word = at.cta * 4 + at.lane / 32;
  return word < work.kept_lanes.size() && (work.kept_lanes[word] >> at.lane % 32 & 1) != 0;
}

/// f(first element of D, its place, the cells from there on) for each stretch of a row that lies
/// side by side.
template <class F>
void each_stretch(const Product& work, F f) {
  const TensorProduct& plan = work.plan;
  const uint32_t length = stretch_of(plan);
  for (uint32_t row = 0; row < plan.m; ++row) {
    for (uint32_t column = 0; column < plan.n; column += length) {
      const TensorCell at = place_of(plan, row, column);
      TensorMemory& tensor = work.ctas[at.cta]->tensor;
      f(size_t{row} * plan.n + column, at,
        tensor.cells(work.d.lane + at.lane, work.d.column + at.column, length));
    }
  }
}

uint32_t scaled_down(uint32_t bits, int by) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  value = std::ldexp(value, -by);
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

uint32_t addend_of(const Product& work, uint32_t bits) {
  if (work.plan.half_result) return bits & 0xffff;
  return work.scale_d == 0 ? bits : scaled_down(bits, work.scale_d);
}

numeric::TensorCore core_of(const TensorProduct& plan) {
  const numeric::Format format = type_info(plan.a).format;
  if (format.bits() <= 8) return {.block = 32, .fraction_bits = 25};
  return numeric::tensor_core(100, format);
}

void multiply(const Product& work) {
  const TensorProduct& plan = work.plan;
  const DenseOperand a = gather(work, true), b = gather(work, false);
  std::vector<uint32_t> d(size_t{plan.m} * plan.n);
  if (work.adds) {
    each_stretch(work, [&](size_t first, const TensorCell&, std::span<const uint32_t> cells) {
      std::ranges::transform(cells, d.begin() + static_cast<std::ptrdiff_t>(first),
                             [&](uint32_t bits) { return addend_of(work, bits); });
    });
  }
  const DenseProduct product{.k = plan.k,
                             .core = core_of(plan),
                             .half_result = plan.half_result,
                             .satfinite = plan.satfinite};
  product(a, b, d);
  each_stretch(work, [&](size_t first, const TensorCell& at, std::span<uint32_t> cells) {
    if (!is_kept(work, at))
      std::copy_n(d.begin() + static_cast<std::ptrdiff_t>(first), cells.size(), cells.begin());
  });
}

bool find_ctas(const Context& context, const Step& step, int lane, Product& work) {
  work.ctas[0] = &context.cta;
  if (work.plan.cta_group == 1) return true;
  const uint32_t first = context.cta.rank & ~1u;
  work.ctas = {peer_of(context.engine, context.cta, first),
               peer_of(context.engine, context.cta, first + 1)};
  if (work.ctas[0] != nullptr && work.ctas[1] != nullptr) return true;
  context.fault(step, lane, "'.cta_group::2' needs a cluster with both blocks of the pair",
                "bad-cluster-rank");
  return false;
}

/// Whether so much of tensor memory from `at` on is there, in every CTA; false after a fault.
bool check_cells(const Context& context, const Step& step, int lane, const Product& work,
                 TensorAddress at, uint32_t lanes, uint32_t columns) {
  for (const Cta* cta : work.ctas) {
    if (cta == nullptr || cta->tensor.holds(at, lanes, columns)) continue;
    const bool has_lanes = at.lane + lanes <= kTensorLanes;
    context.fault(step, lane,
                  has_lanes ? fmt::format("columns {} to {} of tensor memory are not allocated",
                                          at.column, at.column + columns - 1)
                            : fmt::format("{} lanes of tensor memory from lane {} on: it has {}",
                                          lanes, at.lane, kTensorLanes),
                  "out-of-bounds");
    return false;
  }
  return true;
}

/// Lanes of a matrix of m rows: 64 of them lie 16 in each warp's 32.
uint32_t lanes_of(const TensorProduct& plan) {
  const bool spread = plan.m == 64 && plan.cta_group == 1 && !plan.weight_stationary;
  return spread ? 112 : kTensorLanes;
}

uint32_t columns_of_a(const TensorProduct& plan) {
  return plan.k * static_cast<uint32_t>(std::max(4, 128 / plan.per_chunk())) / 32;
}

/// A and the scales, where they lie in tensor memory.
bool check_operands(const Context& context, const Step& step, int lane, const Product& work) {
  const TensorProduct& plan = work.plan;
  if (!work.a_is_shared &&
      !check_cells(context, step, lane, work, work.a_in_tensor,
                   lanes_of(plan) == kTensorLanes ? plan.a_rows() : lanes_of(plan),
                   columns_of_a(plan)))
    return false;
  if (plan.scale_every == 0) return true;
  return check_cells(context, step, lane, work, work.a_scale, 32, (plan.m + 31) / 32) &&
         check_cells(context, step, lane, work, work.b_scale, 32, (plan.n + 31) / 32);
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
  if (work.plan.half_result && work.scale_d != 0) return "a scale of an f16 D";
  const bool ws = work.plan.weight_stationary && step.operands.size() > 5;
  if (ws && context.read(step.operands[5], lane) != 0) return "a zero-column mask";
  const int bits = type_info(work.plan.a).bits;
  if (!work.a_is_shared && work.plan.per_chunk() == 16 && bits < 8)
    return "A of less than 8 bits in tensor memory";
  return {};
}

/// A where it lies in tensor memory, and D: f16 results take a cell each too.
void record_tensor_cells(const Context& context, const Step& step, const Product& work) {
  const TensorProduct& plan = work.plan;
  if (!work.a_is_shared) {
    const uint32_t columns = columns_of_a(plan);
    record_cells(context, step, 0, work.a_in_tensor, columns, uint64_t{plan.m} * columns * 4);
  }
  const uint64_t bytes = uint64_t{plan.m} * plan.n * 4;
  if (work.adds) record_cells(context, step, 2, work.d, plan.columns(), bytes);
  record_cells(context, step, 3, work.d, plan.columns(), bytes);
}

void issue_product(const Context& context, const Step& step, int lane) {
  auto plan = plan_tensor_product(step.spelling(),
                                  static_cast<uint32_t>(context.read(step.operands[3], lane)));
  if (!plan) return context.fault(step, lane, plan.error().message, plan.error().code);
  auto work = std::make_shared<Product>();
  work->plan = *plan;
  work->d = tensor_address(context, step.operands[0], lane);
  if (!find_ctas(context, step, lane, *work) ||
      !check_cells(context, step, lane, *work, work->d, lanes_of(*plan), plan->columns()))
    return;
  const auto shape = [&](bool is_a) {
    return SharedOperand{.mn_major = is_a ? plan->a_mn_major : plan->b_mn_major,
                         .rows = is_a ? plan->a_rows() : plan->b_rows(),
                         .k = plan->k,
                         .element_bits = plan->kind == Modifier::kKindTf32
                                             ? 32
                                             : type_info(is_a ? plan->a : plan->b).bits,
                         .per_chunk = plan->per_chunk()};
  };
  work->a = shape(true), work->b = shape(false);
  std::vector<uint32_t> chunks;
  work->a_is_shared = step.operands[1].kind == Value::Kind::kRegister;
  read_rest(context, step, lane, *work);
  const std::string refused = refusal_of(context, step, *work, lane);
  if (!refused.empty())
    return context.fault(step, lane, "tcgen05.mma with " + refused + " is not executed yet",
                         "unsupported-opcode");
  if (work->a_is_shared) {
    const uint64_t bits = context.read(step.operands[1], lane);
    if (!read_tensor_descriptor(context, step, lane, bits, work->a, work->ctas, 0, chunks)) return;
  } else {
    work->a_in_tensor = tensor_address(context, step.operands[1], lane);
  }
  if (!check_operands(context, step, lane, *work)) return;
  const uint64_t bits = context.read(step.operands[2], lane);
  if (!read_tensor_descriptor(context, step, lane, bits, work->b, work->ctas, 1, chunks)) return;
  record_tensor_cells(context, step, *work);
  begin_reads(context.cta, step, chunks);
  context.cta.tensor.queue.push_back(
      {.step = &step,
       .run = step.dropped ? std::function<void()>([] {}) : [work] { multiply(*work); },
       .first_column = work->d.column,
       .columns = plan->columns(),
       .barrier = {},
       .chunks = std::move(chunks)});
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
