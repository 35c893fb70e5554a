#include <algorithm>

#include "tests/programs/program.h"

namespace warpledger::exec {
namespace {

TEST(Control, Recursion) {
  Program p("control.cu", "recursion");
  const auto out = p.zeros<int>(64);
  p.launch(1, 64, out);
  const int f[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  p.expect(out, [&](size_t i) { return f[i % 12]; });
}
TEST(Control, FunctionPointers) {
  Program p("control.cu", "pointers");
  const auto out = p.zeros<int>(40);
  p.launch(1, 40, out);
  p.expect(out, [](size_t i) {
    const int t = static_cast<int>(i);
    return i % 3 == 0 ? 2 * t : i % 3 == 1 ? t * t : -t;
  });
}
TEST(Control, VirtualCalls) {
  Program p("control.cu", "virtual_calls");
  const auto out = p.zeros<float>(40);
  p.launch(1, 40, out);
  p.expect(out, [](size_t i) { return static_cast<double>(i * i) * (i % 2 == 1 ? 1 : 3); });
}
TEST(Control, SwitchOfManyWays) {
  Program p("control.cu", "many_ways");
  const auto x = p.random<int>(64), out = p.zeros<int>(64);
  p.launch(1, 64, x, out);
  p.expect(out, [&](size_t i) {
    const int t = static_cast<int>(i);
    const int ways[] = {t * 3, t + 100, t ^ 55, -t, t * t, t / 3, t % 7, 1};
    return ways[x[i] % 8];
  });
}
TEST(Control, ReturnsFromLoops) {
  Program p("control.cu", "collatz");
  const auto out = p.zeros<int>(100);
  p.launch(1, 100, out);
  p.expect(out, [](size_t i) {
    uint64_t v = i + 1;
    int k = 0;
    while (v != 1) {
      v = (v & 1) != 0 ? 3 * v + 1 : v / 2;
      ++k;
    }
    return k;
  });
}
TEST(Control, NestedLoopsWithBreaks) {
  Program p("control.cu", "nested");
  const auto out = p.zeros<int>(96);
  p.launch(1, 96, out);
  p.expect(out, [](size_t at) {
    const int t = static_cast<int>(at);
    int s = 0;
    for (int i = 0; i < t % 7; ++i) {
      if (i == 3) continue;
      for (int j = 0; j < t % 5 && j * i <= 6; ++j) s += i * 10 + j;
    }
    return s;
  });
}
TEST(Control, SpinLockWithinAWarp) {
  Program p("control.cu", "spin_lock");
  const auto lock = p.zeros<int>(1), total = p.zeros<int>(1);
  p.launch(2, 64, lock, total);
  p.expect(total, [](size_t) { return 128; });
}
TEST(Control, ProducerAndConsumerSpinOnFlags) {
  Program p("control.cu", "producer_consumer");
  const auto out = p.zeros<int>(1);
  p.launch(1, 64, out);
  p.expect(out, [](size_t) { return 385; });
}
TEST(Control, NamedBarriersOfHalfABlock) {
  Program p("control.cu", "named_barriers");
  const auto out = p.zeros<int>(128);
  p.launch(1, 128, out);
  p.expect(out, [](size_t i) { return i < 64 ? 63 - i : i; });
}
TEST(Control, LocalArrays) {
  Program p("control.cu", "local_array");
  const auto x = p.random<int>(32), out = p.zeros<int>(32);
  p.launch(1, 32, x, out);
  p.expect(out, [&](size_t t) {
    std::vector<int> a;
    for (size_t i = 0; i < 16; ++i) a.push_back(x[(t + i) % 32]);
    std::sort(a.begin(), a.end());
    return a[static_cast<size_t>(x[t] % 16)];
  });
}
TEST(Control, Printf) {
  Program p("control.cu", "printing");
  p.launch(1, 32, 2);
  EXPECT_EQ(p.machine().output,
            "thread 0 of block:  0.00 10000000000\nthread 1 of block:  0.50 10000000000\n");
}
TEST(Control, AssertionsEndTheLaunch) {
  Program p("control.cu", "asserting");
  const std::string fault = p.run({1, 1, 1}, {32, 1, 1}, 0, 20);
  for (const char* word : {"[device-assert]", "threadIdx.x < n", "thread (20,0,0)", "control.cu:"})
    EXPECT_NE(fault.find(word), std::string::npos) << fault;
}
TEST(Control, DeviceHeap) {
  Program p("control.cu", "heap");
  const auto out = p.zeros<int>(40);
  p.launch(1, 40, out);
  p.expect(out, [](size_t i) { return 28 * i; });
}
TEST(Control, CarryChains) {
  Program p("control.cu", "carries");
  const auto a = p.random<uint32_t>(128, 1ull << 32), b = p.random<uint32_t>(128, 1ull << 32),
             out = p.zeros<uint32_t>(128);
  p.launch(1, 32, a, b, out);
  p.expect(out, [&](size_t i) {
    uint64_t carry = 0, word = 0;
    for (size_t k = i / 4 * 4; k <= i; ++k)
      word = uint64_t{a[k]} + b[k] + carry, carry = word >> 32;
    return static_cast<uint32_t>(word);
  });
}
TEST(Control, BarrierObjects) {
  for (const char* arch : {"sm_80", "sm_90"}) {
    Program p("control.cu", "block_barrier", arch);
    const auto out = p.zeros<int>(64);
    p.launch(1, 64, out);
    p.expect(out, [](size_t i) { return (i + 3) % 64; });
  }
}
TEST(Control, ClocksAdvance) {
  Program p("control.cu", "clocks");
  const auto out = p.zeros<int64_t>(32);
  p.launch(1, 32, out);
  p.expect(out, [](size_t) { return 1; });
}

}  // namespace
}  // namespace warpledger::exec
