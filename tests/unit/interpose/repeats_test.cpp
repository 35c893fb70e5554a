// Which launches are modeled and which are taken for a modeled one.
#include "interpose/repeats.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/law.h"

namespace warpledger::cuda {
namespace {

using Way = LaunchGroup::Way;

std::vector<std::byte> params(uint64_t value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

ExecutedCounts counts(uint64_t instructions) {
  return counts_of(std::vector<exec::InstructionCount>{{instructions, 32 * instructions}});
}

/// A launch as a program would make it, modeled or run as the group says. True: modeled.
bool launch(LaunchGroup& group, uint64_t value, uint64_t instructions, bool fixed,
            double sectors = 1000) {
  const auto [way, same] = group.next(params(value), fixed, true);
  if (way == Way::kProven) return group.count(), false;
  const bool models =
      way == Way::kModel || (group.find(params(value), counts(instructions), true) == nullptr &&
                             group.is_worth_modeling(counts(instructions), true));
  if (!models) return group.count(), false;
  ModeledLaunch made{.params = params(value),
                     .counts = counts(instructions),
                     .measures = {1000, sectors, sectors, sectors},
                     .seconds = 1,
                     .profile = "p"};
  const bool agrees = group.find_alike(made, true) != nullptr;
  group.add(std::move(made), agrees);
  return true;
}

LAW(Repeats, EqualCountsAreEqualInEveryInstruction) {
  std::vector<exec::InstructionCount> a(static_cast<size_t>(rng.size()));
  for (exec::InstructionCount& one : a) {
    one.executions = static_cast<uint64_t>(rng.between(0, 9));
    one.lanes = one.executions * static_cast<uint64_t>(rng.between(1, 32));
  }
  std::vector<exec::InstructionCount> b = a;
  EXPECT_EQ(counts_of(a), counts_of(b));
  const auto at = static_cast<size_t>(rng.between(0, rng.size() - 1));
  ++b[at].executions;
  if (b[at].lanes > 0) --b[at].lanes;
  EXPECT_NE(counts_of(a), counts_of(b));
  // What an engine leaves out at the end did not run.
  b = a;
  b.resize(a.size() + 3);
  EXPECT_EQ(counts_of(a), counts_of(b));
}

TEST(Repeats, ALoopOfOneFixedKernelIsModeledOnce) {
  LaunchGroup group;
  int modeled = 0;
  for (int i = 0; i < 1000; ++i) modeled += launch(group, 1, 10, true) ? 1 : 0;
  EXPECT_EQ(modeled, 1);
}

TEST(Repeats, PointersThatChangePlacesAreModeledOnceEach) {
  LaunchGroup group;
  int modeled = 0;
  for (uint64_t i = 0; i < 1000; ++i) modeled += launch(group, i % 2, 10, true) ? 1 : 0;
  EXPECT_EQ(modeled, 2);
}

TEST(Repeats, WhatDependsOnMemoryIsLookedAtAgainAtPowersOfTwo) {
  LaunchGroup group;
  std::vector<int> modeled;
  for (int i = 0; i < 100; ++i) {
    if (launch(group, 1, 10, false)) modeled.push_back(i);
  }
  EXPECT_EQ(modeled, (std::vector{0, 1, 2, 4, 8, 16, 32, 64}));
}

TEST(Repeats, OtherCountsAreModeledThoughTheParametersAreTheSame) {
  LaunchGroup group;
  for (int i = 0; i < 20; ++i) (void)launch(group, 1, 10, false);
  EXPECT_TRUE(launch(group, 1, 10'000, false));
  for (uint32_t i = 0; i < LaunchGroup::kSettled; ++i) (void)launch(group, 1, 10'000, false);
  EXPECT_FALSE(launch(group, 1, 10'000, false));
  EXPECT_FALSE(launch(group, 1, 10, false));
  EXPECT_EQ(group.find(params(1), counts(10'000), true)->counts, counts(10'000));
}

TEST(Repeats, AnotherArgumentWithTheSameCountsIsModeledWhileTheMeasuresChange) {
  LaunchGroup group;  // a stride that doubles: the same instructions, other sectors
  int modeled = 0;
  double sectors = 1000;
  for (uint64_t i = 0; i < 20; ++i, sectors *= 2)
    modeled += launch(group, i, 10, true, sectors) ? 1 : 0;
  EXPECT_EQ(modeled, 20);
}

TEST(Repeats, WorkThatShrinksALittleAtATimeIsModeledNowAndThen) {
  LaunchGroup group;
  int modeled = 0;
  for (uint64_t i = 0; i < 2000; ++i) modeled += launch(group, i, 4000 - i, true) ? 1 : 0;
  EXPECT_GT(modeled, 8);
  EXPECT_LE(modeled, static_cast<int>(LaunchGroup::kMostModels));
  EXPECT_EQ(group.nearest(counts(3990), true)->counts.warp_instructions / 100, 39u);
}

TEST(Repeats, OnlyReportedLaunchesStandForReportedOnes) {
  LaunchGroup group;
  group.add({.params = params(1), .counts = counts(10), .profile = ""}, false);
  EXPECT_EQ(group.next(params(1), true, true).way, Way::kModel);
  EXPECT_EQ(group.next(params(1), true, false).way, Way::kProven);
}

}  // namespace
}  // namespace warpledger::cuda
