#include "warpledger/profile/value/launch_filter.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/law.h"

namespace warpledger::profile {
namespace {

constexpr const char* kTemplate = "_ZN2ns1kIiEEvPf";  // void ns::k<int>(float *)

KernelPattern pattern(const std::string& text, NameBase base = NameBase::kFunction) {
  const Result<KernelPattern> made = KernelPattern::parse(text, base);
  EXPECT_TRUE(made.ok()) << text;
  return *made;
}

TEST(FunctionName, DropsNamespacesTemplatesAndParameters) {
  EXPECT_EQ(function_name(kTemplate), "k");
  EXPECT_EQ(function_name("_Z6matmulPKfi"), "matmul");
  EXPECT_EQ(function_name("plain_c_name"), "plain_c_name");
  EXPECT_EQ(function_name("_ZN12_GLOBAL__N_16kernelEPf"), "kernel");
}

TEST(FunctionName, AnUnmangledNameIsNoType) {  // "f" would demangle to float
  EXPECT_EQ(function_name("f"), "f");
  EXPECT_EQ(function_name("i"), "i");
}

TEST(KernelPattern, APlainNameIsTheWholeName) {
  EXPECT_TRUE(pattern("matmul").matches("_Z6matmulPKfi"));
  EXPECT_FALSE(pattern("mat").matches("_Z6matmulPKfi"));
}

TEST(KernelPattern, ARegexIsFoundAnywhere) {
  EXPECT_TRUE(pattern("regex:tm").matches("_Z6matmulPKfi"));
  EXPECT_TRUE(pattern("regex:^mat.*l$").matches("_Z6matmulPKfi"));
  EXPECT_FALSE(pattern("regex:^tm").matches("_Z6matmulPKfi"));
}

TEST(KernelPattern, TheBaseDecidesWhatIsCompared) {
  EXPECT_TRUE(pattern("regex:ns::k<int>", NameBase::kDemangled).matches(kTemplate));
  EXPECT_FALSE(pattern("regex:ns::k<int>").matches(kTemplate));
  EXPECT_TRUE(pattern(kTemplate, NameBase::kMangled).matches(kTemplate));
}

TEST(KernelPattern, ABrokenExpressionIsRefused) {
  for (const std::string text : {"regex:(", "regex:[z-a]", "regex:*"}) {
    const Result<KernelPattern> made = KernelPattern::parse(text);
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_EQ(made.error().code, "bad-regex");
  }
}

TEST(KernelPattern, TheBrokenPartIsNamed) {
  EXPECT_EQ(KernelPattern::parse("regex:a(b").error().message,
            "'regex:a(b' is not a regular expression: missing ): a(b");
  EXPECT_EQ(KernelPattern::parse("regex:a(?=b)").error().code, "bad-regex");
}

TEST(KernelPattern, NestedRepetitionsTakeNoLongerThanOthers) {
  const KernelPattern nested = pattern("regex:(a+)+$", NameBase::kMangled);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_FALSE(nested.matches(std::string(1 << 20, 'a') + "!"));
  EXPECT_TRUE(nested.matches(std::string(1 << 20, 'a')));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

// What ncu documents, written as three passes over the whole list.
std::vector<bool> chosen(const std::vector<std::string>& launches, const LaunchSelection& how) {
  std::vector<size_t> matching;
  for (size_t i = how.skip_before_match; i < launches.size(); ++i) {
    if (!how.kernel || how.kernel->matches(launches[i])) matching.push_back(i);
  }
  std::vector<bool> result(launches.size(), false);
  const size_t end = how.count ? how.skip + *how.count : matching.size();
  for (size_t i = how.skip; i < std::min(end, matching.size()); ++i) result[matching[i]] = true;
  return result;
}

LAW(LaunchFilter, ChoosesAsNcuDoes) {
  LaunchSelection how;
  const std::vector<std::string> names = {"a", "b", "ab"};
  const std::vector<std::string> texts = {"a", "regex:a", "regex:b$", "c"};
  if (rng.coin()) how.kernel = pattern(rng.pick(texts));
  how.skip = static_cast<uint64_t>(rng.between(0, 4));
  how.skip_before_match = static_cast<uint64_t>(rng.between(0, 3));
  if (rng.coin()) how.count = static_cast<uint64_t>(rng.between(0, 4));
  std::vector<std::string> launches;
  for (int64_t n = rng.between(0, rng.size()); n > 0; --n) launches.push_back(rng.pick(names));

  LaunchFilter filter(how);
  std::vector<bool> wanted;
  for (const std::string& name : launches) {
    const bool was_done = filter.is_done();
    wanted.push_back(filter.wants(name));
    EXPECT_FALSE(was_done && wanted.back());
  }
  EXPECT_EQ(wanted, chosen(launches, how));
  EXPECT_EQ(filter.seen(), launches.size());
}

}  // namespace
}  // namespace warpledger::profile
