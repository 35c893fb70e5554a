#include "warpledger/profile/limits/file.h"

#include <gtest/gtest.h>

#include "tests/support/law.h"

namespace warpledger::profile::budget {
namespace {

constexpr const char* kGood = R"(schema = 1
[[budget]]
name = "tiled"
file = "matmul.cu"
kernel = "matmul_tiled"
gpu = ["a100", "rtx3090"]
grid = [4, 4]
block = 256
args = ["A=f32[64]"]
limits = ["shared.bank_conflicts = 0", "dram.bytes <= 1.02 * ideal"]
)";

Result<std::vector<Budget>> parsed(const std::string& text) {
  return parse_budgets(Source("b.toml", text));
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kGood;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(BudgetFile, ReadsEveryField) {
  const auto budgets = parsed(kGood);
  ASSERT_TRUE(budgets.ok()) << to_text(budgets.error());
  ASSERT_EQ(budgets->size(), 1u);
  const Budget& one = budgets->front();
  EXPECT_EQ(one.gpus, (std::vector<std::string>{"a100", "rtx3090"}));
  EXPECT_EQ(one.block, std::vector<int64_t>{256});
  ASSERT_EQ(one.limits.size(), 2u);
  EXPECT_EQ(one.limits[1].limit.text, "dram.bytes <= 1.02 * ideal");
  EXPECT_EQ(one.limits[0].at.line, 10);
}

TEST(BudgetFile, AFaultInALimitPointsIntoTheFile) {
  const auto budgets = parsed(changed("1.02 * ideal", "1.02 * ideel"));
  ASSERT_FALSE(budgets.ok());
  EXPECT_EQ(budgets.error().at->line, 10);
  EXPECT_EQ(budgets.error().at->line_text.substr(size_t(budgets.error().at->column) - 1, 5),
            "ideel");
}

TEST(BudgetFile, EveryFaultIsSaidAtOnce) {
  const auto budgets = parsed(changed("gpu =", "gpus ="));
  ASSERT_FALSE(budgets.ok());
  EXPECT_EQ(budgets.error().message, "unknown key 'gpus'");
  EXPECT_EQ(budgets.error().hint, "did you mean 'gpu'?");
  ASSERT_EQ(budgets.error().also.size(), 1u);
  EXPECT_EQ(budgets.error().also[0].message, "'gpu' is missing");
}

TEST(BudgetFile, WhatCannotBeIsRefused) {
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"schema = 1", "schema = 2"},
                                                        {"grid = [4, 4]", "grid = [4, 0]"},
                                                        {"grid = [4, 4]", "grid = [1, 2, 3, 4]"},
                                                        {"grid = [4, 4]", "grid = \"4\""},
                                                        {"file =", "report ="},
                                                        {"name = \"tiled\"", "name = 3"},
                                                        {"block = 256", "block = -1"},
                                                        {"limits = [", "limits = [3, "},
                                                        {"[[budget]]", "[budget]"}}) {
    const std::string text = changed(from, to);
    const bool is_report = from == "file =";  // a report needs no launch: that is fine
    EXPECT_EQ(parsed(text).ok(), is_report) << to;
  }
}

LAW(BudgetFile, DamagedTextIsReadOrRefused) {
  std::string text = kGood;
  for (int64_t i = rng.between(1, 5); i > 0; --i) {
    const auto at = static_cast<size_t>(rng.between(0, static_cast<int64_t>(text.size()) - 1));
    if (rng.coin()) {
      text.erase(at, static_cast<size_t>(rng.between(1, 20)));
    } else {
      text[at] = static_cast<char>(rng.between(1, 255));
    }
    if (text.empty()) text = "x";
  }
  const auto budgets = parsed(text);
  EXPECT_TRUE(budgets.ok() || !to_text(budgets.error()).empty());
}

}  // namespace
}  // namespace warpledger::profile::budget
