#include "warpledger/ledger/gate.h"

#include <gtest/gtest.h>

#include "tests/unit/ledger/samples.h"

namespace warpledger {
namespace {

Result<Gate> parse(const std::string& text) { return parse_gate(Source("--fail-if", text)); }

Ledger with_load(const Amount& bytes) {
  Movement row{"LDS", "K", {Level::kDram, Level::kSmem}, bytes};
  row.counters["sectors"] = {bytes / 32};
  return {.title = "x", .rows = {row, {"LDR", "K", {Level::kSmem, Level::kReg}, 10}}};
}

bool fails(const std::string& gate, int64_t before, int64_t after) {
  const Result<GateOutcome> outcome = check_gate(*parse(gate), with_load(before), with_load(after));
  return outcome->failed;
}

TEST(Gate, ComparesAgainstAPercentage) {
  EXPECT_FALSE(fails("dram.bytes > +2%", 1000, 1020));
  EXPECT_TRUE(fails("dram.bytes > +2%", 1000, 1021));
  EXPECT_TRUE(fails("dram.bytes >= +2%", 1000, 1020));
  EXPECT_TRUE(fails("dram.bytes > +0.5%", 1000, 1006));
  EXPECT_TRUE(fails("total.bytes >= +0%", 1000, 1000));
  EXPECT_TRUE(fails("dram.bytes > -10%", 1000, 901));
  EXPECT_FALSE(fails("dram.bytes < -10%", 1000, 900));
}

TEST(Gate, TakesGrowthFromNothingAsBeyondEveryPercentage) {
  EXPECT_TRUE(fails("dram.bytes > +1000%", 0, 1));
  EXPECT_FALSE(fails("dram.bytes > +2%", 0, 0));
}

TEST(Gate, ComparesAgainstAnAbsoluteChangeOrValue) {
  EXPECT_TRUE(fails("dram->smem.bytes > +4096", 100, 4197));
  EXPECT_FALSE(fails("dram->smem.bytes > +4096", 100, 4196));
  EXPECT_TRUE(fails("smem.bytes > 1000", 5000, 991));  // 10 more leave it
  EXPECT_TRUE(fails("total.sectors<=3", 3200, 96));
}

LAW(Gate, MetricOfTheWholeIsTheGrandTotal) {
  const Ledger ledger = testing::any_ledger(rng);
  EXPECT_EQ(*value_of(ledger, {}), grand_total(ledger));
  Amount edges = 0;
  for (const Level from : kLevels) {
    for (const Level to : kLevels) edges += value_of(ledger, {from, to})->value;
  }
  EXPECT_EQ(edges, grand_total(ledger).value);
}

TEST(Gate, PointsAtTheFault) {
  EXPECT_EQ(to_text(parse("drom.bytes > +2%").error()),
            "--fail-if:1:1: error: unknown level 'drom' [bad-gate]\n"
            "    drom.bytes > +2%\n"
            "    ^~~~\n"
            "hint: did you mean 'dram'?\n");
  EXPECT_EQ(to_text(parse("dram.bytes > 2%").error()),
            "--fail-if:1:14: error: a percentage is a change and needs a sign [bad-gate]\n"
            "    dram.bytes > 2%\n"
            "                 ^~\n"
            "hint: write +2% or -2%\n");
  for (const char* text :
       {"", "dram", "dram.", "dram.bytes", "dram.bytes = 2", "dram.bytes >", "dram.bytes > +",
        "dram.bytes > 1.", "dram.bytes > 1 MB", "dram->.bytes > 1", "dram.bytes > .5",
        "dram.bytes > 99999999999999999999999999999999999"}) {
    EXPECT_EQ(parse(text).error().code, "bad-gate") << text;
  }
}

TEST(Gate, NamesACounterThatNobodyCounts) {
  const Diagnostic error =
      check_gate(*parse("l1.sector > 1"), with_load(32), with_load(32)).error();
  EXPECT_EQ(error.message, "the ledger 'x' does not count 'sector'");
  EXPECT_EQ(error.hint, "did you mean 'sectors'?");
}

TEST(Gate, AsksForSizesOnlyWhenTheAnswerDependsOnThem) {
  const Expression N = Expression::size("N");
  const Gate gate = *parse("dram.bytes > +0");
  EXPECT_FALSE(check_gate(gate, with_load(N), with_load(N))->failed);
  EXPECT_TRUE(check_gate(gate, with_load(N), with_load(N + 1))->failed);
  EXPECT_EQ(check_gate(gate, with_load(N), with_load(2 * N)).error().message,
            "the gate 'dram.bytes > +0' depends on N");
}

TEST(Gate, SaysWhichAndByHowMuch) {
  EXPECT_EQ(check_gate(*parse(" dram.bytes > +2% "), with_load(1000), with_load(1100))->to_text(),
            "FAILED dram.bytes > +2%: 1,000 -> 1,100 (+100, +10.00 %), the limit is 1,020");
}

}  // namespace
}  // namespace warpledger
