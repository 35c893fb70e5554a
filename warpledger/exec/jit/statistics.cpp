// What compiled code counted per block, as the interpreter counts per instruction.
#include "warpledger/exec/jit/engine.h"
#include "warpledger/exec/jit/lowering.h"
#include "warpledger/exec/reference/plan.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Op;
using ptx::Space;
using reference::Step;

struct Executed {
  uint64_t times = 0, lanes = 0;
};

// Accesses that compiled code does itself; the others are counted where they are done.
void count_access(Statistics& statistics, const Step& step, const Executed& executed) {
  const Op op = step.spelling().op();
  const Space space = step.spelling().space();
  if ((op != Op::kLd && op != Op::kSt) || !is_lowered(step)) return;
  if (space == Space::kParam || space == Space::kGeneric) return;
  auto& accesses = statistics.by_space[static_cast<size_t>(reference::trace_space(space))];
  (op == Op::kLd ? accesses.loads : accesses.stores) += executed.times;
  accesses.lanes += executed.lanes;
  const auto bytes = static_cast<uint64_t>(step.variant->type[0].bits) / 8;
  accesses.bytes += executed.lanes * bytes * step.spelling().vector;
}

}  // namespace

Statistics Engine::statistics() const {
  Statistics statistics = reference_->statistics();  // barriers, and accesses not compiled
  statistics.ctas = ctas_;
  statistics.warps = ctas_ * launch().warps();
  const auto& blocks = analysis_.flow.cfg.blocks;
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    for (uint32_t pc = blocks[b].first; pc < blocks[b].end; ++pc) {
      const Step& step = analysis_.code->steps[pc];
      Executed executed{counts_[2 * b], counts_[2 * b + 1]};
      if (step.guard != UINT32_MAX) executed.lanes = counts_[2 * (blocks.size() + pc) + 1];
      statistics.warp_instructions += executed.times;
      statistics.thread_instructions += executed.lanes;
      statistics.by_family[static_cast<size_t>(step.spelling().opcode().family)] += executed.times;
      count_access(statistics, step, executed);
    }
  }
  statistics.divergent_branches += counts_[2 * (blocks.size() + analysis_.code->steps.size())];
  return statistics;
}

}  // namespace warpledger::exec::jit
