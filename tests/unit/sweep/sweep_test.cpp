// Sweeps: how a file becomes launches.
#include "warpledger/sweep/sweep.h"

#include <gtest/gtest.h>

namespace warpledger::study {
namespace {

constexpr const char* kText = R"(
file = "k.ptx"
kernel = "k_{variant}"
gpus = ["a100"]
grid = ["{n/32}", 2]
block = [32]
arguments = ["in=f32[{n*n}]", "i32:{n}"]
[parameters]
n = [64, 128]
variant = ["a", "b", "c"]
)";

Sweep parsed(const std::string& text) {
  const auto sweep = parse_sweep(Source("s.toml", text));
  EXPECT_TRUE(sweep.ok());
  return sweep.ok() ? *sweep : Sweep{};
}

TEST(Sweep, RunsEveryCombination) { EXPECT_EQ(combinations(parsed(kText)).size(), 6u); }

TEST(Sweep, FillsInFormulasAndWords) {
  const auto one = case_of(parsed(kText), {{"n", int64_t{128}}, {"variant", std::string("b")}});
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->kernel, "k_b");
  EXPECT_EQ(one->grid, (exec::Extent{4, 2, 1}));
  EXPECT_EQ(one->arguments, (std::vector<std::string>{"in=f32[16384]", "i32:128"}));
}

TEST(Sweep, RefusesWhatDoesNotComeOutWhole) {
  const auto text = fill_in("{n/32}", {{"n", int64_t{48}}});
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, "bad-sweep");
}

TEST(Sweep, RefusesAnUnknownName) { EXPECT_FALSE(fill_in("{m}", {{"n", int64_t{48}}}).ok()); }

TEST(Sweep, RefusesAFileWithoutAKernel) {
  EXPECT_FALSE(parse_sweep(Source("s.toml", "file = 'k.ptx'\n")).ok());
  EXPECT_FALSE(parse_sweep(Source("s.toml", "file = [\n")).ok());
}

}  // namespace
}  // namespace warpledger::study
