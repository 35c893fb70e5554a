#include "warpledger/exec/translate/engine.h"

#include <algorithm>
#include <cstring>

#include "warpledger/base/check.h"
#include "warpledger/exec/machine/sites.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/translate/check.h"
#include "warpledger/exec/translate/split.h"
#include "warpledger/ptx/parser.h"

namespace warpledger::exec::translate {
namespace {

/// The slots of registers whose names begin so: %u, %v, %e.
std::vector<bool> slots_of_warp(const reference::Code& code) {
  std::vector<bool> slots(code.slots);
  constexpr size_t kUniform = 1, kUniformPairs = 3, kUniformPredicates = 5;  // declarations()
  for (const size_t range : {kUniform, kUniformPairs, kUniformPredicates}) {
    const ptx::RegisterRange& registers = code.function->registers[range];
    for (uint32_t i = 0; i < registers.count; ++i) slots[code.slot_of[registers.first + i]] = true;
  }
  return slots;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(Image& image, const exec::Launch& launch,
                                               std::string cubin, jit::CodeCache& cache,
                                               const EngineOptions& options,
                                               machine::Spellings allowed, Parting parting) {
  std::unique_ptr<Engine> engine(new Engine);
  if (options.limits.bad_accesses != nullptr) return refusal("bad accesses are to be noted");
  engine->request_ = launch;
  engine->original_ = &image;
  WL_TRY(engine->loaded_, machine::load(image, launch, std::move(cubin), allowed));
  const machine::Loaded& loaded = engine->loaded_;
  if (loaded.cluster_blocks() != 1) return refusal("it runs in clusters");
  engine->sites_ = machine::plan_sites(engine->loaded_.program);
  // Quicker where it does the same.
  Status made = parting == Parting::kByAddress
                    ? refusal("asked for")
                    : engine->compile(image.memory(), cache, options, false);
  if (!made && made.error().fallback == Fallback::kInterpreter)
    made = engine->compile(image.memory(), cache, options, true);
  WL_TRY_STATUS(made);
  engine->trace_launch_ = {.grid = launch.grid,
                           .block = launch.block,
                           .shared_bytes = loaded.shared_bytes,
                           .sites = &engine->sites_,
                           .shapes = &engine->compiled_->shapes()};
  return engine;
}

Status Engine::compile(DeviceMemory& memory, jit::CodeCache& cache, const EngineOptions& options,
                       bool by_address) {
  WL_TRY(translation_, translate(loaded_, sites_, by_address));
  auto module = ptx::parse("machine code", translation_.text);
  if (!module) return refusal("its translation is not valid PTX: " + module.error().message);
  compiled_.reset();
  image_.reset();
  calls_.clear();
  module_ = std::make_unique<ptx::Module>(*std::move(module));
  WL_TRY(Image image, Image::load(*module_, memory));
  image_ = std::make_unique<Image>(std::move(image));
  fill_constants();
  EngineOptions with = options;
  with.values = Values::kOn;
  with.count = true;
  const jit::Adaptation adaptation{.edit = [this](reference::Program& program) { adapt(program); },
                                   .check =
                                       [this](const jit::Analysis& analysis) {
                                         return check_flow(analysis, loaded_, uniform_);
                                       }};
  WL_TRY(compiled_, jit::Engine::create(*image_, translated_launch(), cache, with, adaptation));
  if (compiled_->may_need_interpreter())
    return refusal("its warps may wait for lanes of their own in diverged code");
  return {};
}

exec::Launch Engine::translated_launch() const {
  exec::Launch launch = request_;
  launch.kernel = kKernelName;
  launch.cluster = {1, 1, 1};
  launch.dynamic_shared_bytes = loaded_.shared_bytes - loaded_.layout->shared_begin;
  launch.params = bank_bytes(loaded_, translation_.places);
  return launch;
}

void Engine::fill_constants() {
  if (translation_.indexed_bank < 0) return;
  const std::string& bank = loaded_.banks[static_cast<size_t>(translation_.indexed_bank)];
  std::vector<std::byte>& held = image_->constants();
  WL_CHECK(held.size() >= bank.size());
  if (!bank.empty()) std::memcpy(held.data(), bank.data(), bank.size());
}

/// Steps get what their lines say.
void Engine::adapt(reference::Program& program) {
  reference::Code& code = *program.codes[0];
  WL_CHECK(code.steps.size() == translation_.lines.size());
  for (size_t i = 0; i < code.steps.size(); ++i) {
    const Line& line = translation_.lines[i];
    reference::Step& step = code.steps[i];
    step.number = line.number;
    step.extra = !line.counted;
    if (line.site != machine::kNoSite) step.site = line.site;
    step.loads = line.loads;
    step.waits = line.waits;
    step.names_all_here = line.names_all_here;
    step.of_first_lane = line.of_first_lane;
    step.convergence = line.convergence;
    if (line.is_call) {
      step.variant = &calls_.emplace_back(*step.variant, loaded_, line.number);
      step.run = run_call;
    }
    step.mark_before = step.mark_after = step.gives_way = false;
  }
  program.sites = sites_;
  const std::vector<bool> of_warp = slots_of_warp(code);
  const std::vector<uint32_t> origin = split_registers(code, *module_);
  uniform_.clear();
  for (const uint32_t slot : origin) uniform_.push_back(of_warp[slot]);
  code.by_address = translation_.by_address;
  code.of_warp = uniform_;
}

trace::Freedom Engine::freedom() const {
  if (machine::may_communicate(loaded_.program)) return trace::Freedom::kOrdered;
  return compiled_->freedom();
}

Result<trace::Progress> Engine::run(uint32_t slot, uint32_t budget) {
  auto progress = compiled_->run(slot, budget);
  if (progress) return progress;
  Diagnostic fault = progress.error();
  fault.at = {};  // a place in the translation
  if (fault.fallback == Fallback::kNone) fault.fallback = Fallback::kInterpreter;
  return fault;
}

std::vector<InstructionCount> Engine::instruction_counts() const {
  std::vector<InstructionCount> counts = compiled_->instruction_counts();
  counts.resize(loaded_.program.instructions.size());
  return counts;
}

Statistics Engine::statistics() const {
  Statistics all = compiled_->statistics();
  all.warp_instructions = all.thread_instructions = 0;
  all.by_family = {};
  const std::vector<InstructionCount> counts = instruction_counts();
  for (size_t i = 0; i < counts.size(); ++i) {
    all.warp_instructions += counts[i].executions;
    all.thread_instructions += counts[i].lanes;
    const machine::Row* row = loaded_.program.instructions[i].row;
    if (row != nullptr && (row->opcode == "BRA" || row->opcode == "BRX"))
      all.by_family[static_cast<size_t>(ptx::Family::kControl)] += counts[i].executions;
  }
  return all;
}

bool Engine::renew(const std::vector<std::byte>& params) {
  if (params.size() != request_.params.size()) return false;
  request_.params = params;
  loaded_.banks[0] = machine::bank_zero(request_, loaded_);
  machine::fill_constants(*original_, loaded_.cubin, loaded_.banks[3]);
  fill_constants();
  return compiled_->renew(bank_bytes(loaded_, translation_.places));
}

}  // namespace warpledger::exec::translate
