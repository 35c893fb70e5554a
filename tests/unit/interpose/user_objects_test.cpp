#include "interpose/user_objects.h"

#include <gtest/gtest.h>

#include "tests/support/law.h"

namespace warpledger::cuda {
namespace {

void count_up(void* counter) { ++*static_cast<int*>(counter); }

TEST(UserObjects, LivesAsLongAsTheGraphAndItsCopies) {
  int destroyed = 0;
  UserObjects objects;
  UserObject* object = objects.create(&destroyed, count_up, 1);
  auto graph = std::make_unique<Graph>();
  ASSERT_TRUE(objects.give(*graph, object, 1, true));
  EXPECT_FALSE(objects.release(object, 1)) << "the reference is the graph's now";
  auto copy = graph->clone();
  graph.reset();
  EXPECT_EQ(destroyed, 0);
  copy.reset();
  EXPECT_EQ(destroyed, 1);
}

TEST(UserObjects, AGraphGivesBackOnlyWhatItHas) {
  int destroyed = 0;
  UserObjects objects;
  UserObject* object = objects.create(&destroyed, count_up, 1);
  Graph graph;
  ASSERT_TRUE(objects.give(graph, object, 2, false));
  EXPECT_FALSE(UserObjects::take_back(graph, object, 3));
  EXPECT_TRUE(UserObjects::take_back(graph, object, 2));
  EXPECT_EQ(destroyed, 0);
  EXPECT_TRUE(objects.release(object, 1));
  EXPECT_EQ(destroyed, 1);
}

LAW(UserObjects, IsDestroyedWhenTheLastReferenceGoesAndNotBefore) {
  int64_t destroyed = 0, program = rng.between(1, 3), graphs = 0;
  const auto count_long = [](void* counter) { ++*static_cast<int64_t*>(counter); };
  UserObjects objects;
  UserObject* object = objects.create(&destroyed, count_long, static_cast<unsigned>(program));
  Graph graph;
  while (destroyed == 0) {
    const int64_t count = rng.between(1, 3), what = rng.between(0, 5);
    const auto n = static_cast<unsigned>(count);
    if (what == 0) {
      program += objects.retain(object, n) ? count : 0;
    } else if (what == 1) {
      graphs += objects.give(graph, object, n, false) ? count : 0;
    } else if (what < 4) {
      ASSERT_EQ(objects.release(object, n), program >= count);
      program -= program >= count ? count : 0;
    } else {
      ASSERT_EQ(UserObjects::take_back(graph, object, n), graphs >= count);
      graphs -= graphs >= count ? count : 0;
    }
    ASSERT_EQ(destroyed, program + graphs == 0 ? 1 : 0);
  }
}

}  // namespace
}  // namespace warpledger::cuda
