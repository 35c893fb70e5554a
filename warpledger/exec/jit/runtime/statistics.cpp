// What compiled code counted per block, as the interpreter counts per instruction.
#include "warpledger/exec/decode/trace_sites.h"
#include "warpledger/exec/jit/analysis/counts.h"
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/runtime/engine.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Op;
using ptx::Space;
using reference::Step;

using reference::trace_space;

void count_matrix(Statistics& statistics, const Step& step, const InstructionCount& executed) {
  auto& accesses = statistics.by_space[static_cast<size_t>(trace_space(Space::kShared))];
  const uint64_t moves = executed.lanes / 32;  // all lanes of a warp, or none
  const uint64_t rows = moves * 8 * static_cast<uint64_t>(matrices_of(step));
  (step.spelling().op() == Op::kLdmatrix ? accesses.loads : accesses.stores) += moves;
  accesses.lanes += rows;
  accesses.bytes += rows * 16;
}

void count_copy(Statistics& statistics, const Step& step, const InstructionCount& executed,
                uint64_t sources) {
  auto& from = statistics.by_space[static_cast<size_t>(trace_space(Space::kGlobal))];
  auto& to = statistics.by_space[static_cast<size_t>(trace_space(Space::kShared))];
  const uint64_t bytes = step.operands[2].value;
  from.loads += executed.executions;
  from.lanes += sources;
  from.bytes += sources * bytes;
  to.stores += executed.executions;
  to.lanes += executed.lanes;
  to.bytes += executed.lanes * bytes;
}

// Accesses that compiled code does itself; the others are counted where they are done.
void count_access(Statistics& statistics, const Step& step, const InstructionCount& executed) {
  const Op op = step.spelling().op();
  const Space space = step.spelling().space();
  if (op == Op::kLdmatrix || op == Op::kStmatrix) return count_matrix(statistics, step, executed);
  if (op != Op::kLd && op != Op::kSt) return;
  if (space == Space::kParam || space == Space::kGeneric) return;
  auto& accesses = statistics.by_space[static_cast<size_t>(trace_space(space))];
  (op == Op::kLd ? accesses.loads : accesses.stores) += executed.executions;
  accesses.lanes += executed.lanes;
  const auto bytes = static_cast<uint64_t>(step.variant->type[0].bits) / 8;
  accesses.bytes += executed.lanes * bytes * step.spelling().vector;
}

}  // namespace

uint64_t Engine::warp_instructions() const {
  uint64_t sum = 0;
  for (const Slot& slot : slots_) sum += slot.ended_instructions + slot.instructions;
  return sum;
}

std::vector<uint64_t> Engine::all_counts() const {
  std::vector<uint64_t> sum(CountPlaces(analysis_).size());
  for (const Slot& slot : slots_) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += slot.counts[i];
    for (const std::vector<uint64_t>& own : slot.own_counts)
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += own[i];
  }
  return sum;
}

// Warps of a CTA that is logged count apart.
void Engine::start_log(Slot& slot) {
  slot.own_counts.clear();
  reference_->recorder().start(slot.cta);
  if (slot.cta.log != nullptr)
    slot.own_counts.assign(slot.cta.warps.size(), std::vector<uint64_t>(slot.counts.size()));
}

void Engine::end_log(Slot& slot) {
  for (size_t warp = 0; warp < slot.own_counts.size(); ++warp) {
    const std::vector<uint64_t>& own = slot.own_counts[warp];
    for (size_t i = 0; i < own.size(); ++i) slot.counts[i] += own[i];
    std::vector<uint64_t>& executions = slot.cta.log->warps[warp].executions;
    executions.clear();
    for (const InstructionCount& one : instructions_of(own)) executions.push_back(one.executions);
  }
  slot.own_counts.clear();
  reference_->recorder().end(slot.cta);
}

std::vector<InstructionCount> Engine::instruction_counts() const {
  return instructions_of(all_counts());
}

std::vector<InstructionCount> Engine::instructions_of(const std::vector<uint64_t>& sums) const {
  std::vector<InstructionCount> counts(reference_->program().instructions());
  const std::vector<InstructionCount> of_steps = step_counts(sums);
  for (uint32_t pc = 0; pc < of_steps.size(); ++pc) {
    const Step& step = analysis_.code->steps[pc];
    if (step.extra) continue;
    counts[step.number].executions += of_steps[pc].executions;
    counts[step.number].lanes += of_steps[pc].lanes;
  }
  return counts;
}

std::vector<InstructionCount> Engine::step_counts(const std::vector<uint64_t>& sums) const {
  std::vector<InstructionCount> counts(analysis_.code->steps.size());
  const auto& blocks = analysis_.flow.cfg.blocks;
  const CountPlaces places(analysis_);
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    for (uint32_t pc = blocks[b].first; pc < blocks[b].end; ++pc) {
      counts[pc] = {sums[places.executions(b)], sums[places.lanes(b)]};
      if (analysis_.code->steps[pc].guard != UINT32_MAX)
        counts[pc].lanes = sums[places.guarded(pc)];
    }
  }
  return counts;
}

Statistics Engine::statistics() const {
  Statistics statistics = reference_->statistics();  // barriers, and accesses not compiled
  for (const Slot& slot : slots_) statistics.ctas += slot.ctas;
  statistics.warps = statistics.ctas * launch().warps();
  const std::vector<uint64_t> sums = all_counts();
  const std::vector<InstructionCount> counts = step_counts(sums);
  const CountPlaces places(analysis_);
  for (uint32_t pc = 0; pc < counts.size(); ++pc) {
    const Step& step = analysis_.code->steps[pc];
    if (step.extra) continue;
    const ptx::Spelling& spelling = reference_->program().spelling_of(step);
    statistics.warp_instructions += counts[pc].executions;
    statistics.thread_instructions += counts[pc].lanes;
    statistics.by_family[static_cast<size_t>(spelling.opcode().family)] += counts[pc].executions;
    if (is_lowered(step)) count_access(statistics, step, counts[pc]);
    if (is_lowered_copy(step)) count_copy(statistics, step, counts[pc], sums[places.sources(pc)]);
    if (analysis_.warps_run_free && step.spelling().op() == Op::kBarSync)
      statistics.barriers += counts[pc].executions;
  }
  statistics.divergent_branches += sums[places.partings()];
  return statistics;
}

}  // namespace warpledger::exec::jit
