// Ledgers and capacity: against the interpreter's counts, and against figures known by hand.
#include "warpledger/tile/cost.h"

#include <gmock/gmock.h>

#include "tests/support/source.h"
#include "tests/unit/tile/random_program.h"
#include "warpledger/tile/capacity.h"
#include "warpledger/tile/interpret.h"
#include "warpledger/tile/parser.h"

namespace warpledger::tile {
namespace {

using ::testing::HasSubstr;
using warpledger::testing::Rng;

CheckedProgram tile_file(const std::string& name, const Sizes& sizes = {}) {
  auto program = load(test::source_path("tiles/") + name);
  WL_CHECK(program);
  return *with_sizes(*program, sizes);
}

LAW_ROUNDS(Cost, LedgerEqualsWhatTheInterpreterCounts, 30) {
  const Sizes sizes = {{"N", 4}, {"d", rng.between(1, 3)}, {"B", 2}};
  const CheckedProgram symbolic = testing::RandomProgram(rng).make();
  const auto run = interpret(symbolic, *random_input(symbolic, sizes, 1));
  ASSERT_TRUE(run) << to_text(run.error());
  std::map<Edge, int64_t> counted;
  for (const auto& [spaces, bytes] : run->bytes) {
    counted[{level_of(spaces.first), level_of(spaces.second)}] += bytes;
  }
  for (const auto& [edge, total] : edge_totals(ledger_of(*with_sizes(symbolic, sizes)))) {
    EXPECT_EQ(total.value.as_integer(), counted[edge]) << to_text(edge) << to_text(symbolic);
  }
}

TEST(Cost, OfTheTwoTilePrograms) {
  const Ledger naive = ledger_of(tile_file("attention_tile_naive.tile"));
  const Ledger better = ledger_of(tile_file("attention_tile_rearranged.tile"));
  EXPECT_EQ(grand_total(naive).value, Expression(1196032));
  EXPECT_EQ(grand_total(better).value, Expression(1081344));
}

TEST(Cost, TheExchangeIsExplainedByTensor) {
  const Ledger naive = ledger_by_tensor(tile_file("attention_tile_naive.tile"));
  const Ledger better = ledger_by_tensor(tile_file("attention_tile_rearranged.tile"));
  EXPECT_EQ(exchange_text(naive, better),
            "114,688 bytes fewer: 131,072 saved (WGMMA(Q)), 16,384 spent (LDR(Q))");
}

TEST(Cost, OfOneBlockTimesTheGridIsTheWhole) {
  const CheckedProgram flash = tile_file("attention_flash.tile");
  const Expression blocks = Expression::size("N") / Expression::size("Br");
  EXPECT_EQ(grand_total(ledger_of(flash, LedgerScope::kBlock)).value * blocks,
            grand_total(ledger_of(flash, LedgerScope::kGrid)).value);
}

TEST(Cost, TensorMemoryHasEdgesOfItsOwn) {
  const CheckedProgram gemm = tile_file("gemm_tcgen05.tile", {{"M", 256}, {"N", 256}, {"K", 128}});
  const auto totals = edge_totals(ledger_of(gemm));
  // Two blocks of 128 x 256 accumulators, read once; A and B read by each of two products.
  EXPECT_EQ(totals.at({Level::kTmem, Level::kReg}).value, Expression(2 * 128 * 256 * 4));
  EXPECT_EQ(totals.at({Level::kSmem, Level::kReg}).value, Expression(2 * 2 * (128 + 256) * 64 * 2));
}

TEST(Capacity, SaysByHowMuchAProgramDoesNotFit) {
  const Sizes sizes = {{"N", 4096}, {"d", 64}, {"Br", 64}, {"Bc", 64}};
  const CheckedProgram naive = tile_file("attention_naive.tile", sizes);
  const auto needs = needs_of(naive, sizes, *find_gpu("h100"));
  ASSERT_TRUE(needs);
  EXPECT_EQ(needs->front().needed, 2 * 4096 * 64 * 4);  // q and k whole
  EXPECT_FALSE(needs->front().fits());
  const auto flash = needs_of(tile_file("attention_flash.tile", sizes), sizes, *find_gpu("h100"));
  for (const Need& need : *flash) EXPECT_TRUE(need.fits()) << need.resource;
}

TEST(Capacity, AnAccumulatorLivesThroughItsLoopAndAStreamedTileDoesNot) {
  const CheckedProgram gemm = tile_file("gemm_tcgen05.tile");
  const auto buffers = buffers_of(gemm->kernels[0], gemm.types()[0]);
  ASSERT_EQ(buffers[0].tile, "c");
  ASSERT_EQ(buffers[1].tile, "a");
  EXPECT_LT(buffers[0].begin, buffers[1].begin);
  EXPECT_GT(buffers[0].end, buffers[1].end);
  EXPECT_TRUE(buffers[1].is_async);
}

TEST(Capacity, CountsTensorMemoryColumns) {
  const Sizes sizes = {{"M", 256}, {"N", 256}, {"K", 128}, {"Bm", 128}, {"Bn", 256}, {"Bk", 64}};
  const auto needs = needs_of(tile_file("gemm_tcgen05.tile", sizes), sizes, *find_gpu("b200"));
  ASSERT_TRUE(needs);
  EXPECT_EQ(needs->back().resource, "TMEM columns");
  EXPECT_EQ(needs->back().needed, 256);
}

TEST(Sizes, AMisspeltSizeGetsASuggestion) {
  const auto sized = with_sizes(tile_file("attention_flash.tile"), {{"BR", 4}});
  ASSERT_FALSE(sized);
  EXPECT_THAT(sized.error().hint, HasSubstr("did you mean 'Br'?"));
  EXPECT_FALSE(parse_sizes("N=x"));
}

}  // namespace
}  // namespace warpledger::tile
