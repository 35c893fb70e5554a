#include "warpledger/algebra/sizes.h"

#include <gtest/gtest.h>

namespace warpledger {
namespace {

Result<Sizes> parse(const std::string& text) { return parse_sizes(Source("--set", text)); }

TEST(ParseSizes, ReadsPairs) {
  EXPECT_EQ(*parse("N=8192, d = 128"), (Sizes{{"N", 8192}, {"d", 128}}));
}

TEST(ParseSizes, PointsAtTheFault) {
  EXPECT_EQ(to_text(parse("N=8192,d=0").error()),
            "--set:1:10: error: '0' is not a positive integer [bad-sizes]\n"
            "    N=8192,d=0\n"
            "             ^\n"
            "hint: write e.g. N=8192,d=128\n");
  for (const char* text :
       {"", "N", "N=", "=4", "N=4,", "N=4,N=5", "4=4", "N=9999999999999999999", "N=4x", "N=-4"}) {
    EXPECT_FALSE(parse(text)) << text;
  }
}

}  // namespace
}  // namespace warpledger
