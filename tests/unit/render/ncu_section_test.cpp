#include "warpledger/render/ncu_section.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/law.h"

namespace warpledger {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(NcuRules, StandAsNcuPrintsThem) {
  const auto lines = lines_of(ncu_rules_text({{"OPT", "Est. Speedup: 31.07%", "Do it."}}));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "    OPT   Est. Speedup: 31.07%" + std::string(90, ' '));
  EXPECT_EQ(lines[1], "          Do it." + std::string(104, ' '));
  EXPECT_EQ(ncu_rules_text({}), "");
}

TEST(NcuRules, SeveralHaveDashesBetweenThem) {
  const auto lines = lines_of(ncu_rules_text({{"INF", "", "a"}, {"INF", "", "b"}}));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], "    ----- " + std::string(110, '-'));
}

LAW(NcuRules, LinesHaveOneWidthAndAllWords) {
  std::string text;
  for (int64_t i = rng.between(1, 60); i > 0; --i)
    text += (text.empty() ? "" : " ") + std::string(static_cast<size_t>(rng.between(1, 12)), 'x');
  std::string again;
  for (const std::string& line : lines_of(ncu_rules_text({{"INF", "", text}}))) {
    EXPECT_EQ(line.size(), 120u);
    const std::string words = line.substr(10, line.find_last_not_of(' ') - 9);
    again += (again.empty() ? "" : " ") + words;
  }
  EXPECT_EQ(again, text);
}

}  // namespace
}  // namespace warpledger
