#include "warpledger/exec/jit/runtime/matrix.h"

#include "warpledger/exec/jit/analysis/lowering.h"

namespace warpledger::exec::jit {

MatrixTable::MatrixTable(reference::Engine& engine, const Analysis& analysis) {
  entries_.resize(analysis.code->steps.size());
  for (size_t pc = 0; pc < entries_.size(); ++pc) {
    const reference::Step& step = analysis.code->steps[pc];
    if (step.spelling().op() != ptx::Op::kMma || !is_lowered(step)) continue;
    const Result<MatrixProduct>& plan = engine.product(step.spelling());
    if (!plan) continue;
    const auto counts = matrix_registers(step);
    const bool fits = counts.a >= plan->a.registers() && counts.b >= plan->b.registers() &&
                      counts.c >= plan->c.registers() && counts.d <= plan->d.registers();
    if (fits) entries_[pc] = std::make_unique<Entry>(&plan.value(), TileProduct::of(*plan));
  }
}

namespace {

MatrixRegisters registers_at(const uint32_t (*rows)[32], int count) {
  MatrixRegisters registers(static_cast<size_t>(count));
  for (size_t r = 0; r < registers.size(); ++r) std::copy_n(rows[r], 32, registers[r].begin());
  return registers;
}

}  // namespace

bool MatrixTable::multiply(WarpContext& context, uint32_t pc) const {
  const Entry* entry = entries_[pc].get();
  if (entry == nullptr) return false;
  MatrixOperands& m = context.matrix;
  if (entry->tile && (*entry->tile)(m.a[0], m.b[0], m.c[0], m.d[0])) return true;
  const MatrixProduct& plan = *entry->plan;
  const MatrixRegisters d =
      plan(registers_at(m.a, plan.a.registers()), registers_at(m.b, plan.b.registers()),
           registers_at(m.c, plan.c.registers()));
  for (size_t r = 0; r < d.size(); ++r) {
    for (size_t lane = 0; lane < 32; ++lane) m.d[r][lane] = static_cast<uint32_t>(d[r][lane]);
  }
  return true;
}

}  // namespace warpledger::exec::jit
