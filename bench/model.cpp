// What the memory model costs: fp32 matmul through the compiled engine, bare and then through the
// L1, L2 and DRAM of an RTX 3090, in turn. Processor time per step of k of one warp (32
// multiply-adds), the smallest of some rounds.
//
//   bench_model [--rounds=3] [--only=naive] [--threads=2] [m n k]
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "bench/matmul.h"
#include "warpledger/exec/run/engine.h"
#include "warpledger/memory/replay.h"

namespace {

using namespace warpledger;

// What ptxas gives the kernels for sm_86.
constexpr int64_t kRegisters[] = {40, 38, 56};

struct Row {
  const bench::Matmul& kernel;
  int64_t registers;
  double bare = std::numeric_limits<double>::max(), record = bare, model = bare;
  double bare_threads = bare, model_threads = bare;  // seconds by the clock
  double bare_wall = bare, model_wall = bare;
  bool same = true;  // counters of several threads and of one
  memory::Counters counters;
};

Result<memory::Config> configure(const Gpu& gpu, const trace::Launch& launch, int64_t registers) {
  warpledger::Launch shape;
  for (size_t axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = launch.grid[axis];
    shape.block[axis] = launch.block[axis];
  }
  shape.registers_per_thread = registers;
  shape.static_smem_bytes = launch.shared_bytes;
  return memory::configure(gpu, shape);
}

struct Clocks {
  double processor = bench::seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  double wall = bench::seconds_of(CLOCK_MONOTONIC);
};

template <class Run>
Status time(double& processor, double& wall, Run run) {
  const Clocks begun;
  WL_TRY_STATUS(run());
  const Clocks ended;
  processor = std::min(processor, ended.processor - begun.processor);
  wall = std::min(wall, ended.wall - begun.wall);
  return {};
}

class Measurement {
 public:
  Measurement(Row& row, const Gpu& gpu, const bench::Extents& extents, uint32_t threads)
      : row_(row), gpu_(gpu), extents_(extents), threads_(threads) {}

  Status run() {
    WL_TRY(setup_, bench::prepare(row_.kernel, extents_));
    double unused = row_.record;
    WL_TRY_STATUS(run_bare(false, 1, row_.bare, row_.bare_wall));
    WL_TRY_STATUS(run_bare(true, 1, row_.record, unused));
    WL_TRY_STATUS(run_model(1, row_.model, row_.model_wall));
    if (threads_ == 1) return {};
    WL_TRY_STATUS(run_bare(false, threads_, unused, row_.bare_threads));
    const memory::Counters by_one = row_.counters;
    WL_TRY_STATUS(run_model(threads_, unused, row_.model_threads));
    row_.same &= by_one == row_.counters;
    return {};
  }

 private:
  Result<std::unique_ptr<exec::Engine>> open(bool record) {
    return exec::open_engine(*setup_->image, setup_->launch,
                             {.engine = exec::EngineChoice::kJit, .record = record});
  }
  Status run_bare(bool record, uint32_t threads, double& processor, double& wall) {
    trace::NoSink sink;
    WL_TRY(const auto engine, open(record));
    return time(processor, wall, [&] { return trace::run_all(*engine, sink, 4, threads); });
  }
  Status run_model(uint32_t threads, double& processor, double& wall) {
    WL_TRY(const auto engine, open(true));
    WL_TRY(const memory::Config config, configure(gpu_, engine->launch(), row_.registers));
    return time(processor, wall, [&]() -> Status {
      WL_TRY(row_.counters, memory::replay(*engine, config, {}, threads));
      return {};
    });
  }

  Row& row_;
  const Gpu& gpu_;
  const bench::Extents& extents_;
  uint32_t threads_;
  std::unique_ptr<bench::Setup> setup_;
};

void print(const Row& row, const bench::Extents& extents) {
  const double each = 1e9 / extents.warp_steps();
  uint64_t accesses = 0;
  for (const memory::SiteCounters& site : row.counters.sites) accesses += site.request.instructions;
  fmt::print("{:24} {:6.2f} {:6.2f} ({:.2f}x) {:6.2f} ({:.2f}x) {:8.2f} {:8.2f}   {} {}\n",
             row.kernel.name, row.bare * each, row.record * each, row.record / row.bare,
             row.model * each, row.model / row.bare,
             1e9 * (row.model - row.bare) / static_cast<double>(accesses), row.model,
             row.counters.l2.lookups(), row.counters.dram.read_sectors);
}

void print_threads(const Row& row, uint32_t threads) {
  fmt::print("{:24} {} threads: bare {:.2f}x, model {:.2f}x, {}\n", row.kernel.name, threads,
             row.bare_wall / row.bare_threads, row.model_wall / row.model_threads,
             row.same ? "same counters" : "COUNTERS DIFFER");
}

Status run(const bench::Extents& extents, int rounds, const char* only, uint32_t threads) {
  WL_TRY(const Gpu gpu, find_gpu("rtx3090"));
  std::vector<Row> rows;
  for (size_t i = 0; i < std::size(bench::kMatmuls); ++i) {
    if (std::strstr(bench::kMatmuls[i].name, only))
      rows.push_back({.kernel = bench::kMatmuls[i], .registers = kRegisters[i], .counters = {}});
  }
  for (int round = 0; round < rounds; ++round) {
    for (Row& row : rows) WL_TRY_STATUS(Measurement(row, gpu, extents, threads).run());
  }
  fmt::print("{} x {} x {}, ns per warp and step of k\n", extents.m, extents.n, extents.k);
  fmt::print("{:24} {:>6} {:>6}         {:>6}         {:>8} {:>8}   L2 look-ups, DRAM reads\n", "",
             "bare", "record", "model", "ns/acc", "seconds");
  for (const Row& row : rows) print(row, extents);
  for (const Row& row : rows) {
    if (threads > 1) print_threads(row, threads);
  }
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  bench::Extents extents{1024, 1024, 1024};
  int rounds = 3;
  const char* only = "";
  uint32_t threads = 1;
  std::vector<uint32_t> numbers;
  for (int i = 1; i < count; ++i) {
    if (std::strncmp(arguments[i], "--rounds=", 9) == 0) {
      rounds = std::atoi(arguments[i] + 9);
    } else if (std::strncmp(arguments[i], "--threads=", 10) == 0) {
      threads = static_cast<uint32_t>(std::atoi(arguments[i] + 10));
    } else if (std::strncmp(arguments[i], "--only=", 7) == 0) {
      only = arguments[i] + 7;
    } else {
      numbers.push_back(static_cast<uint32_t>(std::atoi(arguments[i])));
    }
  }
  if (numbers.size() == 3) extents = {numbers[0], numbers[1], numbers[2]};
  const Status done = run(extents, rounds, only, threads);
  if (!done) fmt::print(stderr, "{}\n", to_text(done.error()));
  return done ? 0 : 1;
}
