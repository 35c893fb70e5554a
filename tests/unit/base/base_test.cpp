// The small values of base/: results, numbers, fidelity, files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/law.h"
#include "warpledger/base/fidelity.h"
#include "warpledger/base/file.h"
#include "warpledger/base/number.h"
#include "warpledger/base/result.h"
#include "warpledger/base/units.h"

namespace warpledger {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Diagnostic{.message = "odd"};
  return n / 2;
}

Result<int> quarter(int n) {
  WL_TRY(const int h, half(n));
  return half(h);
}

TEST(Result, PassesAnErrorThrough) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().message, "odd");
}

TEST(ResultDeathTest, ReadingAnAbsentValueAborts) {
  EXPECT_DEATH(static_cast<void>(*half(3)), "broken invariant");
}

LAW(RoundUp, IsTheSmallestMultipleNotBelow) {
  const int64_t n = rng.between(0, 1'000'000), unit = rng.between(1, 4096);
  const int64_t up = round_up(n, unit);
  EXPECT_EQ(up % unit, 0);
  EXPECT_GE(up, n);
  EXPECT_LT(up - unit, n);
}

LAW(GroupThousands, OnlyAddsCommas) {
  const int64_t n = rng.between(-1'000'000'000'000, 1'000'000'000'000);
  std::string text = group_thousands(n);
  std::erase(text, ',');
  EXPECT_EQ(text, std::to_string(n));
}

TEST(NcuNumber, KeepsTwoDecimalsAtMost) {
  EXPECT_EQ(ncu_number(8.192), "8.19");
  EXPECT_EQ(ncu_number(100.0), "100");
  EXPECT_EQ(ncu_number(37633714.52), "37,633,714.52");
  EXPECT_EQ(ncu_number(62.5), "62.50");
}

TEST(Fidelity, WordsReadBack) {
  for (const Fidelity f : {Fidelity::kExact, Fidelity::kModeled, Fidelity::kMeasured,
                           Fidelity::kPublished, Fidelity::kAssumed}) {
    EXPECT_EQ(parse_fidelity(to_text(f)), f);
    EXPECT_EQ(weakest(f, Fidelity::kExact), f);
    EXPECT_EQ(weakest(f, Fidelity::kAssumed), Fidelity::kAssumed);
  }
}

TEST(File, WritesAndReadsBack) {
  const auto path = std::filesystem::temp_directory_path() / ("wl" + std::to_string(::getpid()));
  ASSERT_TRUE(write_file(path.string(), std::string("a\0b\n", 4)));
  EXPECT_EQ(*read_file(path.string()), std::string("a\0b\n", 4));
  std::filesystem::remove(path);
  EXPECT_FALSE(read_file(path.string()));
}

}  // namespace
}  // namespace warpledger
