#include "warpledger/exec/decode/bad_accesses.h"

#include <algorithm>

#include "tests/support/law.h"

namespace warpledger::exec {
namespace {

struct Event {
  int instruction = 0;
  uint64_t thread = 0;
};

std::vector<BadAccess> noted(const std::vector<Event>& events) {
  static constexpr std::array<int, 4> kInstructions = {};
  BadAccesses all;
  for (const Event& event : events) {
    const void* at = &kInstructions[static_cast<size_t>(event.instruction)];
    if (all.count(at, event.thread))
      all.describe(at, event.thread,
                   {.message = std::to_string(event.instruction) + " of thread " +
                               std::to_string(event.thread)});
  }
  return all.take();
}

LAW(BadAccesses, WhichBlockRanFirstDoesNotMatter) {
  std::vector<std::vector<Event>> blocks;  // each runs in order
  for (uint64_t thread = 0; thread < 6; ++thread) {
    std::vector<Event>& block = blocks.emplace_back();
    for (int64_t i = rng.between(0, 5); i > 0; --i)
      block.push_back({static_cast<int>(rng.between(0, 3)), thread});
  }
  const auto in_order = [&](const std::vector<size_t>& order) {
    std::vector<Event> events;
    for (const size_t block : order)
      events.insert(events.end(), blocks[block].begin(), blocks[block].end());
    return noted(events);
  };
  std::vector<size_t> order = {0, 1, 2, 3, 4, 5};
  const std::vector<BadAccess> expected = in_order(order);
  for (size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[static_cast<size_t>(rng.between(0, static_cast<int64_t>(i)))]);
  const std::vector<BadAccess> found = in_order(order);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].first.message, expected[i].first.message);
    EXPECT_EQ(found[i].lanes, expected[i].lanes);
  }
}

TEST(BadAccesses, OneIsDescribedForEachInstructionTheLowestThreads) {
  const std::vector<BadAccess> found = noted({{0, 7}, {1, 3}, {0, 2}, {0, 5}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].first.message, "0 of thread 2");
  EXPECT_EQ(found[0].lanes, 3u);
  EXPECT_EQ(found[1].first.message, "1 of thread 3");
}

}  // namespace
}  // namespace warpledger::exec
