// Random modules through compiler and interpreter: whatever they do, nothing outside the buffers is
// written; and where a launch has one warp, so that no order shows, both end alike to the byte.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "fuzz/random_module.h"
#include "warpledger/exec/jit/runtime/engine.h"
#include "warpledger/trace/sinks.h"

namespace {

using namespace warpledger;
using fuzz::fail;

constexpr uint64_t kCapacity = uint64_t{1} << 24;  // the least that DeviceMemory has
constexpr uint64_t kBufferBytes = 1024;
constexpr uint64_t kPage = 4096;

struct Outcome {
  std::string trace, memory, code;
  bool compiled = false;
};

/// Device memory that belongs to nobody is as it was: zero. Pages that nobody touched are not
/// there.
void check_the_rest(const exec::DeviceMemory& memory, const std::string& text) {
  static const std::vector<std::byte> zeros(1 << 16);
  std::vector<unsigned char> there(kCapacity / kPage);
  if (mincore(memory.host_base(), kCapacity, there.data()) != 0) fail("mincore", text);
  uint64_t at = 0;
  const auto untouched = [&](uint64_t end) {
    while (at < end) {
      const uint64_t stop = std::min(end, (at / kPage + 1) * kPage);
      const bool touched = (there[at / kPage] & 1) != 0;
      if (touched && std::memcmp(memory.host_base() + at, zeros.data(), stop - at) != 0)
        fail("written outside of every buffer", text);
      at = stop;
    }
  };
  for (const auto& [address, allocation] : memory.allocations()) {
    untouched(address - exec::kGlobalBase);
    at += allocation.bytes;
  }
  untouched(kCapacity);
}

Status open(exec::Image& image, const exec::Launch& launch, exec::jit::CodeCache* cache,
            std::unique_ptr<exec::Engine>& engine) {
  const exec::Limits limits{.warp_instructions = 4'000};
  if (cache == nullptr) {
    WL_TRY(engine, exec::reference::Engine::create(image, launch, limits));
  } else {
    WL_TRY(engine, exec::jit::Engine::create(image, launch, *cache, {.limits = limits}));
  }
  return {};
}

Outcome run(const ptx::Module& module, const std::string& text, exec::Extent grid,
            exec::Extent block, bool compile) {
  exec::DeviceMemory memory(kCapacity);
  auto image = exec::Image::load(module, memory);
  if (!image) return {.code = image.error().code};
  const uint64_t buffer = *memory.allocate(kBufferBytes, "buffer");
  exec::Launch launch{
      .kernel = "k", .grid = grid, .block = block, .params = std::vector<std::byte>(8)};
  std::memcpy(launch.params.data(), &buffer, sizeof buffer);
  exec::jit::CodeCache cache;  // of this run alone, so that code is given back
  cache.hurry();               // LLVM's optimizer is not what is tested
  std::unique_ptr<exec::Engine> engine;
  if (const auto opened = open(*image, launch, compile ? &cache : nullptr, engine); !opened) {
    if (opened.error().code == "no-jit") fail(to_text(opened.error()), "");
    return {.code = opened.error().code};
  }
  Outcome outcome{.compiled = compile};
  trace::DumpSink sink;
  if (const auto done = trace::run_all(*engine, sink, 2); !done) outcome.code = done.error().code;
  outcome.trace = sink.text();
  outcome.memory.assign(reinterpret_cast<const char*>(memory.find(buffer, kBufferBytes)),
                        kBufferBytes);
  check_the_rest(memory, text);
  return outcome;
}

// The limit is looked at from time to time by one engine, always by the other.
void compare(const Outcome& a, const Outcome& b, const std::string& text) {
  if (a.code == "step-limit" || b.code == "step-limit") return;
  if (b.code == exec::kNeedsInterpreter || !b.compiled) return;
  if (a.code != b.code) fail("interpreter: '" + a.code + "', JIT: '" + b.code + "'", text);
  if (!a.code.empty()) return;
  if (a.memory != b.memory) fail("memory differs", text);
  if (a.trace != b.trace)
    fail("interpreter:\n" + a.trace + "JIT:\n" + b.trace + "traces differ", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Choices choices(data, size);
  const bool one_warp = choices.below(3) != 0;
  const uint32_t threads = 1 + choices.below(one_warp ? 32 : 100);
  const exec::Extent grid = {one_warp ? 1u : 2u, 1, 1};
  const exec::Extent block =
      choices.below(2) == 0 ? exec::Extent{threads, 1, 1} : exec::Extent{1 + threads / 4, 2, 2};
  const std::string text =
      fuzz::module_of(choices, {.calls = false, .clock = false, .most_text = 1'100});
  const ptx::Module module = fuzz::parsed(text);
  const bool alone = grid[0] == 1 && block[0] * block[1] * block[2] <= 32;
  const Outcome compiled = run(module, text, grid, block, true);
  if (alone) compare(run(module, text, grid, block, false), compiled, text);
  return 0;
}
