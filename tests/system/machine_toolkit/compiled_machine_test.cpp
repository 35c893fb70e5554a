// Machine code compiled against machine code interpreted: every byte of memory, every record, how
// often each instruction was executed and by how many lanes.
#include <iostream>
#include <map>

#include "tests/support/machine/compiled.h"
#include "tests/support/machine/same.h"
#include "tests/system/machine_toolkit/random_kernels.h"
#include "warpledger/base/diagnostic.h"
#include "warpledger/exec/jit/runtime/compiler.h"
#include "warpledger/toolchain/ptxas.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::exec {
namespace {

bool can_compare() { return machine::can_compare() && jit::load_compiler().ok(); }

std::string cubin_of(const std::string& text, const std::string& arch) {
  const auto made =
      toolchain::run_ptxas(toolchain::find_tools("ptxas"), text, arch, {"--fmad=false"});
  if (!made) ADD_FAILURE() << to_text(made.error()) << text;
  return made ? made->cubin : "";
}

/// The seed's kernel and launch.
std::string compare_random(uint64_t seed, const std::string& arch) {
  const std::string text = header_for(arch) + entry_of(seed, "k");
  const std::string cubin = cubin_of(text, arch);
  if (cubin.empty()) return "no cubin";
  TestMachine machine(text, "k.ptx");
  const Launch launch = launch_of(machine, seed, "k");
  return machine::compare_compiled(machine.image(), launch, cubin, {.warp_instructions = 2'000'000},
                                   1);
}

class CompiledMachine : public ::testing::TestWithParam<const char*> {};

TEST_P(CompiledMachine, DoesWhatTheInterpreterDoes) {
  if (!can_compare()) GTEST_SKIP() << "no ptxas, no nvdisasm or no compiler";
  const auto [first, end] = asked_seeds();
  std::map<std::string, uint64_t> outcomes;
  for (uint64_t seed = first; seed < end; ++seed) {
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

// Lanes that read one address of their stacks were all given what the first one has there.
TEST(CompiledMachineCounts, AnAddressOfTheStackIsEachLanesOwn) {
  if (!can_compare()) GTEST_SKIP() << "no ptxas, no nvdisasm or no compiler";
  EXPECT_EQ(compare_random(52, "sm_86"), "equal");
}

INSTANTIATE_TEST_SUITE_P(Architectures, CompiledMachine, ::testing::Values("sm_80", "sm_86"));

}  // namespace
}  // namespace warpledger::exec
