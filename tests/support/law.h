// Laws: properties checked on random inputs.
//
//   LAW(Compose, IsFunctionComposition) {
//     Layout a = any_layout(rng), b = any_layout(rng);
//     ...EXPECT_EQ...
//   }
//
// The body runs kLawRounds times. rng.size() grows from round to round, so that the first failure
// tends to be small; on failure the same seed is tried again with every smaller size, and the
// smallest that still fails is reported as a line to paste:
//   WL_LAW=seed:size ./test_layout --gtest_filter=Compose.IsFunctionComposition
#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>

namespace warpledger::testing {

class Rng {
 public:
  Rng(uint64_t seed, int size) : engine_(seed), size_(size) {}

  /// Uniform in [low, high].
  int64_t between(int64_t low, int64_t high) {
    const auto width = static_cast<uint64_t>(high - low) + 1;
    return low + static_cast<int64_t>(width == 0 ? engine_() : engine_() % width);
  }
  bool coin() { return between(0, 1) == 1; }
  uint64_t bits() { return engine_(); }
  template <class Container>
  const auto& pick(const Container& choices) {
    return choices[static_cast<size_t>(between(0, static_cast<int64_t>(choices.size()) - 1))];
  }
  /// How large a generated value should be, 1..100.
  [[nodiscard]] int size() const { return size_; }

 private:
  std::mt19937_64 engine_;  // specified bit by bit by the standard, unlike the distributions
  int size_;
};

inline constexpr int kLawRounds = 100;
inline constexpr uint64_t kLawSeed = 20261115;

/// True when `body` records a failure; the failures themselves are swallowed.
inline bool fails(const std::function<void(Rng&)>& body, uint64_t seed, int size) {
  ::testing::TestPartResultArray failures;
  {
    ::testing::ScopedFakeTestPartResultReporter catcher(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    Rng rng(seed, size);
    body(rng);
  }
  for (int i = 0; i < failures.size(); ++i) {
    if (failures.GetTestPartResult(i).failed()) return true;
  }
  return false;
}

/// Runs the body once more in the open, so that its messages are printed.
inline void show(const std::function<void(Rng&)>& body, uint64_t seed, int size) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string again = "WL_LAW=" + std::to_string(seed) + ":" + std::to_string(size) +
                            " --gtest_filter=" + test->test_suite_name() + "." + test->name();
  SCOPED_TRACE("again with: " + again);
  Rng rng(seed, size);
  body(rng);
}

inline void check_law(const std::function<void(Rng&)>& body, int rounds = kLawRounds) {
  if (const char* again = std::getenv("WL_LAW")) {
    const std::string text = again;
    const size_t colon = text.find(':');
    show(body, std::stoull(text.substr(0, colon)), std::stoi(text.substr(colon + 1)));
    return;
  }
  for (int round = 0; round < rounds; ++round) {
    const uint64_t seed = kLawSeed + static_cast<uint64_t>(round);
    const int size = 1 + 99 * round / (rounds > 1 ? rounds - 1 : 1);
    if (!fails(body, seed, size)) continue;
    int smallest = 1;
    while (smallest < size && !fails(body, seed, smallest)) ++smallest;
    show(body, seed, smallest);
    return;
  }
}

}  // namespace warpledger::testing

#define LAW_ROUNDS(suite, name, rounds)                                                 \
  static void suite##_##name##_law(::warpledger::testing::Rng& rng);                    \
  TEST(suite, name) { ::warpledger::testing::check_law(suite##_##name##_law, rounds); } \
  static void suite##_##name##_law([[maybe_unused]] ::warpledger::testing::Rng& rng)

#define LAW(suite, name) LAW_ROUNDS(suite, name, ::warpledger::testing::kLawRounds)
