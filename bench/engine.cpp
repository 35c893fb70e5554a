// How fast the engine runs kernels: bare, and recording the trace. fp32 matmul of `size`^3, three
// ways, one thread, processor time. ns/warp-k: one warp, one step of k (32 multiply-adds).
//
//   bench_engine [--benchmark_filter=naive] ...
#include "warpledger/exec/jit/engine.h"

#include <benchmark/benchmark.h>

#include <ctime>
#include <memory>

#include "warpledger/base/file.h"
#include "warpledger/ptx/parser.h"

namespace {

using namespace warpledger;

struct Kernel {
  const char* name;
  uint32_t tile;  // of C, a block
};
constexpr Kernel kKernels[] = {
    {"matmul_naive", 16}, {"matmul_tiled", 16}, {"matmul_register_tiled", 64}};

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Setup {
  std::unique_ptr<ptx::Module> module;
  exec::DeviceMemory memory;
  std::unique_ptr<exec::Image> image;
  exec::Launch launch;
};

Result<std::unique_ptr<Setup>> prepare(const Kernel& kernel, uint32_t size) {
  auto setup = std::make_unique<Setup>();
  WL_TRY(std::string text, read_file("tests/data/ptx/matmul.ptx"));
  WL_TRY(ptx::Module module, ptx::parse("matmul.ptx", std::move(text)));
  setup->module = std::make_unique<ptx::Module>(std::move(module));
  WL_TRY(exec::Image image, exec::Image::load(*setup->module, setup->memory));
  setup->image = std::make_unique<exec::Image>(std::move(image));
  setup->launch = {.kernel = kernel.name,
                   .grid = {size / kernel.tile, size / kernel.tile, 1},
                   .block = {16, 16, 1}};
  exec::Arguments arguments(*setup->module, *setup->module->find(kernel.name));
  const uint64_t bytes = uint64_t{size} * size * 4;
  for (const char* name : {"a", "b", "c"}) {
    WL_TRY(const uint64_t address, setup->memory.allocate(bytes, name));
    auto* values = reinterpret_cast<float*>(setup->memory.find(address, bytes));
    for (uint64_t i = 0; i < bytes / 4; ++i)
      values[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
    WL_TRY_STATUS(arguments.add(&address, sizeof address));
  }
  const auto extent = static_cast<int32_t>(size);
  for (int i = 0; i < 3; ++i) WL_TRY_STATUS(arguments.add(&extent, sizeof extent));
  WL_TRY(setup->launch.params, arguments.finish());
  return setup;
}

Status run_matmul(benchmark::State& state, const Kernel& kernel, bool record) {
  const auto size = static_cast<uint32_t>(state.range(0));
  WL_TRY(const std::unique_ptr<Setup> setup, prepare(kernel, size));
  exec::jit::CodeCache cache;
  double compile = 0;
  uint64_t instructions = 0;
  double seconds = 0;
  for ([[maybe_unused]] auto step : state) {
    WL_TRY(const auto engine,
           exec::jit::Engine::create(*setup->image, setup->launch, cache, {.record = record}));
    if (compile == 0) compile = engine->compile_seconds();
    trace::NoSink sink;
    const double begun = processor_seconds();
    WL_TRY_STATUS(trace::run_all(*engine, sink, 4));
    seconds = processor_seconds() - begun;
    state.SetIterationTime(seconds);
    instructions = engine->warp_instructions();
  }
  const double steps = double(size) * size * size / 32;
  state.counters["ns/warp-k"] = seconds / steps * 1e9;
  state.counters["GFLOP/s"] = 64 * steps / seconds * 1e-9;
  state.counters["Gwarp-inst/s"] = static_cast<double>(instructions) / seconds * 1e-9;
  state.counters["compile_ms"] = compile * 1e3;
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  for (const Kernel& kernel : kKernels) {
    for (const bool record : {false, true}) {
      const std::string name = std::string(kernel.name) + (record ? "/record" : "/bare");
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&kernel, record](benchmark::State& state) {
                                     if (const Status done = run_matmul(state, kernel, record);
                                         !done)
                                       state.SkipWithError(to_text(done.error()).c_str());
                                   })
          ->Arg(256)
          ->Arg(1024)
          ->UseManualTime()
          ->Iterations(3)
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
