// What the memory model costs: fp32 matmul through the compiled engine, bare and then through the
// L1, L2 and DRAM of an RTX 3090, in turn. Processor time per step of k of one warp (32
// multiply-adds), the smallest of some rounds.
//
//   bench_model [--rounds=3] [m n k]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "bench/matmul.h"
#include "warpledger/exec/jit/engine.h"
#include "warpledger/memory/replay.h"

namespace {

using namespace warpledger;

// What ptxas gives the kernels for sm_86.
constexpr int64_t kRegisters[] = {40, 38, 56};

struct Row {
  const bench::Matmul& kernel;
  int64_t registers;
  double bare = std::numeric_limits<double>::max(), record = bare, model = bare;
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

template <class Run>
Status time(double& best, Run run) {
  const double begun = bench::seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  WL_TRY_STATUS(run());
  best = std::min(best, bench::seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun);
  return {};
}

Status measure(Row& row, const Gpu& gpu, const bench::Extents& extents,
               exec::jit::Compiler& compiler) {
  WL_TRY(const auto setup, bench::prepare(row.kernel, extents));
  const auto engine = [&](bool record) {
    return exec::jit::Engine::create(*setup->image, setup->launch, compiler, {.record = record});
  };
  trace::NoSink sink;
  WL_TRY(const auto bare, engine(false));
  WL_TRY_STATUS(time(row.bare, [&] { return trace::run_all(*bare, sink, 4); }));
  WL_TRY(const auto recording, engine(true));
  WL_TRY_STATUS(time(row.record, [&] { return trace::run_all(*recording, sink, 4); }));
  WL_TRY(const auto modelled, engine(true));
  WL_TRY(const memory::Config config, configure(gpu, modelled->launch(), row.registers));
  return time(row.model, [&]() -> Status {
    WL_TRY(row.counters, memory::replay(*modelled, config));
    return {};
  });
}

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

Status run(const bench::Extents& extents, int rounds, const char* only) {
  WL_TRY(const Gpu gpu, find_gpu("rtx3090"));
  WL_TRY(const auto compiler, exec::jit::Compiler::create());
  std::vector<Row> rows;
  for (size_t i = 0; i < std::size(bench::kMatmuls); ++i) {
    if (std::strstr(bench::kMatmuls[i].name, only))
      rows.push_back({.kernel = bench::kMatmuls[i], .registers = kRegisters[i], .counters = {}});
  }
  for (int round = 0; round < rounds; ++round) {
    for (Row& row : rows) WL_TRY_STATUS(measure(row, gpu, extents, *compiler));
  }
  fmt::print("{} x {} x {}, ns per warp and step of k\n", extents.m, extents.n, extents.k);
  fmt::print("{:24} {:>6} {:>6}         {:>6}         {:>8} {:>8}   L2 look-ups, DRAM reads\n", "",
             "bare", "record", "model", "ns/acc", "seconds");
  for (const Row& row : rows) print(row, extents);
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  bench::Extents extents{1024, 1024, 1024};
  int rounds = 3;
  const char* only = "";
  std::vector<uint32_t> numbers;
  for (int i = 1; i < count; ++i) {
    if (std::strncmp(arguments[i], "--rounds=", 9) == 0) {
      rounds = std::atoi(arguments[i] + 9);
    } else if (std::strncmp(arguments[i], "--only=", 7) == 0) {
      only = arguments[i] + 7;
    } else {
      numbers.push_back(static_cast<uint32_t>(std::atoi(arguments[i])));
    }
  }
  if (numbers.size() == 3) extents = {numbers[0], numbers[1], numbers[2]};
  const Status done = run(extents, rounds, only);
  if (!done) fmt::print(stderr, "{}\n", to_text(done.error()));
  return done ? 0 : 1;
}
