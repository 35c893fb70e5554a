// Kernels with mbarriers, copies and wgmma as machine code against their PTX.
#pragma once

#include "tests/support/machine/same.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/base/diagnostic.h"
#include "warpledger/toolchain/ptxas.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::exec {

inline constexpr const char* kHopper = "sm_90a";
inline constexpr const char* kBlackwell = "sm_100a";

/// Kernels of sm_90a for sm_100a, which has all of them but wgmma.
inline std::string for_blackwell(std::string text) {
  const size_t at = text.find(kHopper);
  return at == std::string::npos ? text : text.replace(at, 6, kBlackwell);
}

/// Bytes for kernels to copy and multiply: small numbers as f16, bf16, f32 and fp8.
inline std::vector<uint32_t> mild_words(size_t count) {
  std::vector<uint32_t> words(count);
  uint32_t state = 1;
  for (uint32_t& word : words) {
    state = state * 1664525u + 1013904223u;
    word = (state ^ state >> 13) & 0xbf3fbf3fu;
  }
  return words;
}

/// Runs the launch both ways, compiled for `arch`, and keeps the spellings: "equal", or what else.
inline std::string compare_on(TestMachine& machine, const std::string& text, const Launch& launch,
                              const std::string& arch = kHopper) {
  const auto made =
      toolchain::run_ptxas(toolchain::find_tools("ptxas"), text, arch, {"--fmad=false"});
  if (!made) return to_text(made.error());
  const machine::Compared compared =
      machine::compare_cubin(machine.image(), launch, made->cubin, {}, 8);
  machine::note_spellings(arch, compared);
  return compared.outcome;
}

/// A kernel of parameters "p0" (input), "p1" (output), each of `words` words. What it leaves in the
/// output must not be what was there before.
inline void expect_equal(const std::string& text, Launch launch, size_t words = 4096,
                         const std::string& arch = kHopper) {
  if (!machine::can_compare()) GTEST_SKIP() << "no ptxas or no nvdisasm";
  TestMachine machine(text);
  ASSERT_TRUE(machine.is_loaded()) << text;
  const std::vector<uint32_t> before(words, 0x20202020);
  const uint64_t in = machine.put(mild_words(words)), out = machine.put(before);
  launch.kernel = "k";
  launch.params = TestMachine::pack(in, out);
  EXPECT_EQ(compare_on(machine, text, launch, arch), "equal");
  EXPECT_EQ(machine.run(launch), "");
  EXPECT_NE(machine.get<uint32_t>(out, words), before);
}

/// A kernel of sm_90a there and on sm_100a.
inline void expect_equal_on_both(const std::string& text, const Launch& launch,
                                 size_t words = 4096) {
  expect_equal(text, launch, words);
  expect_equal(for_blackwell(text), launch, words, kBlackwell);
}

}  // namespace warpledger::exec
