// Each rule where it applies and where it must not: the side conditions, one by one.
#include <gtest/gtest.h>

#include "tests/support/source.h"
#include "warpledger/tile/interpret.h"
#include "warpledger/tile/parser.h"
#include "warpledger/tile/rewrite/canonical.h"
#include "warpledger/tile/rewrite/search.h"

namespace warpledger::tile {
namespace {

constexpr const char* kHead =
    "program p\nsize N, d, B\nassume B divides N\nscalar c\ninput A[N, d] f32\ninput C[N, d] f32\n"
    "input W[d, d] f32\noutput O[N, d] f32\noutput M[N, N] f32\noutput Z[N/B, N, d] f32 summed "
    "over "
    "N/B\noutput Y[N/B, N, d] f32\nscratch S[N, d] f32\n";

struct Case {
  const char* rule;
  const char* why;
  const char* body;
  int uses;
};

class Rules : public ::testing::TestWithParam<Case> {};

TEST_P(Rules, ApplyWhereTheyMay) {
  const auto program = parse("t", std::string(kHead) + GetParam().body);
  ASSERT_TRUE(program) << to_text(program.error());
  const auto checked = check(*program);
  ASSERT_TRUE(checked) << to_text(checked.error());
  for (const Rule& rule : all_rules()) {
    if (rule.name != GetParam().rule) continue;
    const auto made = apply(rule, *checked);
    EXPECT_EQ(made.size(), static_cast<size_t>(GetParam().uses)) << GetParam().why;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Hoist, Rules,
    ::testing::Values(
        Case{"hoist", "the slice does not change",
             "kernel k {\n for j in N/B {\n w = copy W to shared\n }\n}\n", 1},
        Case{"hoist", "the slice is another in each turn",
             "kernel k {\n for j in N/B {\n a = copy A[j of B, :] to shared\n }\n}\n", 0},
        Case{"hoist", "the loop stores what is loaded",
             "kernel k {\n a = copy A to registers\n for j in N/B {\n s = copy S to registers\n"
             " copy a to S\n }\n}\n",
             0},
        Case{"hoist", "an accumulator is another in each turn",
             "kernel k {\n accumulator l[N, 1] f32 = 0\n a = copy A to registers\n for j in N/B {\n"
             " l += rowsum(a)\n x = l * 2\n }\n}\n",
             0}));

INSTANTIATE_TEST_SUITE_P(
    Scale, Rules,
    ::testing::Values(
        Case{"scale-into-operand", "a scalar goes through",
             "kernel k {\n a = copy A to registers\n w = copy W to shared\n s = a @ w\n"
             " p = s * c\n copy p to O\n}\n",
             1},
        Case{"scale-into-operand", "the product is needed unscaled as well",
             "kernel k {\n a = copy A to registers\n w = copy W to shared\n s = a @ w\n"
             " p = s * c\n q = s + p\n copy q to O\n}\n",
             0},
        Case{"scale-into-operand", "the factor comes from the product",
             "kernel k {\n a = copy A to registers\n w = copy W to shared\n s = a @ w\n"
             " b = a @ w\n m = rowsum(b)\n p = s / m\n copy p to O\n}\n",
             0},
        Case{"scale-into-operand", "the operand is in shared memory",
             "kernel k {\n a = copy A to shared\n w = copy W to shared\n s = a @ w\n"
             " p = s * c\n copy p to O\n}\n",
             0},
        Case{"scale-out-of-product", "a column scales rows",
             "kernel k {\n a = copy A to registers\n w = copy W to shared\n l = rowsum(a)\n"
             " p = a / l\n o = p @ w\n copy o to O\n}\n",
             1},
        Case{"scale-out-of-product", "a whole tile is no factor",
             "kernel k {\n a = copy A to registers\n b = copy C to registers\n w = copy W to "
             "shared\n"
             " p = a / b\n o = p @ w\n copy o to O\n}\n",
             0},
        Case{"scale-out-of-product", "a shift is no scale",
             "kernel k {\n a = copy A to registers\n w = copy W to shared\n l = rowsum(a)\n"
             " p = a - l\n o = p @ w\n copy o to O\n}\n",
             0}));

INSTANTIATE_TEST_SUITE_P(
    Copies, Rules,
    ::testing::Values(
        Case{"store-direct", "staging is a detour",
             "kernel k {\n a = copy A to registers\n z = copy a to shared\n copy z to O\n}\n", 1},
        Case{"store-direct", "the staged copy keeps an older value",
             "kernel k {\n accumulator x[N, d] f32 = 0\n z = copy x to shared\n x = x + 1\n"
             " copy z to O\n}\n",
             0},
        Case{"store-direct", "the staged tile has another reader",
             "kernel k {\n a = copy A to registers\n z = copy a to shared\n copy z to O\n"
             " s = a @ z^T\n copy s to M\n}\n",
             0},
        Case{"load-direct", "staging is a detour",
             "kernel k {\n a = copy A to shared\n b = copy a to registers\n copy b to O\n}\n", 1},
        Case{"load-direct", "the shared tile has another reader",
             "kernel k {\n a = copy A to shared\n b = copy a to registers\n s = b @ a^T\n"
             " copy s to M\n}\n",
             0},
        Case{"reuse-tile", "the same slice twice",
             "kernel k {\n a = copy A to shared\n b = copy A to shared\n s = a @ b^T\n"
             " copy s to M\n}\n",
             1},
        Case{"reuse-tile", "the tensor changes in between",
             "kernel k {\n a = copy A to registers\n copy a to S\n x = copy S to registers\n"
             " b = x * 2\n copy b to S\n y = copy S to registers\n z = x + y\n copy z to O\n}\n",
             0},
        Case{"operand-to-registers", "wgmma takes only its left operand from registers",
             "kernel k {\n a = copy A to shared\n b = copy C to shared\n s = a @ b^T\n"
             " copy s to M\n}\n",
             1}));

INSTANTIATE_TEST_SUITE_P(
    Loops, Rules,
    ::testing::Values(
        Case{"defer-store", "only the last turn's value stays",
             "kernel k {\n accumulator x[N, d] f32 = 0\n for j in N/B {\n x = x + 1\n"
             " copy x to O\n }\n}\n",
             1},
        Case{"defer-store", "each turn stores to a place of its own",
             "kernel k {\n for j in N/B {\n a = copy A[j of B, :] to registers\n"
             " copy a to O[j of B, :]\n }\n}\n",
             0},
        Case{"defer-store", "the value changes after the store",
             "kernel k {\n accumulator x[N, d] f32 = 0\n for j in N/B {\n copy x to O\n"
             " x = x + 1\n }\n}\n",
             0},
        Case{
            "accumulate-output", "only the sum is read",
            "kernel k {\n a = copy A to shared\n for j in N/B {\n b = copy C[j of B, :] to shared\n"
            " s = a @ b^T\n o = s @ b\n copy o to Z[j, :, :]\n }\n}\n",
            1},
        Case{
            "accumulate-output", "every tile is an output of its own",
            "kernel k {\n a = copy A to shared\n for j in N/B {\n b = copy C[j of B, :] to shared\n"
            " s = a @ b^T\n o = s @ b\n copy o to Y[j, :, :]\n }\n}\n",
            0},
        Case{"fuse-loops", "two loops that do not meet",
             "kernel k {\n accumulator x[B, d] f32 = 0\n accumulator y[B, d] f32 = 0\n"
             " for i in N/B {\n a = copy A[i of B, :] to registers\n x = x + a\n }\n"
             " for j in N/B {\n b = copy C[j of B, :] to registers\n y = y + b\n }\n}\n",
             1},
        Case{"fuse-loops", "the second needs the first one's sum",
             "kernel k {\n accumulator x[B, d] f32 = 0\n accumulator y[B, d] f32 = 0\n"
             " for i in N/B {\n a = copy A[i of B, :] to registers\n x = x + a\n }\n"
             " for j in N/B {\n b = copy C[j of B, :] to registers\n y = y + b * x\n }\n}\n",
             0}));

INSTANTIATE_TEST_SUITE_P(
    Structure, Rules,
    ::testing::Values(
        Case{"fuse-kernels", "the second reads what its block wrote",
             "kernel f(i in N/B) {\n a = copy A[i of B, :] to registers\n copy a to S[i of B, "
             ":]\n}\n"
             "kernel g(i in N/B) {\n s = copy S[i of B, :] to registers\n copy s to O[i of B, "
             ":]\n}\n",
             1},
        Case{"fuse-kernels", "the second reads what other blocks wrote",
             "kernel f(i in N/B) {\n a = copy A[i of B, :] to registers\n copy a to S[i of B, "
             ":]\n}\n"
             "kernel g(i in N/B) {\n s = copy S to shared\n a = copy A[i of B, :] to shared\n"
             " x = a @ s^T\n copy x to M[i of B, :]\n}\n",
             0},
        Case{"tile-over-grid", "rows are independent",
             "kernel k {\n a = copy A to registers\n copy a to O\n}\n", 1},
        Case{"tile-over-grid", "one tile is both rows and columns",
             "kernel k {\n a = copy A to shared\n s = a @ a^T\n copy s to M\n}\n", 0},
        Case{"tile-into-loop", "nothing is reduced over N",
             "kernel k {\n a = copy A to registers\n copy a to O\n}\n", 0},
        Case{"tile-into-loop", "the keys are",
             "kernel k {\n q = copy A to shared\n k = copy C to shared\n s = q @ k^T\n o = s @ k\n"
             " copy o to O\n}\n",
             1},
        Case{"online-softmax", "e is stored, and must be right in every turn",
             "kernel k {\n q = copy A to shared\n accumulator m[N, 1] f32 = -inf\n for i in N/B {\n"
             " k = copy C[i of B, :] to shared\n s = q @ k^T\n m max= rowmax(s)\n }\n"
             " accumulator l[N, 1] f32 = 0\n for j in N/B {\n h = copy C[j of B, :] to shared\n"
             " t = q @ h^T\n e = exp(t - m)\n l += rowsum(e)\n copy e to M[:, j of B]\n }\n}\n",
             0},
        Case{"online-softmax", "maximum, then sums of exponentials",
             "kernel k {\n q = copy A to shared\n accumulator m[N, 1] f32 = -inf\n for i in N/B {\n"
             " k = copy C[i of B, :] to shared\n s = q @ k^T\n m max= rowmax(s)\n }\n"
             " accumulator l[N, 1] f32 = 0\n for j in N/B {\n h = copy C[j of B, :] to shared\n"
             " t = q @ h^T\n e = exp(t - m)\n l += rowsum(e)\n }\n}\n",
             1},
        Case{"online-softmax", "a sum that does not start at zero cannot be rescaled",
             "kernel k {\n q = copy A to shared\n accumulator m[N, 1] f32 = -inf\n for i in N/B {\n"
             " k = copy C[i of B, :] to shared\n s = q @ k^T\n m max= rowmax(s)\n }\n"
             " accumulator l[N, 1] f32 = 1\n for j in N/B {\n h = copy C[j of B, :] to shared\n"
             " t = q @ h^T\n e = exp(t - m)\n l += rowsum(e)\n }\n}\n",
             0}));

CheckedProgram tile_file(const std::string& name) {
  auto program = load(test::source_path("tiles/") + name);
  WL_CHECK(program);
  return *program;
}

TEST(Search, GoesFromTheNaiveTileToTheRearrangedOne) {
  SearchOptions options;
  options.rules = staged_rules();
  const Optimum found = *optimize(tile_file("attention_tile_naive.tile"), options);
  EXPECT_TRUE(found.is_closed);
  EXPECT_EQ(found.best_score.bytes, 1081344);
  const Optimum rearranged = *optimize(tile_file("attention_tile_rearranged.tile"), options);
  EXPECT_EQ(rearranged.best_score, found.best_score);
  EXPECT_TRUE(rearranged.steps.empty()) << "nothing is left to gain";
}

TEST(Search, ADeclaredAccumulatorIsStoredOnce) {
  SearchOptions options;
  options.rules = staged_rules();
  const Optimum found = *optimize(tile_file("attention_tile_accumulated.tile"), options);
  EXPECT_EQ(found.best_score.bytes, 622592);
}

TEST(Search, ReachesFlashAttentionFromTheThreeKernels) {
  const CheckedProgram naive = tile_file("attention_naive.tile");
  SearchOptions options;
  options.objective = Objective::kGlobal;
  options.sizes = {{"N", 4096}, {"d", 64}, {"Br", 64}, {"Bc", 64}};
  options.gpu = *find_gpu("h100");
  options.bound = 1;
  options.rules = fusion_rules();
  const Optimum found = *optimize(naive, options);
  EXPECT_FALSE(found.best_score.is_too_large);
  EXPECT_EQ(found.best_score.bytes, 8 * 4096 * 64 * (1 + 4096 / 64));
  const Sizes small = {{"N", 12}, {"d", 5}, {"Br", 3}, {"Bc", 4}};
  const RunInput input = *random_input(naive, small, 7);
  EXPECT_LT(difference(naive, *interpret(naive, input), *interpret(found.best, input)), 1e-9);
}

TEST(Search, IsTheSameEveryTime) {
  const CheckedProgram naive = tile_file("attention_tile_naive.tile");
  const Optimum a = *optimize(naive, {}), b = *optimize(naive, {});
  EXPECT_EQ(to_text(a.best), to_text(b.best));
  EXPECT_EQ(a.steps.size(), b.steps.size());
}

TEST(Search, AsksForASizeThatHasNoValue) {
  const auto found = optimize(tile_file("attention_naive.tile"), {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, "missing-size");
}

}  // namespace
}  // namespace warpledger::tile
