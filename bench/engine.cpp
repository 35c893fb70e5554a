// How fast the engine runs kernels: bare, recording the trace, and address-only (without values),
// bare and recording. fp32 matmul of m x n x k, three ways, one thread, processor time. ns/warp-k:
// one warp, one step of k (32 multiply-adds).
//
//   bench_engine [--benchmark_filter=naive] ...
#include "bench/matmul.h"
#include "bench/timed.h"

namespace {

using namespace warpledger;

struct Way {
  const char* name;
  bool record;
  exec::Values values;
};
constexpr Way kWays[] = {{"/bare", false, exec::Values::kOn},
                         {"/record", true, exec::Values::kOn},
                         {"/addresses", false, exec::Values::kOff},
                         {"/addresses_record", true, exec::Values::kOff}};

Status run_matmul(benchmark::State& state, const bench::Matmul& kernel, const Way& way) {
  const bench::Extents extents{static_cast<uint32_t>(state.range(0)),
                               static_cast<uint32_t>(state.range(1)),
                               static_cast<uint32_t>(state.range(2))};
  WL_TRY(const std::unique_ptr<bench::Setup> setup, bench::prepare(kernel, extents));
  WL_TRY(const bench::Timed timed,
         bench::time_launches(state, *setup, {.record = way.record, .values = way.values}));
  const double steps = extents.warp_steps();
  state.counters["ns/warp-k"] = timed.seconds / steps * 1e9;
  state.counters["GFLOP/s"] = 64 * steps / timed.seconds * 1e-9;
  state.counters["Gwarp-inst/s"] =
      static_cast<double>(timed.warp_instructions) / timed.seconds * 1e-9;
  state.counters["compile_ms"] = timed.compile_seconds * 1e3;
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  for (const bench::Matmul& kernel : bench::kMatmuls) {
    for (const Way& way : kWays) {
      bench::add_benchmark(std::string(kernel.name) + way.name, 3,
                           [&](benchmark::State& state) { return run_matmul(state, kernel, way); })
          ->Args({256, 256, 256})
          ->Args({1024, 1024, 1024});
    }
  }
  // The launch of a published profile: 133 G thread instructions.
  bench::add_benchmark("matmul_naive/large", 1, [](benchmark::State& state) {
    return run_matmul(state, bench::kMatmuls[0], kWays[0]);
  })->Args({4000, 3000, 2000});
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
