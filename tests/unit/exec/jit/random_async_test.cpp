// Random kernels with mbarriers, bulk copies and wgmma in both engines: every byte, every record,
// every fault.
#include "tests/unit/exec/jit/random_async.h"

#include <iostream>

#include "tests/unit/exec/jit/both.h"

namespace warpledger::exec {
namespace {

constexpr uint32_t kCtas = 3;

#ifdef WL_SANITIZED
constexpr uint64_t kKernels = 3;
#else
constexpr uint64_t kKernels = 20;
#endif

/// Halves of small integers.
std::vector<uint16_t> small_halves(size_t count) {
  constexpr uint16_t kHalves[] = {0, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x3800};
  std::vector<uint16_t> halves(count);
  for (size_t i = 0; i < count; ++i) halves[i] = kHalves[i * 2654435761u % 4294967291u % 6];
  return halves;
}

Comparison run_one(const RandomAsync& kernel, uint64_t seed) {
  TestMachine machine(kernel.text(), fmt::format("seed{}.ptx", seed));
  EXPECT_TRUE(machine.is_loaded()) << kernel.text();
  if (!machine.is_loaded()) return {.error = "it does not load"};
  const uint64_t in = machine.put(small_halves(kCtas * RandomAsync::kCtaBytes / 2), "in");
  const size_t words = size_t{kCtas} * kernel.threads() * RandomAsync::kWordsPerThread;
  const uint64_t out = machine.put(std::vector<uint32_t>(words), "out");
  const uint64_t bulk = machine.put(std::vector<uint32_t>(kCtas * kernel.consumers()), "bulk");
  const Launch launch{.kernel = "k",
                      .grid = {kCtas, 1, 1},
                      .block = {kernel.threads(), 1, 1},
                      .params = TestMachine::pack(in, out, bulk)};
  return compare_engines(machine.image(), launch, {.warp_instructions = 1'000'000}, 1);
}

TEST(RandomAsyncKernels, RunAlikeInBothEngines) {
  if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  const char* many = std::getenv("WL_ASYNC_KERNELS");  // tools/nightly
  const char* only = std::getenv("WL_SEED");
  const uint64_t count = only != nullptr ? 1 : many != nullptr ? std::stoull(many) : kKernels;
  const uint64_t first = only != nullptr ? std::stoull(only) : 1;
  uint64_t compiled = 0, faulty = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const RandomAsync kernel(seed);
    const Comparison compared = run_one(kernel, seed);
    compiled += compared.compiled ? 1 : 0;
    faulty += compared.error.empty() ? 0 : 1;
    ASSERT_EQ(compared.difference.substr(0, only != nullptr ? 100'000 : 3000), "")
        << "WL_SEED=" << seed << "\n"
        << kernel.text();
    if (only != nullptr) std::cout << kernel.text() << compared.error << "\n";
  }
  if (many != nullptr)
    std::cout << count << " kernels, " << compiled << " compiled, " << faulty
              << " with a fault, all equal\n";
  EXPECT_GT(compiled * 10, count * 9) << "too few of them compile";
  EXPECT_LT(faulty * 2, count) << "too few of them run to their end";
}

}  // namespace
}  // namespace warpledger::exec
