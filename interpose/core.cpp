#include "interpose/core.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstring>

#include "interpose/torch_operator.h"
#include "warpledger/profile/run/resources.h"
#include "warpledger/ptx/module.h"

namespace warpledger::cuda {
namespace {

Gpu gpu_of(const Settings& settings) {
  Result<Gpu> gpu = load_gpu(settings.gpu);
  if (gpu) return *std::move(gpu);
  Core::say(gpu.error());
  return *load_gpu(Settings{}.gpu);
}

}  // namespace

Core& Core::get() {
  static Core* core = new Core;  // kernels may be launched while the program ends
  return *core;
}

Core::Core(const Result<Settings>& settings)
    : settings_(settings ? *settings : Settings{}),
      filter_(settings_.selection),
      kept_(settings_),
      gpu_(gpu_of(settings_)),
      devices_(settings_.devices),
      memory_(settings_.memory_bytes),
      report_(settings_.report),
      progress_(settings_.progress, settings_.verbose) {
  if (memory_.device().host_base() != reinterpret_cast<std::byte*>(exec::kGlobalBase)) {
    say("this process already uses the addresses of device memory, so it cannot run here");
    sticky_ = Error::kOutOfMemory;
  }
  if (settings_.trace) timeline_.watch([this](const Span& span) { report_.add_span(span); });
  if (!settings) {
    say(settings.error());
    sticky_ = Error::kUnknown;  // never answer a different query
  }
}

void Core::say(const std::string& text) { std::fprintf(stderr, "warpledger: %s\n", text.c_str()); }
void Core::say(const Diagnostic& diagnostic) {
  std::fprintf(stderr, "warpledger: %s", to_text(diagnostic).c_str());
}

Error Core::load(Module& module) {
  const Status status = module.load(target(), memory_.device());
  if (status) return Error::kNone;
  say(with_torch_operator(status.error()));
  return refusal_error(status.error(), Error::kInvalidPtx);
}

Result<Module*> Core::on_current(Module& module) {
  return module.on(Devices::current(), target(), memory_.device());
}

Result<Kernel*> Core::on_current(Kernel& kernel) {
  WL_TRY(Module * module, on_current(*kernel.module));
  return module == kernel.module ? Result<Kernel*>(&kernel) : module->kernel(kernel.name);
}

std::optional<std::vector<std::byte>> Core::pack(const Kernel& kernel, void** arguments) {
  const ptx::Module& code = kernel.module->code();
  exec::Arguments packed(code, *kernel.function);
  for (size_t i = 0; packed.next_bytes() != 0; ++i) {
    if (arguments == nullptr || arguments[i] == nullptr) return {};
    if (const Status added = packed.add(arguments[i], packed.next_bytes()); !added) break;
  }
  Result<std::vector<std::byte>> bytes = packed.finish();
  return bytes ? *std::move(bytes) : std::vector<std::byte>();
}

const profile::Resources& Core::resources(Kernel& kernel) {
  if (kernel.resources) return *kernel.resources;
  const ptx::Module& code = kernel.module->code();
  const std::string arch =
      code.target.variant ? std::string(code.target.text) : gpu_.architecture.id;
  Result<profile::Resources> made = profile::compile_resources(code, *kernel.function, arch);
  kernel.resources =
      made ? *made
           : profile::Resources{
                 .registers = profile::kAssumedRegisters, .barriers = 1, .source = "assumed"};
  if (!made && settings_.verbose) say(made.error());
  const Result<exec::KernelLayout> layout = exec::lay_out(code, *kernel.function);
  if (layout)
    kernel.resources->static_shared_bytes = static_cast<int64_t>(layout->static_shared_bytes);
  return *kernel.resources;
}

Result<Occupancy> Core::occupancy(Kernel& kernel, int64_t threads, int64_t dynamic_bytes) {
  const profile::Resources& has = resources(kernel);
  return warpledger::occupancy(gpu_.architecture,
                               {.threads = threads,
                                .registers_per_thread = has.registers,
                                .static_smem_bytes = has.static_shared_bytes,
                                .dynamic_smem_bytes = dynamic_bytes,
                                .barriers = std::max<int64_t>(1, has.barriers)},
                               {.carveout_percent = kernel.carveout_percent});
}

int64_t Core::dynamic_shared_left(Kernel& kernel, int64_t threads, int64_t blocks) {
  // The rule is monotone.
  int64_t low = 0, high = gpu_.architecture.shared_memory.bytes_per_block_optin.value;
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    const auto fits = occupancy(kernel, threads, middle);
    const bool enough = fits && fits->blocks_per_sm >= blocks;
    (enough ? low : high) = enough ? middle : middle - 1;
  }
  return low;
}

}  // namespace warpledger::cuda
