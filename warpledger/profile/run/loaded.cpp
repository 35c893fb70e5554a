#include "warpledger/profile/run/loaded.h"

#include "warpledger/base/word_hash.h"
#include "warpledger/exec/memory/live.h"
#include "warpledger/profile/run/machine_run.h"
#include "warpledger/ptx/module.h"

namespace warpledger::profile {
namespace {

Status open(const Request& request, exec::EngineOptions options, Loaded& loaded) {
  options.record = true;
  options.architecture = architecture_of(request);
  options.count = true;
  WL_TRY(loaded.engine, exec::open_engine(*loaded.image, loaded.launch, options));
  if (request.placed != nullptr && request.placed->discards)
    loaded.discards = loaded.engine->watch();
  loaded.may_keep_stores = request.placed != nullptr && request.placed->reads_memory;
  return {};
}

Status place(const Request& request, const ptx::Function& kernel, Loaded& loaded) {
  loaded.memory.emplace();
  WL_TRY(loaded.own, exec::Image::load(request.module, *loaded.memory));
  loaded.image = &*loaded.own;
  WL_TRY(loaded.launch.params, exec::pass_arguments(request.module, kernel, request.arguments,
                                                    *loaded.memory, loaded.arguments));
  return {};
}

/// Memory as it was before the run that needs the interpreter after all. What was discarded has
/// been taken back.
void put_back(Placed& placed) {
  WL_CHECK(placed.before.has_value() || placed.discards);
  if (placed.before) placed.before->restore();
  placed.before.reset();
  placed.began_again = true;
}

}  // namespace

namespace {

using Contents = std::map<uint64_t, uint64_t>;  // hashes by allocation

Contents contents_of(const exec::DeviceMemory& memory) {
  Contents contents;
  for (const auto& [address, bytes] : exec::live_bytes(memory))
    contents[address] = hash_words(bytes);
  return contents;
}

// What the launch wrote is poison: the stores that it dropped, and those that it kept, which only a
// launch can have whose addresses depend on memory.
void discard(exec::ValueWatch& watch, exec::DeviceMemory& memory, bool may_keep_stores) {
  const exec::Poison dropped = memory.poison();
  const Contents after = may_keep_stores ? contents_of(memory) : Contents{};
  watch.take_back();
  for (const auto& [address, end] : dropped.ranges()) memory.poison().add(address, end - address);
  const Contents before = may_keep_stores ? contents_of(memory) : Contents{};
  for (const auto& [address, hash] : after) {
    if (before.at(address) != hash)
      memory.poison().add(address, memory.allocations().at(address).bytes);
  }
}

}  // namespace

Loaded::~Loaded() {
  if (discards == nullptr) return;
  if (has_ended) {
    discard(*discards, image->memory(), may_keep_stores);
  } else {
    discards->take_back();
  }
}

Result<std::unique_ptr<Loaded>> load(const Request& request, const ptx::Function& kernel,
                                     exec::EngineOptions options) {
  auto loaded = std::make_unique<Loaded>();
  loaded->launch = {.kernel = std::string(kernel.name),
                    .grid = request.grid,
                    .block = request.block,
                    .cluster = request.cluster,
                    .dynamic_shared_bytes = request.dynamic_shared_bytes};
  if (request.placed != nullptr) {
    loaded->image = &request.placed->image;
    loaded->launch.params = request.placed->params;
    loaded->launch.grid_workspace = request.placed->grid_workspace;
  } else {
    WL_TRY_STATUS(place(request, kernel, *loaded));
  }
  WL_TRY_STATUS(open(request, options, *loaded));
  if (request.placed != nullptr && request.placed->may_begin_again && !loaded->discards &&
      loaded->engine->may_need_interpreter())
    request.placed->before.emplace(loaded->image->memory());
  return loaded;
}

std::vector<FallbackWay> fallbacks(const Request& request, exec::EngineOptions& options) {
  std::vector<FallbackWay> ways;
  const auto compute_values = [&request, &options](const Diagnostic&) {
    const Placed* placed = request.placed;
    if (placed != nullptr && !placed->image.memory().poison().empty()) return false;
    options.values = exec::Values::kOn;
    return true;
  };
  if (options.values != exec::Values::kOn) ways.push_back({{Fallback::kValues}, compute_values});
  const auto interpret = [&request, &options](const Diagnostic&) {
    options.may_begin_again = options.compile_machine_code = false;
    if (request.placed != nullptr) put_back(*request.placed);
    return true;
  };
  if (options.may_begin_again && (options.engine == exec::EngineChoice::kAuto ||
                                  options.engine == exec::EngineChoice::kMachine))
    ways.push_back({{Fallback::kInterpreter}, interpret});
  return ways;
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
  return open(request, options, *loaded);
}

std::vector<NamedRange> ranges_of(const exec::DeviceMemory& memory, const Placed* placed) {
  std::vector<NamedRange> ranges;
  for (const auto& [address, allocation] : memory.allocations()) {
    if (allocation.is_free) continue;
    ranges.push_back({allocation.name, address, allocation.bytes});
    if (placed == nullptr) continue;
    const auto named = placed->names.find(address);
    if (named != placed->names.end()) ranges.back().name = named->second;
    ranges.back().is_host = placed->host.contains(address);
  }
  return ranges;
}

}  // namespace warpledger::profile
