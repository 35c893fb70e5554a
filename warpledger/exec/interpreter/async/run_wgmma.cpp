// wgmma.mma_async: a warpgroup multiplies 64 rows; each of its warps here its own 16, when it comes
// to the instruction. Results are computed at once, and nobody may touch their registers, nor write
// over an operand, until wgmma.wait_group says that they are there (warpgroup.h).
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/exec/decode/operands.h"
#include "warpledger/exec/interpreter/async/matrix_descriptor.h"
#include "warpledger/exec/interpreter/async/warpgroup.h"
#include "warpledger/exec/interpreter/async/wgmma_operand.h"
#include "warpledger/exec/interpreter/async/wgmma_tiles.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/matrix.h"
#include "warpledger/exec/interpreter/register_watch.h"
#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/semantics/dense_product.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;

constexpr uint32_t kWarpRows = 16;

/// What a spelling and its constants say.
struct Product {
  uint32_t n = 0, k = 0;
  TypeInfo d, a, b;
  bool a_in_registers = false;
  bool adds = true;  // to what D holds
  bool negates_a = false, negates_b = false;
  bool a_mn_major = false, b_mn_major = false;
};

TypeInfo operand_type(ptx::Type type) {
  TypeInfo info = type_info(type);
  if (type == ptx::Type::kTf32) info.bits = info.element_bits = 32;
  if (type == ptx::Type::kB1) info.bits = info.element_bits = 1;
  return info;
}

Product plan_of(const Context& context, const Step& step) {
  const ptx::Spelling& spelling = step.spelling();
  const auto constant = [&](size_t i) {
    return i < step.operands.size() ? static_cast<int32_t>(step.operands[i].value) : 0;
  };
  Product plan{.n = spelling.shape.n,
               .k = spelling.shape.k,
               .d = type_info(spelling.type(0)),
               .a = operand_type(spelling.type(1)),
               .b = operand_type(spelling.type(2)),
               .a_in_registers = step.operands[1].kind == Value::Kind::kList};
  plan.adds = (context.read(step.operands[3], 0) & 1) != 0;
  plan.negates_a = constant(4) == -1;
  plan.negates_b = constant(5) == -1;
  plan.a_mn_major = !plan.a_in_registers && constant(6) == 1;
  plan.b_mn_major = constant(plan.a_in_registers ? 6 : 7) == 1;
  return plan;
}

/// wgmma of fp8 on sm_90 keeps 13 bits of sums of 32 (numeric/tensor_core.h).
numeric::TensorCore core_of(const Product& plan, int arch) {
  if (plan.a.is_float && plan.a.bits == 8)
    return {.block = 32, .fraction_bits = 13, .result_bits = 13};
  return numeric::tensor_core(arch, plan.a.format);
}

void read_shared(const Context& context, const SharedSource& source, DenseOperand& operand) {
  const std::vector<uint32_t> all = source.shape.read(context.cta.shared, source.chunks);
  operand.elements.assign(all.begin() + static_cast<std::ptrdiff_t>(source.first * source.shape.k),
                          all.end());
}

// A from registers: element i of a lane, e elements each register, j = i % e, q = i / e, holds row
// lane / 4 + 8 (q % 2) and column e (lane % 4) + j + 4 e (q / 2).
void read_a_registers(const Context& context, const Value& list, DenseOperand& a, uint32_t k) {
  const auto registers = context.elements(list);
  const auto bits = static_cast<uint32_t>(a.type.bits), e = 32 / bits;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  a.elements.resize(size_t{kWarpRows} * k);
  for (uint32_t q = 0; q < registers.size(); ++q) {
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const uint64_t word = context.read(registers[q], static_cast<int>(lane));
      for (uint32_t j = 0; j < e; ++j) {
        const uint32_t row = lane / 4 + 8 * (q % 2), column = e * (lane % 4) + j + 4 * e * (q / 2);
        a.elements[row * k + column] = static_cast<uint32_t>(word >> (j * bits) & mask);
      }
    }
  }
}

// D: element i of a lane is row lane / 4 + 8 (i / 2 % 2), column 8 (i / 4) + 2 (lane % 4) + i % 2.
template <class F>
void each_result(const Context& context, const Value& list, bool half, F f) {
  const auto registers = context.elements(list);
  const uint32_t per = half ? 2 : 1;
  for (uint32_t i = 0; i < registers.size() * per; ++i) {
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const uint32_t row = lane / 4 + 8 * (i / 2 % 2),
                     column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
      f(registers[i / per], static_cast<int>(lane), i % per, row, column);
    }
  }
}

void read_d(const Context& context, const Step& step, const Product& plan,
            std::vector<uint32_t>& d) {
  const bool half = plan.d.bits == 16;
  each_result(context, step.operands[0], half,
              [&](const Value& value, int lane, uint32_t part, uint32_t row, uint32_t column) {
                const uint64_t word = context.read(value, lane);
                d[row * plan.n + column] =
                    static_cast<uint32_t>(half ? word >> (16 * part) & 0xffff : word);
              });
}

void write_d(const Context& context, const Step& step, const Product& plan,
             const std::vector<uint32_t>& d) {
  const bool half = plan.d.bits == 16;
  each_result(context, step.operands[0], half,
              [&](const Value& value, int lane, uint32_t part, uint32_t row, uint32_t column) {
                const uint64_t now = d[row * plan.n + column];
                const uint64_t low = part == 1 ? context.read(value, lane) & 0xffff : 0;
                context.write(value, lane, half ? now << (16 * part) | low : now);
              });
}

bool check_counts(const Context& context, const Step& step, const Product& plan) {
  const size_t wanted = plan.n / (plan.d.bits == 16 ? 4 : 2);
  const bool fits = context.elements(step.operands[0]).size() == wanted &&
                    (!plan.a_in_registers || context.elements(step.operands[1]).size() == 4);
  if (!fits) {
    context.fault(step, 0, "a matrix operand has the wrong number of registers",
                  "bad-matrix-operand");
  }
  return fits;
}

struct Sources {
  SharedSource a, b;
};

bool find_operands(const Context& context, const Step& step, const Product& plan, Sources& sources,
                   MatrixWork& work) {
  SharedOperand shape{.k = plan.k, .element_bits = plan.a.bits, .per_chunk = 128 / plan.a.bits};
  const uint32_t first = context.warp.index % kWarpgroupWarps * kWarpRows;
  shape.mn_major = plan.a_mn_major;
  if (!plan.a_in_registers &&
      !find_operand(context, step, {1, shape, first, kWarpRows, 0}, sources.a, work))
    return false;
  shape.mn_major = plan.b_mn_major;
  std::optional<uint32_t> site;  // all four warps multiply by the same B: it is read once
  if (context.warp.index % kWarpgroupWarps == 0) site = plan.a_in_registers ? 0 : 1;
  return find_operand(context, step, {2, shape, 0, plan.n, site}, sources.b, work);
}

bool by_tiles(const Context& context, const Step& step, const Product& plan, const Sources& sources,
              const numeric::TensorCore& core) {
  const bool halves = plan.a.format == plan.b.format &&
                      (plan.a.format == numeric::kF16 || plan.a.format == numeric::kBf16);
  const bool plain = plan.d.is_float && plan.d.bits == 32 && !plan.negates_a && !plan.negates_b;
  if (!plan.a.is_float || !halves || !plain || plan.k != 16) return false;
  return multiply_tiles(context, step,
                        {.n = plan.n,
                         .bf16 = plan.a.format == numeric::kBf16,
                         .adds = plan.adds,
                         .core = core,
                         .a = plan.a_in_registers ? nullptr : &sources.a,
                         .b = &sources.b});
}

void multiply(const Context& context, const Step& step, const Product& plan,
              const Sources& sources) {
  const numeric::TensorCore core = core_of(plan, context.engine.image().module().target.number);
  if (by_tiles(context, step, plan, sources, core)) return;
  DenseOperand a{.type = plan.a, .rows = kWarpRows, .negated = plan.negates_a},
      b{.type = plan.b, .rows = plan.n, .negated = plan.negates_b};
  if (plan.a_in_registers) {
    read_a_registers(context, step.operands[1], a, plan.k);
  } else {
    read_shared(context, sources.a, a);
  }
  read_shared(context, sources.b, b);
  std::vector<uint32_t> d(size_t{kWarpRows} * plan.n);
  if (plan.adds) read_d(context, step, plan, d);
  const DenseProduct product{.k = plan.k,
                             .core = core,
                             .half_result = plan.d.bits == 16,
                             .satfinite = step.variant->has(Modifier::kSatfinite)};
  product(a, b, d);
  write_d(context, step, plan, d);
}

/// The step and its registers: the same each time, so looked up once for each warp.
const MatrixWork& work_of(const Context& context, const Step& step, bool a_in_registers) {
  MatrixWork& work = context.warp.matrix.works[&step];
  if (work.step != nullptr) return work;
  const Code& code = *context.frame().code;
  work.step = &step;
  for_each_slot(code, step.operands[0], [&](uint32_t slot) { work.results.push_back(slot); });
  if (a_in_registers)
    for_each_slot(code, step.operands[1], [&](uint32_t slot) { work.operands.push_back(slot); });
  return work;
}

Outcome run_mma(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step)) return Outcome::kStay;
  const Product plan = plan_of(context, step);
  if (!check_counts(context, step, plan)) return Outcome::kStay;
  MatrixWork work = work_of(context, step, plan.a_in_registers);
  Sources sources;
  if (!find_operands(context, step, plan, sources, work)) return Outcome::kStay;
  if (!step.dropped) multiply(context, step, plan, sources);
  for (const auto& read : work.reads) begin_reads(context.cta, step, read->pieces);
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
