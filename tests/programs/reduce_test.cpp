#include <algorithm>
#include <numeric>

#include "tests/programs/program.h"

namespace warpledger::exec {
namespace {

TEST(Reduce, BlockSum) {
  Program p("reduce.cu", "block_sum");
  const auto x = p.random<float>(1000), out = p.zeros<float>(4);
  p.launch(4, 256, x, out, 1000);
  p.expect(
      out,
      [&](size_t b) {
        double s = 0;
        for (size_t i = b * 256; i < std::min<size_t>(1000, b * 256 + 256); ++i) s += x[i];
        return s;
      },
      1e-6);
}
TEST(Reduce, ShuffleSum) {
  Program p("reduce.cu", "shuffle_sum");
  const auto x = p.random<int>(1000), out = p.zeros<int>(1);
  p.launch(4, 256, x, out, 1000);
  p.expect(out, [&](size_t) { return std::accumulate(x.before.begin(), x.before.end(), 0); });
}
TEST(Reduce, Redux) {
  Program p("reduce.cu", "redux_all");
  const auto x = p.random<uint32_t>(64, 1ull << 32), out = p.zeros<uint32_t>(64);
  p.launch(1, 64, x, out);
  p.expect(out, [&](size_t i) {
    const auto first = x.before.begin() + static_cast<long>(i / 32 * 32), last = first + 32;
    uint32_t sum = 0, either = 0, differ = 0;
    for (auto v = first; v != last; ++v) sum += *v, either |= *v, differ ^= *v;
    return sum ^ *std::max_element(first, last) ^ *std::min_element(first, last) ^ either ^ differ;
  });
}
TEST(Reduce, BlockScan) {
  Program p("reduce.cu", "block_scan");
  const auto x = p.random<int>(512), out = p.zeros<int>(512);
  p.launch(1, 512, x, out);
  p.expect(out, [&](size_t i) {
    return std::accumulate(x.before.begin(), x.before.begin() + static_cast<long>(i) + 1, 0);
  });
}
TEST(Reduce, WarpScan) {
  Program p("reduce.cu", "warp_scan");
  const auto x = p.random<int>(96), out = p.zeros<int>(96);
  p.launch(1, 96, x, out);
  p.expect(out, [&](size_t i) {
    return std::accumulate(x.before.begin() + static_cast<long>(i / 32 * 32),
                           x.before.begin() + static_cast<long>(i) + 1, 0);
  });
}
template <class T>
unsigned occurrences(const std::vector<T>& values, size_t of) {
  return static_cast<unsigned>(std::count(values.begin(), values.end(), static_cast<T>(of)));
}
TEST(Reduce, HistogramGlobal) {
  Program p("reduce.cu", "histogram_global");
  const auto x = p.random<uint8_t>(3000, 256);
  const auto bins = p.zeros<unsigned>(256);
  p.launch(3, 128, x, bins, 3000);
  p.expect(bins, [&](size_t i) { return occurrences(x.before, i); });
}
TEST(Reduce, HistogramShared) {
  Program p("reduce.cu", "histogram_shared");
  const auto x = p.random<uint8_t>(3000, 256);
  const auto bins = p.zeros<unsigned>(256);
  p.launch(3, 128, x, bins, 3000);
  p.expect(bins, [&](size_t i) { return occurrences(x.before, i); });
}
TEST(Reduce, HistogramMatched) {
  Program p("reduce.cu", "histogram_matched");
  const auto x = p.random<int>(500, 7);
  const auto bins = p.zeros<unsigned>(7);
  p.launch(4, 128, x, bins, 500);
  p.expect(bins, [&](size_t i) { return occurrences(x.before, i); });
}
TEST(Reduce, FloatMaximumByCompareAndSwap) {
  Program p("reduce.cu", "float_maximum");
  const auto x = p.random<float>(500), out = p.zeros<float>(1);
  p.launch(4, 128, x, out, 500);
  p.expect(out, [&](size_t) { return *std::max_element(x.before.begin(), x.before.end()); });
}
TEST(Reduce, Atomics) {
  Program p("reduce.cu", "atomics");
  const auto x = p.random<int>(100, 10000);
  const auto out = p.buffer<int>({1 << 30, -1, -1, 0, 0, 0, 0, 0});
  const auto wide = p.zeros<uint64_t>(1);
  const auto real = p.zeros<float>(1);
  const auto precise = p.zeros<double>(1);
  p.launch(2, 64, x, out, wide, real, precise, 100);
  std::vector<int> want = out.before;
  unsigned inc = 0, dec = 0;
  for (const int v : x.before) {
    want[0] = std::min(want[0], v), want[1] = std::max(want[1], v), want[2] &= v | 0xff00,
    want[3] |= v, want[4] ^= v, want[7] -= v;
    inc = inc >= 6 ? 0 : inc + 1;
    dec = dec == 0 || dec > 9 ? 9 : dec - 1;
  }
  want[5] = static_cast<int>(inc), want[6] = static_cast<int>(dec);
  p.expect(out, [&](size_t i) { return want[i]; });
  const int sum = std::accumulate(x.before.begin(), x.before.end(), 0);
  p.expect(wide, [&](size_t) { return static_cast<uint64_t>(sum) << 20; });
  p.expect(real, [&](size_t) { return sum; });
  p.expect(precise, [&](size_t) { return sum * 0.5; });
}
TEST(Reduce, Votes) {
  Program p("reduce.cu", "votes");
  const auto x = p.random<int>(32);
  const auto out = p.zeros<unsigned>(32);
  p.launch(1, 32, x, out);
  unsigned ballot = 0;
  for (size_t i = 0; i < 32; ++i) ballot |= (x[i] > 50 ? 1u : 0u) << i;
  const bool any = std::count(x.before.begin(), x.before.end(), 7) > 0;
  p.expect(out, [&](size_t) { return ballot ^ (any ? 1u : 0u) ^ 2u ^ ~0u ^ 4u; });
}
TEST(Reduce, Shuffles) {
  Program p("reduce.cu", "shuffles");
  const auto x = p.random<int>(32), out = p.zeros<int>(32);
  p.launch(1, 32, x, out);
  p.expect(out, [&](size_t i) {
    return x[5] + 2 * x[i ^ 9] + 3 * (i % 8 >= 3 ? x[i - 3] : x[i]) +
           5 * (i + 2 < 32 ? x[i + 2] : x[i]);
  });
}
TEST(Reduce, TiledPartitions) {
  Program p("reduce.cu", "tiles");
  const auto x = p.random<int>(64), out = p.zeros<int>(64);
  p.launch(1, 64, x, out);
  p.expect(out, [&](size_t i) {
    return std::accumulate(x.before.begin() + static_cast<long>(i / 8 * 8),
                           x.before.begin() + static_cast<long>(i / 8 * 8) + 8, 0) *
               100 +
           static_cast<int>(i % 8);
  });
}
TEST(Reduce, CoalescedGroups) {
  Program p("reduce.cu", "coalesced");
  const auto x = p.random<int>(64), out = p.zeros<int>(64);
  p.launch(1, 64, x, out);
  p.expect(out, [&](size_t i) {
    if (x[i] % 3 != 0) return 0;
    int size = 0, rank = 0;
    for (size_t k = i / 32 * 32; k < i / 32 * 32 + 32; ++k)
      size += x[k] % 3 == 0, rank += k < i && x[k] % 3 == 0;
    return size * 100 + rank;
  });
}
TEST(Reduce, LastBlockSumsUp) {
  Program p("reduce.cu", "last_block");
  const auto x = p.random<int>(1000), partial = p.zeros<int>(6), out = p.zeros<int>(1);
  const auto done = p.zeros<unsigned>(1);
  p.launch(6, 32, x, partial, done, out, 1000);
  p.expect(out, [&](size_t) { return std::accumulate(x.before.begin(), x.before.end(), 0); });
}
TEST(Reduce, BlocksWaitForEachOther) {
  Program p("reduce.cu", "grid_barrier");
  const auto x = p.zeros<int>(16);
  const auto arrived = p.zeros<unsigned>(1);
  p.launch(8, 64, x, arrived);
  p.expect(x, [](size_t i) { return i < 8 ? static_cast<int>(i) + 1 : 36; });
}
TEST(Reduce, CountingBarriers) {
  Program p("reduce.cu", "count_if");
  const auto x = p.random<int>(128), out = p.zeros<int>(128);
  p.launch(1, 128, x, out, 100);
  const auto count =
      std::count_if(x.before.begin(), x.before.begin() + 100, [](int v) { return v > 50; });
  p.expect(out, [&](size_t) { return static_cast<int>(count) * 10 + 2; });
}

}  // namespace
}  // namespace warpledger::exec
