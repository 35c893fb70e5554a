// How fast the engine runs kernels: bare, recording the trace, and address-only (without values),
// bare and recording. fp32 matmul of m x n x k, three ways, one thread, processor time. ns/warp-k:
// one warp, one step of k (32 multiply-adds).
//
//   bench_engine [--benchmark_filter=naive] ...
#include "warpledger/exec/jit/engine.h"

#include <benchmark/benchmark.h>

#include <algorithm>
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

struct Size {
  uint64_t m, n, k;
};

Result<std::unique_ptr<Setup>> prepare(const Kernel& kernel, const Size& size) {
  auto setup = std::make_unique<Setup>();
  WL_TRY(std::string text, read_file("tests/data/ptx/matmul.ptx"));
  WL_TRY(ptx::Module module, ptx::parse("matmul.ptx", std::move(text)));
  setup->module = std::make_unique<ptx::Module>(std::move(module));
  WL_TRY(exec::Image image, exec::Image::load(*setup->module, setup->memory));
  setup->image = std::make_unique<exec::Image>(std::move(image));
  setup->launch = {.kernel = kernel.name,
                   .grid = {static_cast<uint32_t>((size.n + kernel.tile - 1) / kernel.tile),
                            static_cast<uint32_t>((size.m + kernel.tile - 1) / kernel.tile), 1},
                   .block = {16, 16, 1}};
  exec::Arguments arguments(*setup->module, *setup->module->find(kernel.name));
  const std::pair<const char*, uint64_t> arrays[] = {
      {"a", size.m * size.k}, {"b", size.k * size.n}, {"c", size.m * size.n}};
  for (const auto& [name, elements] : arrays) {
    const uint64_t bytes = 4 * elements;
    WL_TRY(const uint64_t address, setup->memory.allocate(bytes, name));
    auto* values = reinterpret_cast<float*>(setup->memory.find(address, bytes));
    for (uint64_t i = 0; i < elements; ++i)
      values[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
    WL_TRY_STATUS(arguments.add(&address, sizeof address));
  }
  for (const uint64_t extent : {size.m, size.n, size.k}) {
    const auto value = static_cast<int32_t>(extent);
    WL_TRY_STATUS(arguments.add(&value, sizeof value));
  }
  WL_TRY(setup->launch.params, arguments.finish());
  return setup;
}

struct Way {
  const char* name;
  bool record;
  exec::Values values;
};
constexpr Way kWays[] = {{"/bare", false, exec::Values::kOn},
                         {"/record", true, exec::Values::kOn},
                         {"/addresses", false, exec::Values::kOff},
                         {"/addresses_record", true, exec::Values::kOff}};

Status run_matmul(benchmark::State& state, const Kernel& kernel, const Way& way) {
  const Size size{static_cast<uint64_t>(state.range(0)), static_cast<uint64_t>(state.range(1)),
                  static_cast<uint64_t>(state.range(2))};
  WL_TRY(const std::unique_ptr<Setup> setup, prepare(kernel, size));
  exec::jit::CodeCache cache;
  double compile = 0;
  uint64_t instructions = 0;
  double seconds = 1e9;  // of the quickest run
  for ([[maybe_unused]] auto step : state) {
    WL_TRY(const auto engine,
           exec::jit::Engine::create(*setup->image, setup->launch, cache,
                                     {.record = way.record, .values = way.values}));
    if (compile == 0) compile = engine->compile_seconds();
    trace::NoSink sink;
    const double begun = processor_seconds();
    WL_TRY_STATUS(trace::run_all(*engine, sink, 4));
    const double took = processor_seconds() - begun;
    state.SetIterationTime(took);
    seconds = std::min(seconds, took);
    instructions = engine->warp_instructions();
  }
  const double steps = double(size.m) * double(size.n) * double(size.k) / 32;
  state.counters["ns/warp-k"] = seconds / steps * 1e9;
  state.counters["GFLOP/s"] = 64 * steps / seconds * 1e-9;
  state.counters["Gwarp-inst/s"] = static_cast<double>(instructions) / seconds * 1e-9;
  state.counters["compile_ms"] = compile * 1e3;
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  for (const Kernel& kernel : kKernels) {
    for (const Way& way : kWays) {
      const std::string name = std::string(kernel.name) + way.name;
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&kernel, &way](benchmark::State& state) {
                                     if (const Status done = run_matmul(state, kernel, way); !done)
                                       state.SkipWithError(to_text(done.error()).c_str());
                                   })
          ->Args({256, 256, 256})
          ->Args({1024, 1024, 1024})
          ->UseManualTime()
          ->Iterations(3)
          ->Unit(benchmark::kMillisecond);
    }
  }
  // The launch of a published profile: 133 G thread instructions.
  benchmark::RegisterBenchmark("matmul_naive/large",
                               [](benchmark::State& state) {
                                 if (const Status done = run_matmul(state, kKernels[0], kWays[0]);
                                     !done)
                                   state.SkipWithError(to_text(done.error()).c_str());
                               })
      ->Args({4000, 3000, 2000})
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
