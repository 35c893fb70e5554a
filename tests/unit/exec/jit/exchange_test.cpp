// Lanes of one warp that name different sets of lanes at one `.sync` instruction: both engines
// against the naive meaning, however the lanes come to it.
#include <cstdlib>
#include <iostream>

#include "tests/unit/exec/jit/both.h"
#include "tests/unit/exec/jit/exchange_oracle.h"

namespace warpledger::exec {
namespace {

constexpr uint32_t kWarpsOfABlock = 4;

uint64_t variable(const char* name, uint64_t otherwise) {
  const char* said = std::getenv(name);
  return said == nullptr ? otherwise : std::strtoull(said, nullptr, 10);
}

/// Warps in all; WL_EXCHANGE_CASES for more, WL_EXCHANGE_SEED for others.
uint64_t cases() { return variable("WL_EXCHANGE_CASES", 12'000); }

struct Batch {
  std::string text;
  Form form = Form::kConverged;
  std::vector<WarpInput> in;
};

Batch any_batch(testing::Rng& rng, const std::string& text, Form form, uint64_t warps) {
  Batch batch{text, form, {}};
  for (uint64_t i = 0; i < warps; ++i) batch.in.push_back(any_warp(rng, text, form));
  return batch;
}

struct Placed {
  uint64_t in = 0, out = 0;
  Launch launch;
};

Placed place(TestMachine& machine, const Batch& batch) {
  Placed placed;
  placed.in = machine.put(batch.in, "in");
  placed.out = machine.put(std::vector<WarpOutput>(batch.in.size()), "out");
  placed.launch = {
      .kernel = "k",
      .grid = {static_cast<uint32_t>(batch.in.size()) / kWarpsOfABlock, 1, 1},
      .block = {32 * kWarpsOfABlock, 1, 1},
      .params = TestMachine::pack(placed.in, placed.out, static_cast<uint64_t>(batch.form))};
  return placed;
}

void remove(TestMachine& machine, const Placed& placed) {
  EXPECT_TRUE(machine.memory().free(placed.in));
  EXPECT_TRUE(machine.memory().free(placed.out));
}

/// The lanes that are wrong; the first of them as text.
uint64_t judge(const Batch& batch, const std::vector<WarpOutput>& out, std::string& first) {
  uint64_t wrong = 0;
  for (size_t w = 0; w < batch.in.size(); ++w) {
    const NaiveWarp naive(batch.in[w], batch.text, batch.form);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!naive.executes(lane)) continue;
      const auto want = naive.expected(lane);
      const LaneOutput& got = out[w][lane];
      if (!want || naive.is_right(got, *want)) continue;
      if (wrong++ == 0)
        first = fmt::format("warp {} lane {} mask {:#x}: {:#x} {} instead of {:#x} {}", w, lane,
                            batch.in[w][lane].mask, got.d, got.p, want->d, want->p);
    }
  }
  return wrong;
}

void expect_right(TestMachine& machine, const Batch& batch, const Placed& placed, const char* who) {
  std::string first;
  const auto out = machine.get<WarpOutput>(placed.out, batch.in.size());
  EXPECT_EQ(judge(batch, out, first), 0u)
      << who << " '" << batch.text << "' form " << static_cast<int>(batch.form) << ": " << first;
}

void run_interpreted(TestMachine& machine, const Batch& batch) {
  const Placed placed = place(machine, batch);
  auto engine =
      reference::Engine::create(machine.image(), placed.launch, {.warp_instructions = ~0ull});
  ASSERT_TRUE(engine) << to_text(engine.error());
  trace::NoSink nobody;
  const Status done = trace::run_all(**engine, nobody, 8);
  ASSERT_TRUE(done) << batch.text << to_text(done.error());
  expect_right(machine, batch, placed, "interpreter");
  remove(machine, placed);
}

void run_compiled(TestMachine& machine, const Batch& batch) {
  const Placed placed = place(machine, batch);
  const JitRun run = run_jit(machine.image(), placed.launch, {}, 8, false);
  ASSERT_EQ(run.error, "") << batch.text << " form " << static_cast<int>(batch.form);
  expect_right(machine, batch, placed, "compiled code");
  remove(machine, placed);
}

TEST(Exchange, EveryLaneHearsOfTheLanesThatItNames) {
  const auto& spellings = exchange_spellings();
  const uint64_t warps =
      std::max<uint64_t>(1, cases() / (spellings.size() * kForms * kWarpsOfABlock)) *
      kWarpsOfABlock;
  testing::Rng rng(variable("WL_EXCHANGE_SEED", testing::kLawSeed), 1);
  uint64_t interpreted = 0, compiled = 0;
  for (const std::string& text : spellings) {
    TestMachine machine(exchange_kernel(text));
    for (int i = 0; i < kForms; ++i) {
      const auto form = static_cast<Form>(i);
      const Batch batch = any_batch(rng, text, form, warps);
      run_interpreted(machine, batch);
      interpreted += warps;
      if (HasFatalFailure()) return;
      if (!is_simple(form) || !can_compile()) continue;
      run_compiled(machine, batch);
      compiled += warps;
      if (HasFatalFailure()) return;
    }
  }
  std::cout << interpreted << " warps interpreted, " << compiled << " compiled\n";
}

// Records, counts and memory too, with values and without: one of each lowering.
TEST(Exchange, BothEnginesTellTheSame) {
  if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  testing::Rng rng(testing::kLawSeed + 1, 1);
  for (const std::string text :
       {"shfl.sync.down.b32", "vote.sync.any.pred", "vote.sync.ballot.b32", "match.any.sync.b64",
        "redux.sync.min.s32", "redux.sync.max.NaN.f32", "elect.sync", "activemask.b32",
        "bar.warp.sync"}) {
    TestMachine machine(exchange_kernel(text));
    for (int i = 0; i < kForms; ++i) {
      const Batch batch = any_batch(rng, text, static_cast<Form>(i), 2 * kWarpsOfABlock);
      const Placed placed = place(machine, batch);
      const Comparison both = compare_engines(machine.image(), placed.launch, {}, 2);
      EXPECT_EQ(both.error + both.difference.substr(0, 2000), "") << text << " form " << i;
      EXPECT_TRUE(both.compiled || !is_simple(batch.form)) << text << " form " << i;
      remove(machine, placed);
    }
  }
}

}  // namespace
}  // namespace warpledger::exec
