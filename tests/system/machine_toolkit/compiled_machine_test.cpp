// Machine code compiled against machine code interpreted: every byte of memory, every record, how
// often each instruction was executed and by how many lanes.
#include <iostream>
#include <map>

#include "tests/support/machine/compiled.h"
#include "tests/support/machine/same.h"
#include "tests/unit/exec/jit/random_launch.h"
#include "warpledger/base/diagnostic.h"
#include "warpledger/exec/jit/runtime/compiler.h"
#include "warpledger/toolchain/ptxas.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::exec {
namespace {

constexpr uint64_t kKernels = 12;  // of each architecture; WL_KERNELS asks for more

bool can_compare() { return machine::can_compare() && jit::load_compiler().ok(); }

std::string cubin_of(const std::string& text, const std::string& arch) {
  const auto made =
      toolchain::run_ptxas(toolchain::find_tools("ptxas"), text, arch, {"--fmad=false"});
  if (!made) ADD_FAILURE() << to_text(made.error()) << text;
  return made ? made->cubin : "";
}

std::string header_for(const std::string& arch) {
  std::string header = RandomKernel::header();
  const std::string version = ".version 8.4", target = "sm_80";
  header.replace(header.find(version), version.size(), ".version 8.7");
  header.replace(header.find(target), target.size(), arch);
  return header;
}

/// The seed's kernel and launch.
std::string compare_random(uint64_t seed, const std::string& arch) {
  const std::string text =
      header_for(arch) + RandomKernel(seed, static_cast<int>(4 + seed % 30), true).entry("k");
  const std::string cubin = cubin_of(text, arch);
  if (cubin.empty()) return "no cubin";
  static const std::vector<Extent> kBlocks = {{32, 1, 1}, {64, 1, 1}, {16, 4, 1},
                                              {33, 1, 1}, {5, 3, 3},  {128, 1, 1}};
  static const std::vector<Extent> kWholeWarps = {{32, 1, 1}, {64, 1, 1}, {16, 4, 1}};
  testing::Rng rng(seed * 7919 + 1, 1);
  const Extent block = rng.pick(RandomKernel::needs_whole_warps(seed) ? kWholeWarps : kBlocks);
  const auto grid = static_cast<uint32_t>(rng.between(1, 3));
  TestMachine machine(text, "k.ptx");
  const Launch launch = random_launch(machine, rng, "k", grid, block);
  return machine::compare_compiled(machine.image(), launch, cubin, {.warp_instructions = 2'000'000},
                                   1);
}

class CompiledMachine : public ::testing::TestWithParam<const char*> {};

TEST_P(CompiledMachine, DoesWhatTheInterpreterDoes) {
  if (!can_compare()) GTEST_SKIP() << "no ptxas, no nvdisasm or no compiler";
  const char* many = std::getenv("WL_KERNELS");  // tools/nightly
  const char* only = std::getenv("WL_SEED");
  const uint64_t first = only != nullptr ? std::stoull(only) : 1;
  const uint64_t count = many != nullptr ? std::stoull(many) : only != nullptr ? 1 : kKernels;
  std::map<std::string, uint64_t> outcomes;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const std::string outcome = compare_random(seed, GetParam());
    ++outcomes[outcome.substr(0, outcome.find(" at '"))];
    EXPECT_FALSE(outcome.starts_with("differs"))
        << "WL_SEED=" << seed << " on " << GetParam() << ": " << outcome;
  }
  for (const auto& [outcome, times] : outcomes)
    std::cout << GetParam() << ": " << times << " " << outcome << "\n";
}

// IMAD.HI was taken to overwrite the register behind its result, and a count ignored its guard.
TEST(CompiledMachineCounts, AnUpperHalfOverwritesOneRegister) {
  if (!can_compare()) GTEST_SKIP() << "no ptxas, no nvdisasm or no compiler";
  EXPECT_EQ(compare_random(25, "sm_86"), "equal");
}

INSTANTIATE_TEST_SUITE_P(Architectures, CompiledMachine, ::testing::Values("sm_80", "sm_86"));

}  // namespace
}  // namespace warpledger::exec
