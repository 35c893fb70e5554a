// The same memory, records and counters from any number of threads.
#include <gmock/gmock.h>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"
#include "tests/unit/exec/jit/random_kernel.h"
#include "warpledger/memory/replay.h"

namespace warpledger::exec {
namespace {

struct Prepared {
  explicit Prepared(std::string text) : machine(std::move(text), "kernel.ptx") {}
  TestMachine machine;
  Launch launch = {};
};

std::unique_ptr<Prepared> prepare(uint64_t seed, uint32_t grid) {
  auto prepared = std::make_unique<Prepared>(RandomKernel(seed, 12).text());
  std::vector<uint32_t> input(RandomKernel::kInputs);
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<uint32_t>(i * 2654435761u);
  TestMachine& machine = prepared->machine;
  const uint64_t in = machine.put(input, "in");
  const uint64_t out =
      machine.put(std::vector<uint32_t>(64 * grid * RandomKernel::kWordsPerThread), "out");
  const uint64_t counters = machine.put(std::vector<uint32_t>(RandomKernel::kCounters), "counters");
  const uint64_t scratch =
      machine.put(std::vector<uint32_t>(grid * RandomKernel::kScratchWords), "scratch");
  prepared->launch = {.kernel = "k",
                      .grid = {grid, 1, 1},
                      .block = {64, 1, 1},
                      .params = TestMachine::pack(in, out, counters, scratch)};
  return prepared;
}

TEST(Threads, MemoryRecordsAndCountersAreTheSame) {
  uint32_t parallel = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const auto prepared = prepare(seed, 24);
    Image& image = prepared->machine.image();
    const Limits limits{.warp_instructions = 1'000'000};
    const MemorySnapshot before(image.memory());
    const JitRun once = run_jit(image, prepared->launch, limits, 1);
    const MemorySnapshot by_one(image.memory());
    if (!once.error.empty()) continue;
    for (const uint32_t threads : {2u, 4u}) {
      before.restore();
      const JitRun again = run_jit(image, prepared->launch, limits, 1, true, threads);
      EXPECT_EQ(again.error, "") << "seed " << seed;
      EXPECT_EQ(again.trace, once.trace) << "seed " << seed;
      EXPECT_EQ(described(again.statistics), described(once.statistics)) << "seed " << seed;
      EXPECT_EQ(first_difference(by_one, MemorySnapshot(image.memory())), "") << "seed " << seed;
    }
    const auto engine = jit::Engine::create(image, prepared->launch, jit::shared_code_cache({}));
    parallel += engine && (*engine)->freedom() == trace::Freedom::kParallel;
  }
  EXPECT_GT(parallel, 0u);
}

TEST(Threads, TheMemoryModelCountsTheSame) {
  memory::Config config;
  config.sms = 7;
  config.ctas_per_sm = 2;
  config.l1_bytes = 16 * 1024;
  config.l2.bytes = 128 * 1024;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::optional<memory::Counters> once;
    for (const uint32_t threads : {1u, 2u, 4u}) {
      const auto prepared = prepare(seed, 100);
      auto engine = jit::Engine::create(prepared->machine.image(), prepared->launch,
                                        jit::shared_code_cache({}));
      if (!engine || (*engine)->may_need_interpreter()) break;
      const auto counters = memory::replay(**engine, config, {}, threads);
      if (!counters.ok()) break;
      if (!once) once = *counters;
      EXPECT_EQ(*counters, *once) << "seed " << seed << ", " << threads << " threads";
    }
  }
}

constexpr const char* kFaulty = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .u64 %rd<4>;
  .reg .u32 %r<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
)";

TEST(Threads, TheFaultOfTheLowestCtaIsReported) {
  std::string first;
  for (const uint32_t threads : {1u, 2u, 4u}) {
    TestMachine machine(kFaulty, "faulty.ptx");
    const uint64_t out = machine.put(std::vector<uint32_t>(40), "out");
    const Launch launch{
        .kernel = "k", .grid = {500, 1, 1}, .block = {32, 1, 1}, .params = TestMachine::pack(out)};
    const JitRun run = run_jit(machine.image(), launch, {}, 1, true, threads);
    EXPECT_NE(run.error, "");
    if (first.empty()) first = run.error;
    EXPECT_EQ(run.error, first);
  }
}

constexpr const char* kTicket = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .u64 %rd<6>;
  .reg .u32 %r<4>;
  ld.param.u64 %rd1, [out];
  atom.global.add.u32 %r1, [%rd1], 1;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r2, %ctaid.x;
  st.global.u32 [%rd3+4], %r2;
  ret;
}
)";

TEST(Threads, ATicketCounterKeepsTheOrderOfCtas) {
  TestMachine machine(kTicket, "ticket.ptx");
  const uint64_t out = machine.put(std::vector<uint32_t>(33), "out");
  const Launch launch{
      .kernel = "k", .grid = {32, 1, 1}, .block = {1, 1, 1}, .params = TestMachine::pack(out)};
  const auto engine = jit::Engine::create(machine.image(), launch, jit::shared_code_cache({}));
  if (!engine) GTEST_SKIP() << "built without LLVM";
  EXPECT_EQ((*engine)->freedom(), trace::Freedom::kOrdered);
}

}  // namespace
}  // namespace warpledger::exec
