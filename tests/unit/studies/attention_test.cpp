// The study's numbers, against what is known by hand, and its files.
#include "examples/studies/attention.h"

#include <gmock/gmock.h>

#include "tests/support/source.h"
#include "warpledger/base/file.h"
#include "warpledger/base/hash.h"

namespace warpledger::study {
namespace {

using ::testing::HasSubstr;

AttentionForms half() { return attention_forms(*tile::element_type("f16")); }
AttentionForms single() { return attention_forms(*tile::element_type("f32")); }

TEST(AttentionForms, AreThoseOfTheLab) {
  EXPECT_EQ(single().naive_reads.expanded_text(), "12*N*d + 16*N^2");
  EXPECT_EQ(single().naive.expanded_text(), "16*N*d + 16*N^2");
  EXPECT_EQ(single().flash.to_text(), "8*N*d*(1 + N/Br)");
  EXPECT_EQ(single().flops.expanded_text(), "4*N^2*d");
}

TEST(AttentionForms, HalveWithTheElement) {
  EXPECT_EQ(half().naive, single().naive / 2);
  EXPECT_EQ(half().flash, single().flash / 2);
}

TEST(AttentionForms, GiveTheNumbersOfTheSmallestProblem) {
  EXPECT_EQ(value_at(half().naive_reads, {64, 64}), 57344);
  EXPECT_EQ(value_at(half().flash, {64, 64}), 32768);
}

TEST(AttentionForms, RatioRunsFromSevenQuartersToTwo) {
  const Expression ratio = half().naive_reads / half().flash;
  EXPECT_EQ(value_at(ratio, {64, 64}), 1.75);
  EXPECT_EQ(limit_at_infinity(ratio, "N")->to_text(), "2*Br/d");
  EXPECT_EQ(n_at_share_of_limit(ratio, {0, 64}, 0.95), 256);
}

TEST(AttentionForms, QuestionTwo) {
  const Problem asked{8192, 128};
  EXPECT_NEAR(value_at(half().naive_reads / half().flash, asked), 1.0039, 5e-5);
  EXPECT_NEAR(value_at(half().naive / half().flash, asked), 1.0078, 5e-5);
}

TEST(AttentionForms, IntensitiesAtTwoThousand) {
  EXPECT_NEAR(value_at(half().flops / half().naive_reads, {2048, 64}), 31.3, 0.05);
  EXPECT_NEAR(value_at(half().flops / half().flash, {2048, 64}), 62.1, 0.05);
}

TEST(AttentionStudy, CountedBytesEqualTheFormulas) {
  const auto measured = measure_attention(half());
  ASSERT_TRUE(measured) << to_text(measured.error());
  EXPECT_EQ(measured->worst_percent, 0);
  EXPECT_LT(measured->worst_apart, 1e-5);
}

TEST(AttentionStudy, ProgramsAreTheFilesOfTiles) {
  EXPECT_EQ(naive_attention(), *read_file(test::source_path("tiles/attention_naive.tile")));
  EXPECT_EQ(flash_attention(), *read_file(test::source_path("tiles/attention_flash.tile")));
}

TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(119, 'a')).size(), 64U);
}

TEST(Ceilings, ReadBackWhatTheyWrote) {
  Ceilings made;
  made.name = "this machine";
  made.bandwidth_gbs = {10, 9, 11};
  made.gflops = {100, 90, 110};
  const auto again = ceilings_from_json(to_json(made));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(*again), to_json(made));
  EXPECT_EQ(attainable(made, 5), 50);
  EXPECT_EQ(attainable(made, 50), 100);
  EXPECT_FALSE(ceilings_from_json("{}"));
}

TEST(Ceilings, OfAGpuAreItsPublishedPeaks) {
  const auto a100 = ceilings_of(*find_gpu("a100"));
  ASSERT_TRUE(a100);
  EXPECT_NEAR(a100->gflops.median, 312000, 1000);
}

}  // namespace
}  // namespace warpledger::study
