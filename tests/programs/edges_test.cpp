#include <numeric>

#include "tests/programs/program.h"

namespace warpledger::exec {
namespace {

// More blocks than are resident: what was found in bounds for one is used for the next.
constexpr uint32_t kBlocks = 70;

TEST(Edges, OddThreadsAddTheirLeftNeighbor) {
  Program p("edges.cu", "pair_sums");
  const auto x = p.random<float>(kBlocks * 256), out = p.zeros<float>(kBlocks * 256);
  p.launch(kBlocks, 256, x, out);
  p.expect(out, [&](size_t i) { return i % 2 == 1 ? x[i] + x[i - 1] : x[i]; });
}
TEST(Edges, SumsByATreeOfLeftNeighbors) {
  Program p("edges.cu", "tree_sum");
  const auto x = p.random<int>(kBlocks * 256), out = p.zeros<int>(kBlocks);
  p.launch(kBlocks, 256, x, out);
  p.expect(out, [&](size_t b) {
    const auto first = x.before.begin() + static_cast<long>(b) * 256;
    return std::accumulate(first, first + 256, 0);
  });
}
TEST(Edges, DifferencesAtBothEndsOfABuffer) {
  Program p("edges.cu", "differences");
  constexpr int kSize = 4000;
  const auto x = p.random<int>(kSize), out = p.zeros<int>(kSize);
  p.launch(kBlocks, 64, x, out, kSize);
  p.expect(out, [&](size_t i) {
    return (i > 0 ? x[i] - x[i - 1] : 0) + (i + 1 < kSize ? 3 * (x[i] - x[i + 1]) : 0);
  });
}
TEST(Edges, ConstantsAtBothEndsOfTheBank) {
  Program p("edges.cu", "constant_neighbors");
  const auto out = p.zeros<int>(kBlocks * 32);
  p.launch(kBlocks, 32, out);
  const int steps[] = {1, 10, 100, 1000, 10000};
  p.expect(out, [&](size_t i) {
    const size_t t = i % 32;
    return (t >= 1 && t < 6 ? steps[t - 1] : 0) + (t < 4 ? steps[t] + 2 * steps[t + 1] : 0);
  });
}
TEST(Edges, StoresToLeftNeighbors) {
  Program p("edges.cu", "shift_pairs");
  const auto data = p.random<int>(kBlocks * 128);
  p.launch(kBlocks, 64, data);
  p.expect(data, [&](size_t i) {
    if (i % 128 >= 124) return data[i];
    return i % 2 == 0 ? data[i + 5] : data[i + 3];
  });
}

}  // namespace
}  // namespace warpledger::exec
