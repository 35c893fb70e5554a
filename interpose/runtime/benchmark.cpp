// Our own calls, for code that replaces the many runs of a benchmark by one; not part of CUDA.
#include "interpose/benchmark_values.h"
#include "interpose/runtime/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

extern "C" {

/// Launches from now on are for their durations (benchmark.h). `purpose` is for the report.
cudaError_t warpledger_begin_benchmark(const char* purpose, int is_trial, int computes_values) {
  return call([&](Core& core) {
    if (purpose == nullptr) return cudaErrorInvalidValue;
    core.benchmarks().begin(
        {.text = purpose, .is_trial = is_trial != 0, .computes_values = computes_values != 0});
    return cudaSuccess;
  });
}

/// `needs_values`: what was measured does not hold; it must be run again, computing values.
cudaError_t warpledger_end_benchmark(int* needs_values) {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  if (!core.benchmarks().is_on()) return note(cudaErrorInvalidValue);
  return note(answer(needs_values, core.end_benchmark() ? 1 : 0));
}

/// Launches from now on, but for those in benchmarks, are an autotuner's checks (benchmark.h).
cudaError_t warpledger_begin_checks() {
  return call([](Core& core) {
    core.benchmarks().begin_checks();
    return cudaSuccess;
  });
}

cudaError_t warpledger_end_checks() {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  if (!core.benchmarks().is_checking()) return note(cudaErrorInvalidValue);
  core.benchmarks().end_checks();
  return note(cudaSuccess);
}

/// Whether some of these bytes were written by launches that computed no values.
int warpledger_lacks_values(const void* at, size_t bytes) {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  return lacks_values(core, reinterpret_cast<uint64_t>(at), bytes) ? 1 : 0;
}

/// The host wrote these bytes, from others that have values or not.
void warpledger_note_values(const void* at, size_t bytes, int has_values) {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  note_values(core, reinterpret_cast<uint64_t>(at), bytes, has_values != 0);
}

/// The host needs values that were not computed.
void warpledger_need_values() {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  core.benchmarks().need_values();
}
}
