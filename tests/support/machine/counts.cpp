#include "tests/support/machine/counts.h"

#include <fmt/core.h>

#include <cstdlib>
#include <fstream>

#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/machine/engine.h"
#include "warpledger/exec/memory/snapshot.h"
#include "warpledger/ptx/cfg.h"
#include "warpledger/sass/witness/counts.h"
#include "warpledger/trace/sinks.h"

namespace warpledger::exec::machine {
namespace {

/// Blocks of the kernel and of each function that it may call, as the interpreter ran them.
sass::BlockCounts blocks_of(const ptx::Module& module, const KernelLayout& layout,
                            const reference::Engine& engine) {
  sass::BlockCounts counts;
  counts.has_diverged = engine.statistics().divergent_branches != 0;
  const auto executed = engine.instruction_counts();
  uint32_t first = 0;
  for (const uint32_t index : layout.functions) {
    const ptx::Function& function = module.functions[index];
    for (const ptx::Block& block : ptx::build_cfg(module, function).blocks)
      counts.functions[index].blocks.push_back(
          block.first >= block.end ? 0 : executed[first + block.first].executions);
    first += static_cast<uint32_t>(function.instructions.size());
  }
  return counts;
}

/// What the engine counts for each instruction of the witness's code.
std::vector<uint64_t> executions_of(const sass::KernelWitness& kernel, const Engine& engine) {
  const auto executed = engine.instruction_counts();
  std::vector<uint64_t> counts;
  for (size_t i = 0; i < kernel.code.size() && i < executed.size(); ++i)
    counts.push_back(executed[i].executions);
  counts.resize(kernel.code.size());
  return counts;
}

std::string differences(const sass::KernelWitness& kernel, const sass::SassCounts& map,
                        const std::vector<uint64_t>& executed) {
  std::string text;
  for (size_t b = 0; b < kernel.blocks.size(); ++b) {
    const uint64_t ran = executed[kernel.blocks[b].first];
    if (ran != map.blocks[b])
      text += fmt::format(" {:x}:{}/{}", kernel.code[kernel.blocks[b].first].address, map.blocks[b],
                          ran);
  }
  return text;
}

}  // namespace

void compare_counts(Image& image, const exec::Launch& launch, const Limits& limits, uint32_t slots,
                    const std::string& arch) {
  const char* path = std::getenv("WL_MACHINE_COUNTS");
  if (path == nullptr) return;
  const ptx::Module& module = image.module();
  const auto kernel = find_kernel(module, launch.kernel);
  const auto assembly = sass::assemble(module, arch);
  if (!kernel || !assembly) return;
  const auto layout = lay_out(module, **kernel);
  const auto told = sass::witness(**assembly);
  const sass::KernelWitness* witness = told ? told->find((*kernel)->name) : nullptr;
  if (!layout || witness == nullptr) return;
  const MemorySnapshot before(image.memory());
  trace::NoSink sink;
  auto reference = reference::Engine::create(image, launch, limits);
  if (!reference || !trace::run_all(**reference, sink, slots)) return before.restore();
  const sass::SassCounts map =
      sass::count_sass(module, *witness, blocks_of(module, *layout, **reference));
  before.restore();
  auto engine =
      Engine::create(image, launch, *(*assembly)->binary.bytes, limits, true, Spellings::kAll);
  if (!engine || !trace::run_all(**engine, sink, slots)) return before.restore();
  before.restore();
  std::ofstream(path, std::ios::app)
      << fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", launch.kernel, arch, map.total,
                     (*engine)->statistics().warp_instructions,
                     map.fidelity == Fidelity::kExact ? "exact" : "modeled",
                     differences(*witness, map, executions_of(*witness, **engine)));
}

}  // namespace warpledger::exec::machine
