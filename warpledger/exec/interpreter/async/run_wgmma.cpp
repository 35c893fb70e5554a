// wgmma.mma_async: a warpgroup multiplies 64 rows; each of its warps here its own 16, when it comes
// to the instruction. Results are computed at once, and nobody may touch their registers, nor write
// over an operand, until wgmma.wait_group says that they are there (warpgroup.h).
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/exec/decode/operands.h"
#include "warpledger/exec/interpreter/async/shared_source.h"
#include "warpledger/exec/interpreter/async/warpgroup.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/matrix.h"
#include "warpledger/exec/interpreter/register_watch.h"
#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/semantics/matrix_descriptor.h"
#include "warpledger/exec/semantics/warpgroup_product.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;

WarpgroupProduct product_of(const Step& step) {
  const ptx::Spelling& spelling = step.spelling();
  const auto constant = [&](size_t i) {
    return i < step.operands.size() ? static_cast<int32_t>(step.operands[i].value) : 0;
  };
  WarpgroupProduct plan{.n = spelling.shape.n,
                        .k = spelling.shape.k,
                        .d = type_info(spelling.type(0)),
                        .a = warpgroup_type(spelling.type(1)),
                        .b = warpgroup_type(spelling.type(2)),
                        .a_in_registers = step.operands[1].kind == Value::Kind::kList,
                        .satfinite = step.variant->has(Modifier::kSatfinite)};
  plan.negates_a = constant(4) == -1;
  plan.negates_b = constant(5) == -1;
  plan.a_mn_major = !plan.a_in_registers && constant(6) == 1;
  plan.b_mn_major = constant(plan.a_in_registers ? 6 : 7) == 1;
  return plan;
}

/// Registers as words, [register * 32 + lane].
std::vector<uint32_t> read_words(const Context& context, const Value& list) {
  const std::span<const Value> registers = context.elements(list);
  std::vector<uint32_t> words(registers.size() * kWarpSize);
  for (size_t i = 0; i < registers.size(); ++i) {
    const uint64_t* row = row_of(context, registers[i]);
    uint32_t* to = &words[i * kWarpSize];
    for (size_t lane = 0; lane < kWarpSize && row != nullptr; ++lane)
      to[lane] = static_cast<uint32_t>(row[lane]);
    for (int lane = 0; lane < kWarpSize && row == nullptr; ++lane)
      to[lane] = static_cast<uint32_t>(context.read(registers[i], lane));
  }
  return words;
}

void write_words(const Context& context, const Value& list, std::span<const uint32_t> words) {
  const std::span<const Value> registers = context.elements(list);
  for (size_t i = 0; i < registers.size(); ++i) {
    const std::span<const uint32_t> from = words.subspan(i * kWarpSize, kWarpSize);
    uint64_t* row = row_of(context, registers[i]);
    if (row != nullptr) std::copy(from.begin(), from.end(), row);
    for (size_t lane = 0; row == nullptr && lane < kWarpSize; ++lane)
      context.write(registers[i], static_cast<int>(lane), from[lane]);
  }
}

bool check_counts(const Context& context, const Step& step, const WarpgroupProduct& plan) {
  const bool fits = context.elements(step.operands[0]).size() == plan.results() &&
                    (!plan.a_in_registers || context.elements(step.operands[1]).size() == 4);
  if (!fits) {
    context.fault(step, 0, "a matrix operand has the wrong number of registers",
                  "bad-matrix-operand");
  }
  return fits;
}

/// The descriptor is that of operand `which`: 1 or 2. Rows from `first` on are the warp's.
std::shared_ptr<const KnownOperand> find_source(const Context& context, const Step& step,
                                                uint32_t which, const SharedOperand& shape,
                                                uint32_t first, std::optional<uint32_t> site) {
  Cta* const alone[] = {&context.cta};
  const uint64_t bits = context.read(step.operands[which], 0);
  return find_operand(context,
                      {.key = {.step = &step, .operand = which, .descriptor = bits},
                       .shape = shape,
                       .first = first,
                       .site = site},
                      alone);
}

uint32_t first_row(const Context& context) {
  return context.warp.index % kWarpgroupWarps * kWarpgroupRows;
}

bool find_operands(const Context& context, const Step& step, const WarpgroupProduct& plan,
                   KnownOperands& found) {
  if (!plan.a_in_registers) {
    SharedOperand a = plan.shape_of_a();
    a.rows = first_row(context) + kWarpgroupRows;
    found[0] = find_source(context, step, 1, a, first_row(context), 0);
    if (found[0] == nullptr) return false;
  }
  std::optional<uint32_t> site;  // all four warps multiply by the same B: it is read once
  if (context.warp.index % kWarpgroupWarps == 0) site = plan.a_in_registers ? 0 : 1;
  SharedOperand b = plan.shape_of_b();
  b.rows = plan.n;
  found[1] = find_source(context, step, 2, b, 0, site);
  return found[1] != nullptr;
}

SharedSource source_of(const KnownOperand& known, uint32_t first) {
  return {known.shape, known.chunks, first};
}

void multiply(const Context& context, const Step& step, WarpgroupProduct plan,
              const KnownOperands& operands) {
  plan.adds = (context.read(step.operands[3], 0) & 1) != 0;
  std::vector<uint32_t> registers;
  if (plan.a_in_registers) registers = read_words(context, step.operands[1]);
  std::vector<uint32_t> d = plan.adds ? read_words(context, step.operands[0])
                                      : std::vector<uint32_t>(size_t{plan.results()} * kWarpSize);
  std::optional<SharedSource> a;
  if (!plan.a_in_registers) a = source_of(*operands[0], first_row(context));
  const SharedSource b = source_of(*operands[1], 0);
  plan({.shared = context.cta.shared, .a = a ? &*a : nullptr, .registers = registers, .b = &b},
       context.engine.image().module().target.number, d);
  write_words(context, step.operands[0], d);
}

/// The same each time, so made once for each warp. Null after a fault.
const MatrixForm* form_of(const Context& context, const Step& step) {
  auto& forms = context.warp.matrix.forms;
  const auto [at, is_new] = forms.try_emplace(&step);
  MatrixForm& form = at->second;
  if (!is_new) return &form;
  form.product = product_of(step);
  if (!check_counts(context, step, form.product)) return forms.erase(at), nullptr;
  const Code& code = *context.frame().code;
  for_each_slot(code, step.operands[0], [&](uint32_t slot) { form.results.push_back(slot); });
  if (form.product.a_in_registers)
    for_each_slot(code, step.operands[1], [&](uint32_t slot) { form.operands.push_back(slot); });
  return &form;
}

Outcome run_mma(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step)) return Outcome::kStay;
  const MatrixForm* form = form_of(context, step);
  if (form == nullptr) return Outcome::kStay;
  MatrixWork work{.step = &step, .form = form, .copies = {}, .reads = {}};
  if (!find_operands(context, step, form->product, work.reads)) return Outcome::kStay;
  if (!step.dropped) multiply(context, step, form->product, work.reads);
  begin_reads(context.cta.use, step, work.reads);
  watch(context, work);
  context.warp.matrix.open.push_back(std::move(work));
  return Outcome::kNext;
}

Outcome run_fence(Context&, const Step&) { return Outcome::kNext; }

Outcome run_commit(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step)) return Outcome::kStay;
  commit_products(context.cta, context.warp);
  return Outcome::kNext;
}

Outcome run_wait(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step)) return Outcome::kStay;
  MatrixGroups& matrix = context.warp.matrix;
  const size_t left = step.operands[0].value;
  if (matrix.groups.size() > left) {
    if (!complete_products(context.cta, context.warp, matrix.committed - left)) {
      context.here().wait = Fragment::Wait::kProducts;
      return Outcome::kStay;
    }
    matrix.groups.erase(matrix.groups.begin(),
                        matrix.groups.end() - static_cast<std::ptrdiff_t>(left));
  }
  watch_again(context);
  return Outcome::kNext;
}

}  // namespace

Execute find_wgmma(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kWgmmaMma, run_mma},
      {Op::kWgmmaFence, run_fence},
      {Op::kWgmmaCommitGroup, run_commit},
      {Op::kWgmmaWaitGroup, run_wait},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
