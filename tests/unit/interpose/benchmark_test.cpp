// Benchmarks: what is cached for how long, and who learns that values are missing.
#include "interpose/benchmark.h"

#include <gtest/gtest.h>

namespace warpledger::cuda {
namespace {

TEST(Benchmarks, ADurationIsRememberedUntilTheOutermostEnds) {
  Benchmarks benchmarks;
  benchmarks.begin({});
  benchmarks.begin({.text = "trial BLOCK: 64", .is_trial = true});
  benchmarks.keep("a", {.seconds = 2});
  EXPECT_FALSE(benchmarks.end());
  ASSERT_NE(benchmarks.find("a"), nullptr);
  EXPECT_EQ(benchmarks.find("a")->seconds, 2);
  EXPECT_FALSE(benchmarks.end());
  EXPECT_EQ(benchmarks.find("a"), nullptr);
}

TEST(Benchmarks, ALaunchWithoutAKeyIsNeverRemembered) {
  Benchmarks benchmarks;
  benchmarks.begin({});
  benchmarks.keep("", {.seconds = 2});
  EXPECT_EQ(benchmarks.find(""), nullptr);
}

TEST(Benchmarks, OnlyTheInnermostSaysWhetherALaunchIsATrial) {
  Benchmarks benchmarks;
  EXPECT_FALSE(benchmarks.is_trial());
  benchmarks.begin({});
  EXPECT_FALSE(benchmarks.is_trial());
  benchmarks.begin({.text = "trial", .is_trial = true});
  EXPECT_TRUE(benchmarks.is_trial());
  benchmarks.end();
  EXPECT_FALSE(benchmarks.is_trial());
}

TEST(Benchmarks, ALaunchThatChecksIsAnAutotunersUnlessABenchmarkMakesIt) {
  Benchmarks benchmarks;
  benchmarks.begin_checks();
  EXPECT_TRUE(benchmarks.is_trial());
  EXPECT_FALSE(benchmarks.is_on());
  benchmarks.begin({});
  EXPECT_FALSE(benchmarks.is_trial());
  benchmarks.end();
  benchmarks.begin_checks();
  benchmarks.end_checks();
  EXPECT_TRUE(benchmarks.is_checking());
  benchmarks.end_checks();
  EXPECT_FALSE(benchmarks.is_trial());
}

TEST(Benchmarks, EveryOpenOneIsToldThatValuesAreMissing) {
  Benchmarks benchmarks;
  benchmarks.begin({});
  benchmarks.begin({});
  benchmarks.need_values();
  EXPECT_TRUE(benchmarks.needs_values());
  EXPECT_TRUE(benchmarks.end());
  EXPECT_TRUE(benchmarks.end());
  benchmarks.begin({});
  EXPECT_FALSE(benchmarks.end());
}

TEST(Benchmarks, OneInsideAnotherThatComputesValuesDoesSoToo) {
  Benchmarks benchmarks;
  benchmarks.begin({.computes_values = true});
  benchmarks.begin({});
  EXPECT_TRUE(benchmarks.computes_values());
  benchmarks.end();
  benchmarks.end();
  EXPECT_FALSE(benchmarks.computes_values());
}

}  // namespace
}  // namespace warpledger::cuda
