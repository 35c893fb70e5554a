#include "warpledger/profile/run/machine.h"

#include <gtest/gtest.h>

namespace warpledger::profile {
namespace {

using sass::AccessClass;
using sass::MergeRule;

trace::Sites four_loads() {
  trace::Sites sites(4);
  for (uint32_t i = 0; i < 4; ++i) {
    sites[i] = {.instruction = 10 + i, .space = trace::Space::kShared, .width = 4};
  }
  return sites;
}

sass::SassAccess wide(std::vector<uint32_t> members, uint32_t width) {
  sass::SassAccess access;
  access.access.width = width;
  access.access_class = AccessClass::kKept;
  access.place = {0, members.front()};
  access.merge = MergeRule::kSameBlock;
  access.members = std::move(members);
  return access;
}

TEST(MachineSites, AWideLoadSpeaksForItsNeighbors) {
  sass::KernelWitness kernel;
  kernel.accesses = {wide({10, 11, 12, 13}, 16)};
  const MachineSites made = machine_sites(four_loads(), kernel, {{0, 0}});
  EXPECT_EQ(made.sites[0].width, 16);
  EXPECT_EQ(made.sites[0].space, trace::Space::kShared);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(made.sites[i].space, trace::Space::kNone);
  EXPECT_FALSE(made.fates[0].empty() || made.fates[3].empty());
}

TEST(MachineSites, CopiesThatDisagreeAreLeftAlone) {
  sass::KernelWitness kernel;
  kernel.accesses = {wide({10, 11}, 8), wide({11, 12}, 8)};
  const MachineSites made = machine_sites(four_loads(), kernel, {{0, 0}});
  for (const trace::Site& site : made.sites) {
    EXPECT_EQ(site.width, 4);
    EXPECT_EQ(site.space, trace::Space::kShared);
  }
}

sass::SassAccess own_copy(uint32_t instruction, uint32_t width) {
  sass::SassAccess access = wide({instruction}, width);
  access.access.space = sass::AccessSpace::kShared;
  access.merge = width > 4 ? MergeRule::kOwnCopies : MergeRule::kNone;
  return access;
}

TEST(MachineSites, AWideCopyOfAnUnrolledLoadServesSeveralTrips) {
  sass::KernelWitness kernel;
  kernel.accesses = {own_copy(10, 16), own_copy(10, 16)};
  const trace::Site site = machine_sites(four_loads(), kernel, {{0, 0}}).sites[0];
  EXPECT_EQ(site.width, 16);
  EXPECT_TRUE(site.serves_window);
}

TEST(MachineSites, ANarrowCopyInAnotherBlockMayBeTheRemainder) {
  sass::KernelWitness kernel;
  kernel.blocks = {{.first = 0, .end = 1}, {.first = 1, .end = 2}};
  kernel.accesses = {own_copy(10, 16), own_copy(10, 4)};
  kernel.accesses[1].index = 1;
  EXPECT_FALSE(machine_sites(four_loads(), kernel, {{0, 0}}).sites[0].serves_window);
  kernel.accesses[1].index = 0;  // beside the wide one: for a value that is needed at once
  EXPECT_TRUE(machine_sites(four_loads(), kernel, {{0, 0}}).sites[0].serves_window);
}

TEST(MachineSites, NeighborsAndTripsMayShareOneAccess) {
  sass::KernelWitness kernel;
  kernel.accesses = {wide({10, 11}, 16)};
  kernel.accesses[0].access.space = sass::AccessSpace::kShared;
  kernel.accesses[0].merge = MergeRule::kOwnCopies;
  const MachineSites made = machine_sites(four_loads(), kernel, {{0, 0}});
  EXPECT_EQ(made.sites[0].width, 16);
  EXPECT_TRUE(made.sites[0].serves_window);
  EXPECT_EQ(made.sites[1].space, trace::Space::kNone);
}

TEST(MachineSites, ADroppedLoadIsSilent) {
  sass::KernelWitness kernel;
  sass::Fate fate;
  fate.place = {0, 2};
  fate.kind = sass::FateKind::kDropped;
  kernel.fates = {fate};
  // The function's instructions begin at number 10.
  const MachineSites made = machine_sites(four_loads(), kernel, {{0, 10}});
  EXPECT_EQ(made.sites[2].space, trace::Space::kNone);
  EXPECT_EQ(made.sites[1].space, trace::Space::kShared);
}

TEST(MachineSites, AnAtomicIsWhatTheMachineCodeSays) {
  trace::Sites sites(1);
  sites[0] = {.instruction = 0, .kind = trace::Kind::kAtomic};
  sass::SassAccess red;
  red.access.kind = sass::AccessKind::kReduction;
  red.access_class = AccessClass::kKept;
  red.place = {0, 0};
  sass::KernelWitness kernel;
  kernel.accesses = {red};
  EXPECT_EQ(machine_sites(sites, kernel, {{0, 0}}).sites[0].kind, trace::Kind::kReduction);
}

}  // namespace
}  // namespace warpledger::profile
