// Random valid modules through the interpreter, under a step limit: it ends with a result or a
// diagnosis, the trace keeps its contract, and a second run gives the same bytes.
#include <cstring>

#include "fuzz/random_module.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/trace/sinks.h"

namespace {

using namespace warpledger;

struct Outcome {
  std::string trace, memory, error;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(const ptx::Module& module, uint32_t threads) {
  Outcome outcome;
  exec::DeviceMemory memory(uint64_t{1} << 26);
  auto image = exec::Image::load(module, memory);
  if (!image) return {.error = to_text(image.error())};
  const uint64_t buffer = *memory.allocate(1024, "buffer");
  exec::Launch launch{.kernel = "k",
                      .grid = {2, 1, 1},
                      .block = {threads, 1, 1},
                      .params = std::vector<std::byte>(8)};
  std::memcpy(launch.params.data(), &buffer, sizeof buffer);
  const auto engine =
      exec::reference::Engine::create(*image, launch, {.warp_instructions = 20'000});
  if (!engine) return {.error = to_text(engine.error())};
  trace::DumpSink sink;
  if (const auto done = exec::reference::run_launch(**engine, sink, 2); !done)
    outcome.error = to_text(done.error());
  outcome.trace = sink.text();
  outcome.memory.assign(reinterpret_cast<const char*>(memory.find(buffer, 1024)), 1024);
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Choices choices(data, size);
  const uint32_t threads = 1 + choices.below(80);
  const std::string text = fuzz::module_of(choices);
  const ptx::Module module = fuzz::parsed(text);
  if (!(run(module, threads) == run(module, threads))) fuzz::fail("differs the second time", text);
  return 0;
}
