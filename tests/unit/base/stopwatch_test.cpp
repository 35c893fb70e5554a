#include "warpledger/base/stopwatch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace warpledger {
namespace {

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

TEST(Stopwatch, AnInnerPhaseIsNotPartOfTheOuterOne) {
  Stopwatch watch;
  {
    const Stopwatch::Phase outer(&watch, "outer");
    const Stopwatch::Phase inner(&watch, "inner");
    rest();
  }
  ASSERT_EQ(watch.laps().size(), 2u);
  EXPECT_EQ(watch.laps()[0].name, "inner");
  EXPECT_GE(watch.laps()[0].wall_seconds, 0.002);
  EXPECT_LT(watch.laps()[1].wall_seconds, watch.laps()[0].wall_seconds);
}

TEST(Stopwatch, PhasesOfOneNameAddUpAndTheTotalHoldsThem) {
  Stopwatch watch;
  for (int i = 0; i < 2; ++i) {
    const Stopwatch::Phase phase(&watch, "same");
    rest();
  }
  ASSERT_EQ(watch.laps().size(), 1u);
  EXPECT_GE(watch.laps()[0].wall_seconds, 0.004);
  EXPECT_GE(watch.total().wall_seconds, watch.laps()[0].wall_seconds);
}

TEST(Stopwatch, WithoutAWatchNothingIsTimed) { const Stopwatch::Phase phase(nullptr, "none"); }

}  // namespace
}  // namespace warpledger
