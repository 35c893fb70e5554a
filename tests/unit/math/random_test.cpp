// Generators against known outputs, distributions against their moments.
#include "interpose/math/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpledger::math {
namespace {

// What cuRAND's host example prints (seed 1234, uniform).
TEST(XorwowSequence, IsThatOfCurand) {
  Random random(RandomType::kXorwow, 1234, 0);
  for (const double wanted :
       {0.1455, 0.8202, 0.5504, 0.2948, 0.9147, 0.8690, 0.3219, 0.7829, 0.0113, 0.2855})
    EXPECT_NEAR(random.uniform(), wanted, 5e-5);
}

TEST(XorwowSequence, SkipsAsItSteps) {
  Xorwow state = Xorwow::of_seed(99);
  const XorwowSkip skip = XorwowSkip::of_steps(1000);
  const auto skipped = skip.apply(state.v);
  for (int i = 0; i < 1000; ++i) static_cast<void>(state.next());
  EXPECT_EQ(skipped, state.v);
  EXPECT_EQ(XorwowSkip::of_steps(500).doubled().apply(Xorwow::of_seed(99).v), state.v);
}

TEST(Random, ContinuesWhereTheOffsetSays) {
  for (const RandomType type : {RandomType::kXorwow, RandomType::kPhilox}) {
    for (const uint64_t offset : {1, 4095, 4096, 10000}) {
      Random all(type, 7, 0), late(type, 7, offset);
      for (uint64_t i = 0; i < offset; ++i) static_cast<void>(all.bits());
      for (int i = 0; i < 5000; ++i) ASSERT_EQ(all.bits(), late.bits()) << offset;
    }
  }
}

// Random123's own test vectors.
TEST(PhiloxBlocks, AreThoseThatItsAuthorsPublished) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Random, HasTheMomentsOfItsDistributions) {
  constexpr int kCount = 100000;
  for (const RandomType type : {RandomType::kXorwow, RandomType::kPhilox}) {
    Random random(type, 42, 0);
    double uniform = 0, normal = 0, square = 0, few = 0, many = 0;
    for (int i = 0; i < kCount; ++i) {
      const auto pair = random.normals(i % 2 == 0);
      uniform += random.uniform_double();
      normal += pair[0] + pair[1];
      square += pair[0] * pair[0] + pair[1] * pair[1];
      few += random.poisson(3);
      if (i < 10000) many += random.poisson(200);
    }
    EXPECT_NEAR(uniform / kCount, 0.5, 0.005);
    EXPECT_NEAR(normal / kCount, 0, 0.02);
    EXPECT_NEAR(square / kCount / 2, 1, 0.02);
    EXPECT_NEAR(few / kCount, 3, 0.03);
    EXPECT_NEAR(many / 10000, 200, 0.8);
  }
}

}  // namespace
}  // namespace warpledger::math
