// The language: what is read, what is printed, and what is said about mistakes.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/support/law.h"
#include "tests/support/source.h"
#include "warpledger/base/file.h"
#include "warpledger/tile/check.h"
#include "warpledger/tile/parser.h"

namespace warpledger::tile {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHead =
    "program p\nsize N, Br = 4\nassume Br divides N\ninput A[N, N] f32\noutput B[N, N] f32\n"
    "scalar c\n";

/// The fault of a kernel body, as a person sees it.
std::string fault_of(const std::string& body) {
  const auto program = parse("t.tile", kHead + body);
  if (!program) return to_text(program.error());
  const auto types = check(*program);
  return types ? "" : to_text(types.error());
}

TEST(Language, PrintingIsAFixedPointForEveryTileFile) {
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("tiles"))) {
    const auto text = read_file(entry.path().string());
    const auto program = parse(entry.path().string(), *text);
    ASSERT_TRUE(program) << to_text(program.error());
    ASSERT_TRUE(check(*program)) << to_text(check(*program).error());
    const std::string once = to_text(*program);
    const auto again = parse("again", once);
    ASSERT_TRUE(again) << once << to_text(again.error());
    EXPECT_EQ(to_text(*again), once);
  }
}

TEST(Language, FormulasKeepTheirBrackets) {
  const std::string body =
      "kernel k(i in N/Br) {\n  a = copy A[i of Br, :] to registers\n"
      "  b = -(a - (c - a)) / (a * 2) + max(a, -0.5) - -inf\n  copy b to B[i of Br, :]\n}\n";
  const auto program = parse("t", kHead + body);
  ASSERT_TRUE(program) << to_text(program.error());
  EXPECT_THAT(to_text(*program), HasSubstr("b = -(a - (c - a)) / (a * 2) + max(a, -0.5) - -inf"));
}

TEST(Language, AMistakeIsShownWithItsPlaceAndAHint) {
  EXPECT_EQ(fault_of("kernel k {\n  a = copy A to shard\n}\n"),
            "t.tile:8:17: error: expected where the tile goes [unknown-space]\n"
            "      a = copy A to shard\n"
            "                    ^~~~~\n"
            "hint: say shared, registers, tmem, or a tensor to store to\n");
}

TEST(Language, AMisspeltDeclarationGetsASuggestion) {
  EXPECT_THAT(fault_of("outptu X[N, N] f32\n"), HasSubstr("did you mean 'output'?"));
}

struct Mistake {
  const char* body;
  const char* code;
};
class Mistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreFound) {
  EXPECT_THAT(fault_of(GetParam().body), HasSubstr(std::string("[") + GetParam().code + "]"));
}

INSTANTIATE_TEST_SUITE_P(
    Language, Mistakes,
    ::testing::Values(
        Mistake{"kernel k {\n a = copy A to shared\n b = a * 2\n}\n", "not-in-registers"},
        Mistake{"kernel k {\n a = copy A to registers\n b = a @ a\n}\n", "bad-operand"},
        Mistake{"kernel k {\n b = copy x to registers\n}\n", "unknown-tile"},
        Mistake{"kernel k {\n a = copy A[i of Br, :] to shared\n}\n", "unknown-size"},
        Mistake{"kernel k(i in N/Br) {\n a = copy A[i of 8, :] to shared\n}\n", "bad-block"},
        Mistake{"kernel k(i in N/8) {\n a = copy A to shared\n}\n", "not-whole"},
        Mistake{"kernel k(i in N/Br) {\n a = copy A to registers\n copy a to B\n}\n",
                "racing-store"},
        Mistake{"kernel k {\n a = copy A to registers\n copy a to A\n}\n", "bad-store"},
        Mistake{"kernel k {\n a = copy A to registers\n a = a * 2\n}\n", "declared-twice"},
        Mistake{"kernel k {\n a = copy A to registers\n l += rowsum(a)\n}\n", "unknown-tile"},
        Mistake{"kernel k {\n a = copy async A to shared\n b = a @ a\n}\n", "used-before-wait"},
        Mistake{"kernel k {\n a = copy A to registers\n b = a as f16\n copy b to B\n}\n",
                "type-mismatch"},
        Mistake{"kernel k {\n for j in N/Br {\n a = copy A to shared\n }\n b = a @ a\n}\n",
                "unknown-tile"},
        Mistake{"kernel k {\n", "unclosed"}, Mistake{"size N\n", "declared-twice"},
        Mistake{"input C[N] f32\n", "bad-rank"}, Mistake{"input C[N, N] f23\n", "unknown-type"},
        Mistake{"kernel k { ~ }\n", "bad-character"}));

}  // namespace
}  // namespace warpledger::tile
