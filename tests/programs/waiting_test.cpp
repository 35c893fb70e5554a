#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/programs/program.h"

namespace warpledger::exec {
namespace {

TEST(Waiting, ReadingVolatileMemoryIsNoWait) {
  Program p("waiting.cu", "read_often");
  const auto x = p.random<int>(64), out = p.zeros<int>(3 * 96);
  p.launch(3, 96, x, out);
  p.expect(out, [&](size_t i) {
    int sum = 0;
    for (size_t k = 0; k < 500; ++k) sum += x[(i % 96 + k) % 64];
    return sum;
  });
}
TEST(Waiting, NorIsReadingTheSameValueAgain) {
  Program p("waiting.cu", "count_often");
  const auto out = p.zeros<int>(128);
  p.launch(2, 64, out);
  p.expect(out, [](size_t) { return 500; });
}
TEST(Waiting, ParentsWaitForTheirChildrenInOtherBlocks) {
  Program p("waiting.cu", "sum_heap");
  constexpr size_t kInner = 1023;
  std::vector<int> nodes(2 * kInner + 1, -1);
  for (size_t i = kInner; i < nodes.size(); ++i) nodes[i] = static_cast<int>(i % 10);
  const auto heap = p.buffer(nodes);
  p.launch(4, 64, heap, static_cast<int>(kInner));
  EXPECT_EQ(p.after(heap)[0], std::accumulate(nodes.begin() + kInner, nodes.end(), 0));
}
TEST(Waiting, ATreeGrowsUnderLocksOfItsLinks) {
  Program p("waiting.cu", "grow_tree");
  constexpr int kKeys = 600;
  const auto keys = p.random<int>(kKeys, 1 << 20);
  const auto child = p.buffer(std::vector<int>(2 * kKeys, -1));
  p.launch(3, 64, keys, child, kKeys);
  const std::vector<int> links = p.after(child);
  std::vector<int> in_order;
  const std::function<void(int)> visit = [&](int at) {
    if (at < 0) return;
    visit(links[static_cast<size_t>(2 * at)]);
    in_order.push_back(keys[static_cast<size_t>(at)]);
    visit(links[static_cast<size_t>(2 * at + 1)]);
  };
  visit(0);
  EXPECT_EQ(in_order.size(), keys.size());
  EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end()));
}

}  // namespace
}  // namespace warpledger::exec
