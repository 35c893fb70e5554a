#include "warpledger/profile/explain/rule_page.h"

#include <gmock/gmock.h>

#include <set>

#include "warpledger/profile/advice/finding_code.h"

namespace warpledger::profile {
namespace {

using ::testing::StartsWith;

std::set<std::string> known_rules() {
  std::set<std::string> rules(std::begin(rule::kAll), std::end(rule::kAll));
  for (uint8_t code = 0; code < kFindingCodes; ++code)
    rules.insert(to_text(static_cast<FindingCode>(code)));
  return rules;
}

TEST(RulePages, EveryRuleHasAPageAndEveryPageARule) {
  std::set<std::string> pages;
  for (const RulePage& page : rule_pages()) pages.insert(std::string(page.id));
  EXPECT_EQ(pages, known_rules());
}

TEST(RulePages, BeginWithTheirNameAndASummary) {
  for (const RulePage& page : rule_pages()) {
    EXPECT_THAT(std::string(page.markdown), StartsWith("# " + std::string(page.id) + ": "));
    EXPECT_FALSE(page.title().empty());
    EXPECT_GT(page.summary().size(), 20u) << page.id;
    EXPECT_EQ(page.summary().find('\n'), std::string::npos) << page.id;
  }
}

TEST(RulePages, AnUnknownNameHasNone) { EXPECT_EQ(find_rule_page("bank-conflict"), nullptr); }

}  // namespace
}  // namespace warpledger::profile
