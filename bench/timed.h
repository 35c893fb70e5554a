// Launches under Google Benchmark: compiled once, run as often as it asks, one thread, processor
// time.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/setup.h"
#include "warpledger/exec/jit/runtime/engine.h"

namespace warpledger::bench {

struct Timed {
  double seconds = 1e9;  // of the quickest run
  double compile_seconds = 0;
  uint64_t warp_instructions = 0;
};

inline Result<Timed> time_launches(benchmark::State& state, Setup& setup,
                                   const exec::EngineOptions& options) {
  exec::jit::CodeCache cache;
  Timed timed;
  for ([[maybe_unused]] auto step : state) {
    WL_TRY(const auto engine,
           exec::jit::Engine::create(*setup.image, setup.launch, cache, options));
    if (timed.compile_seconds == 0) timed.compile_seconds = engine->compile_seconds();
    trace::NoSink sink;
    const double begun = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    WL_TRY_STATUS(trace::run_all(*engine, sink, 4));
    const double took = seconds_of(CLOCK_THREAD_CPUTIME_ID) - begun;
    state.SetIterationTime(took);
    timed.seconds = std::min(timed.seconds, took);
    timed.warp_instructions = engine->warp_instructions();
  }
  return timed;
}

/// A benchmark of `run(state)`, which may fail.
template <class Run>
auto* add_benchmark(const std::string& name, int iterations, Run run) {
  return benchmark::RegisterBenchmark(name.c_str(),
                                      [run](benchmark::State& state) {
                                        if (const Status done = run(state); !done)
                                          state.SkipWithError(to_text(done.error()).c_str());
                                      })
      ->UseManualTime()
      ->Iterations(iterations)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace warpledger::bench
