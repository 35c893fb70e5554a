#include "warpledger/profile/run/slow_paths.h"

#include <algorithm>

#include "warpledger/exec/machine/listing.h"
#include "warpledger/profile/run/machine_run.h"

namespace warpledger::profile {
namespace {

constexpr uint64_t kMostInstructions = 300'000;  // of warps: a third of a second
constexpr uint32_t kBudget = 4096;

/// Whether the kernel has such paths, and its memory may be written once more.
bool may_take_slow_paths(const Plan& plan) {
  const exec::Extent cluster = exec::cluster_of(plan.kernel, {.cluster = plan.request.cluster});
  return plan.compiled.kernel != nullptr && !plan.compiled.is_what_runs &&
         plan.request.placed == nullptr && cluster == exec::Extent{1, 1, 1} &&
         sass::has_ptxas_own(plan.request.module, *plan.compiled.kernel);
}

/// Whether the block ran to its end within the limits.
bool run_block(exec::Engine& engine, uint64_t cta) {
  engine.start(0, cta);
  while (true) {
    const Result<trace::Progress> progress = engine.run(0, kBudget);
    for (trace::Buffer& buffer : engine.buffers(0)) buffer.clear();
    if (!progress || *progress == trace::Progress::kBlocked) return false;
    if (*progress == trace::Progress::kEnded) return true;
  }
}

/// Blocks inside the grid: those at its edges are the ones that are unlike the others. What was
/// executed of whole blocks; of a part of one where that is all that the limit allows.
std::vector<exec::InstructionCount> run_some(exec::Engine& engine) {
  const uint64_t ctas = engine.launch().ctas();
  std::vector<exec::InstructionCount> counts;
  engine.set_slots(1);
  for (const uint64_t quarter : {2, 1, 3}) {
    const bool is_whole = run_block(engine, ctas * quarter / 4);
    if (is_whole || counts.empty()) counts = engine.instruction_counts();
    if (!is_whole) break;
  }
  return counts;
}

/// Of the kernel's own instructions; nothing where the two listings are not of one code.
std::optional<std::vector<uint64_t>> executions_of(
    const exec::machine::Listing& listing, const std::vector<exec::InstructionCount>& counts,
    const sass::KernelWitness& kernel) {
  const auto own =
      std::ranges::find(listing.functions, listing.kernel, &exec::machine::Listing::Function::name);
  if (own == listing.functions.end() || listing.code.size() < own->first + kernel.code.size())
    return {};
  std::vector<uint64_t> executions;
  for (size_t i = 0; i < kernel.code.size(); ++i) {
    if (listing.code[own->first + i].opcode != kernel.code[i].opcode) return {};
    executions.push_back(counts[own->first + i].executions);
  }
  return executions;
}

}  // namespace

std::unique_ptr<exec::Engine> open_slow_paths(const Plan& plan, const exec::EngineOptions& options,
                                              Loaded& loaded) {
  if (!may_take_slow_paths(plan)) return nullptr;
  exec::EngineOptions own = options;
  own.engine = exec::EngineChoice::kMachine;
  own.values = exec::Values::kOn;
  own.architecture = architecture_of(plan.request);
  own.record = false;
  own.count = true;
  own.limits.warp_instructions = kMostInstructions;
  auto opened = exec::open_engine(*loaded.image, loaded.launch, own);
  return opened ? *std::move(opened) : nullptr;
}

sass::Shares see_slow_paths(const Plan& plan, exec::Engine& machine) {
  const std::vector<exec::InstructionCount> counts = run_some(machine);
  const auto executions = executions_of(*machine.listing(), counts, *plan.compiled.kernel);
  if (!executions) return {};
  return sass::seen_shares(plan.request.module, *plan.compiled.kernel, *executions);
}

}  // namespace warpledger::profile
