// What nvcc's generated code calls before main(): fatbins, kernels and variables are written down,
// and nothing is read.
#include <unistd.h>

#include <cstring>

#include "interpose/runtime/state.h"

namespace warpledger::cuda::runtime {
namespace {

struct Wrapper {  // .nvFatBinSegment
  uint32_t magic, version;
  const void* data;
  const void* const* prelinked;  // version 2: closed by a null
};

std::string program_name() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string whole(path, length <= 0 ? 0 : static_cast<size_t>(length));
  return whole.substr(whole.rfind('/') + 1);
}

/// The address of a variable in memory that the host reads too.
void place_managed(Module& module) {
  for (auto& [host, variable] : registry().variables) {
    if (variable.module != &module || variable.managed == nullptr) continue;
    const Result<Symbol> symbol = module.symbol(variable.name);
    if (symbol) *variable.managed = symbol->bytes;
  }
}

struct CallConfiguration {
  dim3 grid, block;
  size_t shared = 0;
  void* stream = nullptr;
};
thread_local std::vector<CallConfiguration> configurations;

}  // namespace

Registry& registry() {
  static Registry* one = new Registry;
  return *one;
}

cudaError_t find_handle(Core& core, const void* function, Kernel** kernel) {
  const auto found = registry().kernels.find(function);
  if (found == registry().kernels.end()) return cudaErrorInvalidDeviceFunction;
  RegisteredKernel& known = found->second;
  if (known.kernel == nullptr) {
    if (const Error error = core.load(*known.module); error != Error::kNone) return as_cuda(error);
    const Result<Kernel*> loaded = known.module->kernel(known.name);
    if (!loaded) {
      Core::say(loaded.error());
      return cudaErrorInvalidDeviceFunction;
    }
    known.kernel = *loaded;
    registry().kernels[*loaded] = known;  // the kernel itself is a handle too
  }
  *kernel = known.kernel;
  return cudaSuccess;
}

cudaError_t find(Core& core, const void* function, Kernel** kernel) {
  Kernel* handle = nullptr;
  if (const cudaError_t error = find_handle(core, function, &handle)) return error;
  const Result<Kernel*> here = core.on_current(*handle);
  if (here) return *kernel = *here, cudaSuccess;
  Core::say(here.error());
  return cudaErrorInvalidDeviceFunction;
}

cudaError_t find(Core& core, const void* variable, Symbol* symbol) {
  const auto found = registry().variables.find(variable);
  if (found == registry().variables.end()) return cudaErrorInvalidSymbol;
  Module& module = *found->second.module;
  if (const Error error = core.load(module); error != Error::kNone) return as_cuda(error);
  const auto made = [&]() -> Result<Symbol> {
    WL_TRY(Module * here, core.on_current(module));
    return here->symbol(found->second.name);
  }();
  if (made) return *symbol = *made, cudaSuccess;
  Core::say(made.error());
  return cudaErrorInvalidSymbol;
}

}  // namespace warpledger::cuda::runtime

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

extern "C" {

void** __cudaRegisterFatBinary(void* image) {
  auto* module = new Module(program_name());
  Wrapper wrapper{};
  std::memcpy(&wrapper, image, sizeof wrapper);
  if (wrapper.magic != kWrapperMagic) {
    Core::say("the program registers code in an unknown format");
  } else {
    if (wrapper.data != nullptr) module->add_fatbin(wrapper.data);
    for (auto at = wrapper.version == 2 ? wrapper.prelinked : nullptr; at && *at; ++at)
      module->add_fatbin(*at);
  }
  return reinterpret_cast<void**>(module);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** module, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  registry().kernels[host] = {reinterpret_cast<Module*>(module), name, nullptr};
}
void __cudaRegisterVar(void** module, char* host, char*, const char* name, int, size_t size, int,
                       int) {
  registry().variables[host] = {reinterpret_cast<Module*>(module), name, size, nullptr};
}
void __cudaRegisterHostVar(void** module, const char* name, char* host, size_t size) {
  registry().variables[host] = {reinterpret_cast<Module*>(module), name, size, nullptr};
}
void __cudaRegisterManagedVar(void** module, void** host, char*, const char* name, int, size_t size,
                              int, int) {
  registry().variables[host] = {reinterpret_cast<Module*>(module), name, size, host};
}
void __cudaRegisterUnifiedTable(void**, void*) {}

char __cudaInitModule(void** handle) {
  const std::lock_guard lock(Core::get().lock());
  auto& module = *reinterpret_cast<Module*>(handle);
  if (Core::get().load(module) != Error::kNone) return 0;
  place_managed(module);
  return 1;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const CallConfiguration& top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  std::memcpy(stream, &top.stream, sizeof top.stream);
  configurations.pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* function) {
  return call([&](Core& core) {
    Kernel* kernel = nullptr;
    const cudaError_t error = find_handle(core, function, &kernel);
    const cudaError_t given = answer(handle, reinterpret_cast<cudaKernel_t>(kernel));
    return error != cudaSuccess ? error : given;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* function) {
  return __cudaGetKernel(handle, function);
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* handle, const void* function) {
  return __cudaGetKernel(reinterpret_cast<cudaKernel_t*>(handle), function);
}

int wl_runtime_not_here(const char* name) {
  Core::say(std::string(name) + " is not supported (docs/programs.md)");
  return note(cudaErrorNotSupported);
}
}
