// Random kernels as machine code against their PTX: every byte of memory. ptxas compiles many at a
// time, since it takes longer to start than to compile one.
#include <iostream>

#include "tests/support/machine/same.h"
#include "tests/system/machine_toolkit/random_kernels.h"
#include "warpledger/base/diagnostic.h"
#include "warpledger/toolchain/ptxas.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::exec {
namespace {

constexpr uint64_t kBatch = 40;  // in one module

struct Kernel {
  uint64_t seed;
  std::string name, entry;
};

Kernel make_kernel(uint64_t seed) {
  const std::string name = "k" + std::to_string(seed);
  return {seed, name, entry_of(seed, name)};
}

/// "" and a failure where ptxas refuses them; sm_75 lacks what some of them use.
std::string compile(const std::vector<Kernel>& kernels, const std::string& arch) {
  std::string text = header_for(arch);
  for (const Kernel& kernel : kernels) text += kernel.entry;
  const auto made =
      toolchain::run_ptxas(toolchain::find_tools("ptxas"), text, arch, {"--fmad=false"});
  if (made) return made->cubin;
  if (arch != "sm_75") ADD_FAILURE() << to_text(made.error());
  return {};
}

/// The seed's launch, as PTX and as machine code.
machine::Compared compare(const Kernel& kernel, const std::string& cubin, const std::string& arch) {
  TestMachine machine(header_for(arch) + kernel.entry, kernel.name + ".ptx");
  const Launch launch = launch_of(machine, kernel.seed, kernel.name);
  return machine::compare_cubin(machine.image(), launch, cubin, {.warp_instructions = 2'000'000},
                                1);
}

/// Compares seeds [first, end) and gives how many are equal.
uint64_t run_batch(uint64_t first, uint64_t end, const std::string& arch) {
  std::vector<Kernel> kernels;
  for (uint64_t seed = first; seed < end; ++seed) kernels.push_back(make_kernel(seed));
  const std::string cubin = compile(kernels, arch);
  uint64_t equal = 0;
  for (size_t i = 0; !cubin.empty() && i < kernels.size(); ++i) {
    const machine::Compared compared = compare(kernels[i], cubin, arch);
    machine::note_spellings(arch, compared);
    equal += compared.outcome == "equal" ? 1 : 0;
    EXPECT_EQ(compared.outcome, "equal")
        << "WL_SEED=" << kernels[i].seed << " on " << arch
        << (std::getenv("WL_SEED") == nullptr ? "" : kernels[i].entry);
  }
  return equal;
}

// Copies of part of their bytes; uniform predicates that are kept in a register.
TEST(RandomMachineFaults, AreMended) {
  if (!machine::can_compare()) GTEST_SKIP() << "no ptxas or no nvdisasm";
  for (const uint64_t seed : {80, 3256}) EXPECT_EQ(run_batch(seed, seed + 1, "sm_80"), 1U);
}

class RandomMachine : public ::testing::TestWithParam<const char*> {};

TEST_P(RandomMachine, LeavesTheMemoryOfItsPtx) {
  if (!machine::can_compare()) GTEST_SKIP() << "no ptxas or no nvdisasm";
  const auto [first, end] = asked_seeds();
  uint64_t equal = 0;
  const std::string arch = GetParam();
  const uint64_t batch = arch == "sm_75" ? 1 : kBatch;
  for (uint64_t seed = first; seed < end; seed += batch)
    equal += run_batch(seed, std::min(seed + batch, end), arch);
  std::cout << GetParam() << ": " << equal << " of " << end - first << " random kernels equal\n";
}

INSTANTIATE_TEST_SUITE_P(Architectures, RandomMachine,
                         ::testing::Values("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100",
                                           "sm_120"));

}  // namespace
}  // namespace warpledger::exec
