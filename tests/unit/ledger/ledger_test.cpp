#include "warpledger/ledger/ledger.h"

#include <gtest/gtest.h>

#include "tests/unit/ledger/samples.h"
#include "warpledger/ledger/difference.h"

namespace warpledger {
namespace {

using testing::any_ledger;

const Expression N = Expression::size("N");
const Expression Br = Expression::size("Br");
constexpr Edge kLoad = {Level::kDram, Level::kSmem};

LAW(Ledger, RowsAddUpToEdgesAndEdgesToTheTotal) {
  const Ledger ledger = any_ledger(rng);
  for (const std::string& quantity : quantities(ledger)) {
    Amount rows = 0, edges = 0;
    for (const Movement& row : ledger.rows) {
      if (row.quantity(quantity)) rows += row.quantity(quantity)->value;
    }
    for (const auto& [edge, figure] : edge_totals(ledger, quantity)) edges += figure.value;
    EXPECT_EQ(rows, edges);
    EXPECT_EQ(rows, grand_total(ledger, quantity).value);
  }
}

LAW(Ledger, WhatIsNotAttributedIsARowOfItsOwn) {
  Ledger ledger = any_ledger(rng);
  const Figure total = {testing::any_amount(rng, true), Fidelity::kMeasured};
  attribute_rest(ledger, kLoad, total);
  EXPECT_EQ(edge_totals(ledger)[kLoad].value, total.value);
  const size_t rows = ledger.rows.size();
  attribute_rest(ledger, kLoad, total);
  EXPECT_EQ(ledger.rows.size(), rows);
}

LAW(Ledger, SizesCommuteWithTotals) {
  const Ledger ledger = any_ledger(rng, true);
  const Sizes sizes = {{"N", rng.between(1, 9999)}, {"d", rng.between(1, 256)}};
  const Result<Ledger> numbers = at_sizes(ledger, sizes);
  ASSERT_TRUE(numbers);
  EXPECT_TRUE(sizes_of(*numbers).empty());
  for (const auto& [edge, figure] : edge_totals(ledger)) {
    EXPECT_EQ(edge_totals(*numbers).at(edge).value, *figure.value.evaluate(sizes));
    EXPECT_EQ(edge_totals(*numbers).at(edge).fidelity, figure.fidelity);
  }
}

TEST(Ledger, ASumIsTrustedLikeItsWeakestPart) {
  const Ledger ledger{.rows = {{"LDS", "Q", kLoad, 1, 1, Fidelity::kExact},
                               {"LDS", "K", kLoad, 1, 1, Fidelity::kModeled}}};
  EXPECT_EQ(grand_total(ledger), (Figure{2, Fidelity::kModeled}));
}

TEST(Ledger, RefusesSizesThatBreakADivision) {
  const Ledger ledger{.rows = {{"LDS", "K", kLoad, 64, N / Br}}};
  EXPECT_EQ(at_sizes(ledger, {{"N", 100}, {"Br", 64}}).error().message,
            "LDS(K) dram -> smem: N/Br is 25/16 at these sizes, not a whole number");
  EXPECT_EQ(grand_total(*at_sizes(ledger, {{"N", 128}, {"Br", 64}})).value.as_integer(), 128);
}

TEST(Ledger, KeepsSizesThatAreNotGivenAndNotesThoseThatAre) {
  const Ledger ledger{.rows = {{"LDS", "K", kLoad, 64, N / Br}}};
  const Ledger some = *at_sizes(ledger, {{"Br", 64}, {"unused", 2}});
  EXPECT_EQ(grand_total(some).value, N);
  EXPECT_EQ(some.provenance.at("sizes"), "Br=64");
  EXPECT_EQ(at_sizes(some, {{"N", 128}})->provenance.at("sizes"), "Br=64, N=128");
}

LAW(Difference, OfALedgerWithItselfIsEmpty) {
  const Ledger a = any_ledger(rng);
  const LedgerDifference nothing = difference(a, a);
  EXPECT_TRUE(nothing.is_empty());
  EXPECT_TRUE(nothing.bytes().total.delta().is_zero());
  for (const auto& [edge, change] : nothing.bytes().edges) EXPECT_TRUE(change.is_nothing());
}

LAW(Difference, IsAntisymmetric) {
  const Ledger a = any_ledger(rng), b = any_ledger(rng);
  const LedgerDifference forth = difference(a, b), back = difference(b, a);
  ASSERT_EQ(forth.quantities.size(), back.quantities.size());
  for (size_t i = 0; i < forth.quantities.size(); ++i) {
    const QuantityDifference &f = forth.quantities[i], &g = back.quantities[i];
    EXPECT_EQ(f.total, (Change{g.total.after, g.total.before}));
    ASSERT_EQ(f.rows.size(), g.rows.size());
    for (RowChange row : f.rows) {
      std::swap(row.change.before, row.change.after);
      EXPECT_NE(std::find(g.rows.begin(), g.rows.end(), row), g.rows.end());
    }
  }
}

LAW(Difference, RowsAddUpToEdgesAndEdgesToTheTotal) {
  const LedgerDifference both = difference(any_ledger(rng), any_ledger(rng));
  for (const QuantityDifference& q : both.quantities) {
    std::map<Edge, Amount> by_edge;
    Amount all = 0;
    for (const RowChange& row : q.rows) by_edge[row.edge] += row.change.delta();
    for (const auto& [edge, change] : q.edges) {
      EXPECT_EQ(change.delta(), by_edge[edge]);
      all += change.delta();
    }
    EXPECT_EQ(all, q.total.delta());
  }
}

TEST(Difference, TellsAddedRowsFromChangedOnes) {
  const Ledger a{.rows = {{"LDS", "K", kLoad, 100}, {"LDS", "Q", kLoad, 7}}};
  const Ledger b{.rows = {{"LDS", "K", kLoad, 90}, {"LDR", "Q", {Level::kSmem, Level::kReg}, 5}}};
  const std::vector<RowChange> rows = difference(a, b).bytes().rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].change.percent(), Amount(-10));
  EXPECT_FALSE(rows[1].change.after);
  EXPECT_FALSE(rows[2].change.before);
  EXPECT_EQ(rows[2].change.percent(), std::nullopt);
}

TEST(Difference, AddsRowsOfOneKeyBeforeItCompares) {
  const Ledger a{.rows = {{"LDS", "K", kLoad, 60}, {"LDS", "K", kLoad, 40}}};
  const Ledger b{.rows = {{"LDS", "K", kLoad, 100}}};
  EXPECT_TRUE(difference(a, b).is_empty());
}

TEST(Difference, NamesProvenanceThatDiffers) {
  const Ledger a{.provenance = {{"gpu", "a100"}, {"launch", "8x1"}}};
  const Ledger b{.provenance = {{"gpu", "h100"}, {"launch", "8x1"}, {"version", "2"}}};
  EXPECT_EQ(difference(a, b).provenance,
            (std::vector<std::string>{"gpu: a100 -> h100", "version: unknown -> 2"}));
}

}  // namespace
}  // namespace warpledger
