// The two loops that are timed, always compiled with -O3 (CMakeLists.txt). The arithmetic one uses
// GCC's vector type and the widest registers that the processor says it has, so that the figure
// does not depend on how we were built.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "examples/studies/ceilings.h"

namespace warpledger::study {
namespace {

using Clock = std::chrono::steady_clock;
using Lanes [[gnu::vector_size(64)]] = float;  // 16 floats: one, two or four registers

constexpr int kRepetitions = 9;
constexpr size_t kTriadElements = size_t{1} << 22;  // 32 MiB an array and thread
constexpr int kChains = 12;                         // independent sums hide the latency of an FMA
constexpr int64_t kTurns = 2'000'000;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

[[gnu::always_inline]] inline float chains(int64_t turns) {
  Lanes sums[kChains] = {};
  const Lanes factor = Lanes{} + 0.999F, more = Lanes{} + 1e-3F;
  for (int64_t turn = 0; turn < turns; ++turn) {
    for (Lanes& sum : sums) sum = sum * factor + more;
  }
  Lanes total = {};
  for (const Lanes& sum : sums) total += sum;
  return total[0] + total[15];
}

float chains_plain(int64_t turns) { return chains(turns); }
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] float chains_avx2(int64_t turns) { return chains(turns); }
[[gnu::target("avx512f")]] float chains_avx512(int64_t turns) { return chains(turns); }
#endif

float run_chains(int64_t turns) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return chains_avx512(turns);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return chains_avx2(turns);
#endif
  return chains_plain(turns);
}

struct Arrays {
  std::vector<double> a, b, c;
  explicit Arrays(size_t n) : a(n, 0.0), b(n, 1.0), c(n, 2.0) {}

  void triad() {
    double* to = a.data();
    const double *x = b.data(), *y = c.data();
    for (size_t i = 0; i < a.size(); ++i) to[i] = x[i] + 3.0 * y[i];
  }
};

/// Seconds of each repetition in which all threads do `work` at once.
std::vector<double> timed(int threads, const std::function<void(int)>& work) {
  std::vector<double> seconds;
  Clock::time_point start;
  std::barrier begin(threads, [&]() noexcept { start = Clock::now(); });
  std::barrier end(threads, [&]() noexcept { seconds.push_back(seconds_since(start)); });
  std::vector<std::jthread> team;
  for (int id = 0; id < threads; ++id) {
    team.emplace_back([&, id] {
      for (int i = 0; i < kRepetitions; ++i) {
        begin.arrive_and_wait();
        work(id);
        end.arrive_and_wait();
      }
    });
  }
  team.clear();
  return seconds;
}

std::vector<double> rates(double amount, std::vector<double> seconds) {
  for (double& s : seconds) s = amount / s;
  return seconds;
}

}  // namespace

Ceilings measure_ceilings() {
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  Ceilings made;
  made.name = "this machine";
  made.repetitions = kRepetitions;
  made.threads = threads;
  std::vector<Arrays> arrays(static_cast<size_t>(threads), Arrays(kTriadElements));
  const double triad_bytes = 24e-9 * static_cast<double>(kTriadElements) * threads;
  made.bandwidth_gbs = spread_of(
      rates(triad_bytes, timed(threads, [&](int id) { arrays[static_cast<size_t>(id)].triad(); })));
  std::vector<float> sinks(static_cast<size_t>(threads));
  const double flops = 2e-9 * 16 * kChains * static_cast<double>(kTurns) * threads;
  made.gflops = spread_of(rates(flops, timed(threads, [&](int id) {
                                  sinks[static_cast<size_t>(id)] += run_chains(kTurns);
                                })));
  // The sums are read, so that no compiler may leave the loop out.
  if (std::any_of(sinks.begin(), sinks.end(), [](float x) { return x < 0; })) made.threads = 0;
  return made;
}

}  // namespace warpledger::study
