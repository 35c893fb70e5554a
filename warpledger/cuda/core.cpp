#include "warpledger/cuda/core.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "warpledger/profile/resources.h"

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

Core::Core()
    : settings_(read_settings()),
      filter_(settings_.selection),
      kept_(settings_),
      gpu_(gpu_of(settings_)),
      memory_(settings_.memory_bytes),
      report_(settings_.report),
      progress_(settings_.progress, settings_.verbose) {
  if (memory_.device().host_base() != reinterpret_cast<std::byte*>(exec::kGlobalBase)) {
    say("the addresses of device memory are taken in this process: it cannot run here");
    sticky_ = Error::kOutOfMemory;
  }
}

void Core::say(const std::string& text) { std::fprintf(stderr, "warpledger: %s\n", text.c_str()); }
void Core::say(const Diagnostic& diagnostic) {
  std::fprintf(stderr, "warpledger: %s", to_text(diagnostic).c_str());
}

Error Core::load(Module& module) {
  const Status status = module.load(target(), memory_.device());
  if (status) return Error::kNone;
  say(status.error());
  if (status.error().code == "no-ptx") return Error::kNoBinary;
  return status.error().code == "bad-fatbin" ? Error::kInvalidImage : Error::kInvalidPtx;
}

std::vector<std::byte> Core::pack(const Kernel& kernel, void** arguments) {
  const ptx::Module& code = kernel.module->code();
  exec::Arguments packed(code, *kernel.function);
  for (size_t i = 0; packed.next_bytes() != 0; ++i) {
    if (const Status added = packed.add(arguments[i], packed.next_bytes()); !added) break;
  }
  Result<std::vector<std::byte>> bytes = packed.finish();
  return bytes ? *std::move(bytes) : std::vector<std::byte>();
}

Error Core::submit(Stream& stream, std::function<Error()> work) {
  if (stream.capture == nullptr) return work();
  stream.capture->work.push_back([work = std::move(work)] { return static_cast<int>(work()); });
  return Error::kNone;
}

Error Core::copy(uint64_t to, uint64_t from, uint64_t bytes, Stream& stream) {
  for (const uint64_t address : {to, from}) {
    if (const Status status = memory_.check(address, bytes); !status) {
      say(Diagnostic{.message = "a copy of " + status.error().message, .code = "bad-pointer"});
      return Error::kInvalidValue;
    }
  }
  return submit(stream, [this, to, from, bytes, &stream] {
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    const bool there = memory_.is_ours(to), here = memory_.is_ours(from);
    const Lane lane = there && here ? Lane::kOnDevice : there ? Lane::kToDevice : Lane::kFromDevice;
    const double rate = there && here ? kDeviceBytesPerSecond : kCopyBytesPerSecond;
    timeline_.add(stream, lane, kCopyStartSeconds + static_cast<double>(bytes) / rate);
    return Error::kNone;
  });
}

Error Core::fill(uint64_t to, const void* pattern, uint64_t width, uint64_t count, Stream& stream) {
  if (const Status status = memory_.check(to, width * count); !status) {
    say(Diagnostic{.message = "a fill of " + status.error().message, .code = "bad-pointer"});
    return Error::kInvalidValue;
  }
  uint32_t value = 0;
  std::memcpy(&value, pattern, width);
  return submit(stream, [this, to, value, width, count, &stream] {
    auto* at = reinterpret_cast<char*>(to);
    if (width == 1) {
      std::memset(at, static_cast<int>(value & 0xff), count);
    } else {
      for (uint64_t i = 0; i < count; ++i) std::memcpy(at + i * width, &value, width);
    }
    const auto bytes = static_cast<double>(width * count);
    timeline_.add(stream, Lane::kOnDevice, kCopyStartSeconds + bytes / kDeviceBytesPerSecond);
    return Error::kNone;
  });
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

}  // namespace warpledger::cuda
