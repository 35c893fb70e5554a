// Fibers: what a function holds in registers is there again after any other fibers ran.
#include "warpledger/exec/jit/runtime/fiber.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace warpledger::exec::jit {
namespace {

constexpr int kFibers = 8;
constexpr int kSteps = 50;
constexpr size_t kWords = 12, kReals = 10;  // more than a call preserves, on x86-64 and arm64

struct Values {
  std::array<uint64_t, kWords> words;
  std::array<double, kReals> reals;
};

Values values_of(uint64_t seed) {
  std::mt19937_64 random(seed);
  Values values{};
  for (uint64_t& word : values.words) word = random();
  for (double& real : values.reals) real = static_cast<double>(random() >> 11);
  return values;
}

/// One step for all values: each takes a part of its neighbor.
#define WL_MIX_WORD(i, j) w##i = w##i * 6364136223846793005u + (w##j >> 7)
#define WL_MIX_REAL(i, j) r##i = r##i * 0.5 + r##j * 0.25

// clang has no such attribute: unoptimized, its values may be in memory.
#if defined(__clang__)
#define WL_OPTIMIZED
#else
#define WL_OPTIMIZED [[gnu::optimize("O2")]]
#endif

/// The same work with and without a switch in each step. Optimized also in tests that are not, so
/// that the values stay in the registers that a call preserves.
template <class Switch>
WL_OPTIMIZED void work(Values& values, Switch&& step) {
  auto& [w, r] = values;
  uint64_t w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4], w5 = w[5], w6 = w[6], w7 = w[7],
           w8 = w[8], w9 = w[9], w10 = w[10], w11 = w[11];
  double r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3], r4 = r[4], r5 = r[5], r6 = r[6], r7 = r[7],
         r8 = r[8], r9 = r[9];
  for (int i = 0; i < kSteps; ++i) {
    step();
    WL_MIX_WORD(0, 1), WL_MIX_WORD(1, 2), WL_MIX_WORD(2, 3), WL_MIX_WORD(3, 4), WL_MIX_WORD(4, 5);
    WL_MIX_WORD(5, 6), WL_MIX_WORD(6, 7), WL_MIX_WORD(7, 8), WL_MIX_WORD(8, 9), WL_MIX_WORD(9, 10);
    WL_MIX_WORD(10, 11), WL_MIX_WORD(11, 0);
    WL_MIX_REAL(0, 1), WL_MIX_REAL(1, 2), WL_MIX_REAL(2, 3), WL_MIX_REAL(3, 4), WL_MIX_REAL(4, 5);
    WL_MIX_REAL(5, 6), WL_MIX_REAL(6, 7), WL_MIX_REAL(7, 8), WL_MIX_REAL(8, 9), WL_MIX_REAL(9, 0);
  }
  w = {w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11};
  r = {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9};
}

struct Task {
  Fiber fiber;
  Values values{};
  bool is_done = false;
};

void run_task(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  work(task.values, [&] { task.fiber.suspend(); });
  task.is_done = true;
  task.fiber.finish();
}

Values without_fibers(uint64_t seed) {
  Values values = values_of(seed);
  work(values, [] {});
  return values;
}

TEST(Fiber, KeepsWhatItHoldsWhileOthersRun) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  StackPool stacks;
  std::vector<Task> tasks(kFibers);
  for (int i = 0; i < kFibers; ++i) {
    tasks[i].values = values_of(seed + i);
    tasks[i].fiber.start(stacks.take(), run_task, &tasks[i]);
  }
  for (int left = kFibers; left > 0;) {
    Task& task = tasks[random() % kFibers];
    if (task.is_done) continue;
    task.fiber.resume();
    left -= task.is_done ? 1 : 0;
  }
  for (int i = 0; i < kFibers; ++i) {
    const Values expected = without_fibers(seed + i);
    EXPECT_EQ(tasks[i].values.words, expected.words) << i;
    EXPECT_EQ(tasks[i].values.reals, expected.reals) << i;
  }
}

TEST(Fiber, LeavesTheRegistersOfItsCallerAlone) {
  StackPool stacks;
  Task task;
  task.values = values_of(1);
  task.fiber.start(stacks.take(), run_task, &task);
  Values held = values_of(2);
  work(held, [&] {
    if (!task.is_done) task.fiber.resume();
  });
  task.fiber.resume();  // one more than it suspends
  EXPECT_TRUE(task.is_done);
  EXPECT_EQ(held.words, without_fibers(2).words);
  EXPECT_EQ(held.reals, without_fibers(2).reals);
}

struct Pair {
  Fiber first, second;
  std::vector<int> order;
};

TEST(Fiber, PassesToAnotherThatGoesBackToItsCaller) {
  Pair pair;
  StackPool stacks;
  pair.first.start(
      stacks.take(),
      [](void* argument) {
        Pair& own = *static_cast<Pair*>(argument);
        own.order.push_back(1);
        own.first.pass_to(own.second);
        own.order.push_back(4);
        own.first.finish();
      },
      &pair);
  pair.second.start(
      stacks.take(),
      [](void* argument) {
        Pair& own = *static_cast<Pair*>(argument);
        own.order.push_back(2);
        own.second.suspend();
        own.order.push_back(6);
        own.second.finish();
      },
      &pair);
  pair.first.resume();
  pair.order.push_back(3);
  pair.first.resume();
  pair.order.push_back(5);
  pair.second.resume();
  EXPECT_EQ(pair.order, (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace warpledger::exec::jit
