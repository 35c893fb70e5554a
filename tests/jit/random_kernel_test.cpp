// The JIT against the interpreter on random kernels: every byte of memory, every record.
#include "tests/jit/random_kernel.h"

#include "tests/exec/machine.h"
#include "tests/jit/both.h"

namespace warpledger::exec {
namespace {

struct Outcome {
  std::string difference;
  std::string text;
  bool compiled = false;
};

Outcome run_one(uint64_t seed, int size) {
  static const std::vector<Extent> kBlocks = {{32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {16, 4, 1},
                                              {8, 4, 2},  {33, 1, 1}, {5, 3, 3},  {128, 1, 1}};
  testing::Rng rng(seed * 7919 + 1, size);
  const Extent block = rng.pick(kBlocks);
  const auto grid = static_cast<uint32_t>(rng.between(1, 3));
  Outcome outcome{.text = RandomKernel(seed, size).text()};
  TestMachine machine(outcome.text, fmt::format("seed{}.ptx", seed));
  std::vector<uint32_t> input(RandomKernel::kInputs);
  for (uint32_t& value : input)
    value = static_cast<uint32_t>(rng.coin() ? rng.bits()
                                             : static_cast<uint64_t>(rng.between(-50, 50)));
  const size_t threads = size_t{block[0]} * block[1] * block[2] * grid;
  const uint64_t in = machine.put(input, "in");
  const uint64_t out =
      machine.put(std::vector<uint32_t>(threads * RandomKernel::kWordsPerThread), "out");
  const uint64_t counters = machine.put(std::vector<uint32_t>(RandomKernel::kCounters), "counters");
  const Launch launch{.kernel = "k",
                      .grid = {grid, 1, 1},
                      .block = block,
                      .params = TestMachine::pack(in, out, counters)};
  const Comparison compared = compare_engines(machine.image(), launch, {}, 2);
  outcome.compiled = compared.compiled;
  outcome.difference =
      compared.error.empty() ? compared.difference : compared.error + compared.difference;
  return outcome;
}

TEST(RandomKernels, RunAlikeInBothEngines) {
  if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  const char* nightly = std::getenv("WL_NIGHTLY");
  const char* only = std::getenv("WL_SEED");
  const uint64_t first = only != nullptr ? std::stoull(only) : 1;
  const uint64_t count = only != nullptr ? 1 : nightly != nullptr ? 20'000 : 100;
  uint64_t compiled = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const int size = static_cast<int>(4 + seed % 40);
    Outcome outcome = run_one(seed, size);
    compiled += outcome.compiled ? 1 : 0;
    if (outcome.difference.empty()) continue;
    for (int smaller = 1; smaller < size; ++smaller) {
      Outcome shrunk = run_one(seed, smaller);
      if (shrunk.difference.empty()) continue;
      outcome = std::move(shrunk);
      break;
    }
    FAIL() << "WL_SEED=" << seed << "\n" << outcome.text << outcome.difference.substr(0, 3000);
  }
  EXPECT_GT(compiled * 10, count * 9) << "too few of them compile";
}

}  // namespace
}  // namespace warpledger::exec
