// How fast tensor-core kernels run: what Triton makes of matmul for sm_80 and of flash attention
// for sm_80, sm_90 and sm_100, fp16 operands, bare, recording and recording addresses alone; and
// mma.sync alone. One thread, processor time.
#include <fmt/core.h>

#include <bit>

#include "bench/timed.h"
#include "warpledger/exec/numeric/convert.h"
#include "warpledger/exec/semantics/tile_product.h"

namespace {

using namespace warpledger;

struct Case {
  const char *kernel, *arch;
  exec::Extent grid, block;
  uint32_t shared_bytes;
  uint64_t buffers[4];  // halves each; 0: none
  double multiply_adds;
};

constexpr int kSize = 512, kSequence = 1024, kHead = 64, kHeads = 4;
constexpr uint64_t kSquare = uint64_t{kSize} * kSize, kTokens = uint64_t{kSequence} * kHead;
constexpr uint32_t kShared = 160 * 1024;
// Causal: tiles of 128 rows and 64 columns, on and below the diagonal, two products each.
constexpr Case flash(const char* arch) {
  return {"flash",
          arch,
          {kSequence / 128, kHeads, 1},
          {128, 1, 1},
          kShared,
          {kHeads * kTokens, kHeads * kTokens, kHeads * kTokens, kHeads * kTokens},
          double(kHeads) * kSequence * (kSequence + 128) / 2 * kHead * 2};
}
constexpr Case kCases[] = {
    {"matmul",
     "sm80",
     {4, 4, 1},
     {256, 1, 1},
     kShared,
     {kSquare, kSquare, kSquare, 0},
     double(kSize) * kSquare},
    flash("sm80"),
    flash("sm90"),
    flash("sm100"),
};
struct Mode {
  const char* name;
  exec::EngineOptions options;
  int iterations;
};

uint16_t half_of(float value) {
  return static_cast<uint16_t>(
      numeric::convert(numeric::kF16, numeric::kF32, std::bit_cast<uint32_t>(value)));
}

template <class T>
void append(std::vector<std::byte>& params, T value) {
  params.resize((params.size() + sizeof value - 1) / sizeof value * sizeof value);
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  params.insert(params.end(), bytes, bytes + sizeof value);
}

Result<std::unique_ptr<bench::Setup>> prepare(const Case& which) {
  WL_TRY(std::unique_ptr<bench::Setup> setup,
         bench::load(fmt::format("tests/inputs/ptx/triton_{}.{}.ptx", which.kernel, which.arch)));
  setup->launch = {.kernel = which.kernel,
                   .grid = which.grid,
                   .block = which.block,
                   .dynamic_shared_bytes = which.shared_bytes};
  std::vector<std::byte>& params = setup->launch.params;
  for (const uint64_t halves : which.buffers) {
    if (halves == 0) continue;
    WL_TRY(const uint64_t address, setup->memory.allocate(2 * halves));
    auto* values = reinterpret_cast<uint16_t*>(setup->memory.find(address, 2 * halves));
    for (uint64_t i = 0; i < halves; ++i) values[i] = half_of(bench::any_value(i) - 0.5f);
    append(params, address);
  }
  if (which.buffers[3] == 0) {
    for (int i = 0; i < 6; ++i) append(params, kSize);  // m, n, k and strides
  } else {
    append(params, 0.125f * 1.44269504f);
    append(params, kSequence * kHead);
    append(params, kHead);
    append(params, kSequence);
  }
  append(params, uint64_t{0});
  append(params, uint64_t{0});
  return setup;
}

Status run_kernel(benchmark::State& state, const Case& which, const exec::EngineOptions& options) {
  WL_TRY(const std::unique_ptr<bench::Setup> setup, prepare(which));
  WL_TRY(const bench::Timed timed, bench::time_launches(state, *setup, options));
  state.counters["GFLOP/s"] = 2 * which.multiply_adds / timed.seconds * 1e-9;
  state.counters["compile_ms"] = timed.compile_seconds * 1e3;
  return {};
}

// mma.sync m16n8k16 alone, as compiled code calls it.
void run_tile(benchmark::State& state, const char* text) {
  ptx::SpellingFault fault;
  const auto spelling = ptx::decode_spelling(text, fault);
  const auto plan = exec::plan_product(*spelling, 80);
  const auto tile = exec::TileProduct::of(*plan);
  if (!tile) return state.SkipWithError("done by the model");
  alignas(64) uint32_t a[128], b[64], c[128], d[128];
  const bool bf16 = plan->a.type.format == numeric::kBf16;
  const auto any = [&](uint32_t i) {
    if (plan->a.element_bits == 32) return std::bit_cast<uint32_t>(float(i % 97) - 40.5f);
    const float value = bench::any_value(i) - 0.5f;
    const auto bits = static_cast<uint16_t>(numeric::convert(
        bf16 ? numeric::kBf16 : numeric::kF16, numeric::kF32, std::bit_cast<uint32_t>(value)));
    return bits * 0x10001u;
  };
  for (uint32_t i = 0; i < 128; ++i)
    a[i] = any(i), c[i] = std::bit_cast<uint32_t>(float(i) - 60.5f);
  for (uint32_t i = 0; i < 64; ++i) b[i] = any(i + 777);
  bool taken = true;
  for ([[maybe_unused]] auto step : state) {
    taken &= (*tile)(a, b, c, d);
    benchmark::DoNotOptimize(d);
  }
  if (!taken) state.SkipWithError("not taken");
  state.counters["GFLOP/s"] =
      benchmark::Counter(2.0 * plan->m * plan->n * plan->k * 1e-9 * double(state.iterations()),
                         benchmark::Counter::kIsRate);
}

}  // namespace

int main(int count, char** arguments) {
  for (const char* text : {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                           "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
                           "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
                           "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"}) {
    benchmark::RegisterBenchmark(text + 17,
                                 [text](benchmark::State& state) { run_tile(state, text); });
  }
  const Mode modes[] = {{"bare", {.record = false}, 2},
                        {"record", {}, 2},
                        {"addresses", {.values = exec::Values::kOff}, 20}};
  for (const Case& which : kCases) {
    for (const Mode& mode : modes) {
      bench::add_benchmark(fmt::format("{}.{}/{}", which.kernel, which.arch, mode.name),
                           mode.iterations, [&which, mode](benchmark::State& state) {
                             return run_kernel(state, which, mode.options);
                           });
    }
  }
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
