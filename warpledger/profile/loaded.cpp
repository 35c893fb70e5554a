#include "warpledger/profile/loaded.h"

namespace warpledger::profile {
namespace {

Status open(exec::EngineOptions options, Loaded& loaded) {
  options.record = true;
  options.count = true;
  WL_TRY(loaded.engine, exec::open_engine(*loaded.image, loaded.launch, options));
  return {};
}

}  // namespace

Result<std::unique_ptr<Loaded>> load(const Request& request, const ptx::Function& kernel,
                                     exec::EngineOptions options) {
  auto loaded = std::make_unique<Loaded>();
  WL_TRY(loaded->image, exec::Image::load(request.module, loaded->memory));
  loaded->launch = {.kernel = std::string(kernel.name),
                    .grid = request.grid,
                    .block = request.block,
                    .dynamic_shared_bytes = request.dynamic_shared_bytes};
  std::vector<exec::Argument> arguments = request.arguments;
  WL_TRY(loaded->launch.params,
         exec::pass_arguments(request.module, kernel, arguments, loaded->memory));
  WL_TRY_STATUS(open(options, *loaded));
  return loaded;
}

Status reload(const Request& request, const ptx::Function& kernel,
              const exec::EngineOptions& options, std::unique_ptr<Loaded>& loaded) {
  const auto watch = loaded->engine->watch();
  if (watch == nullptr) {
    loaded.reset();  // two of them may not fit
    WL_TRY(loaded, load(request, kernel, options));
    return {};
  }
  watch->take_back();
  return open(options, *loaded);
}

std::vector<NamedRange> ranges_of(const exec::DeviceMemory& memory) {
  std::vector<NamedRange> ranges;
  for (const auto& [address, allocation] : memory.allocations()) {
    if (!allocation.is_free) ranges.push_back({allocation.name, address, allocation.bytes});
  }
  return ranges;
}

}  // namespace warpledger::profile
