// The model against published reports. Quick cases always; all of them with WL_NIGHTLY set (the
// heavy ones make up to 1.5 G warp loads each, and are tests of their own).
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "tests/support/law.h"
#include "tests/unit/memory/judgment.h"

namespace warpledger::memory {
namespace {

/// Counted by ncu from executed instructions: must be equal.
const std::set<std::string> kFromInstructions = {
    "global_load_requests", "global_store_requests",  "reduction_requests",
    "global_tags",          "theoretical_sectors",    "theoretical_sectors_ideal",
    "shared_wavefronts",    "shared_wavefronts_ideal"};

/// Follow from addresses too, but read from hardware counters, which carry noise of up to 2.6 %.
const std::set<std::string> kFromCounters = {"global_load_sectors",  "global_load_tag_wavefronts",
                                             "global_store_sectors", "global_store_tag_wavefronts",
                                             "reduction_sectors",    "reduction_tag_wavefronts"};

/// What differs, with the reason as far as it is known.
const std::set<std::pair<std::string, std::string>> kExplained = {
    // The same report's other counters give 32,768 sectors (16 per request, L2 reads 32,768).
    {"v100_miniweather_pack_halo", "global_load_sectors"},
    // Requests, sectors and tag wavefronts are equal, tags are 0.3 % off; cause not found.
    {"a100_conv2d_coalesced", "global_tags"},
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct Errors {
  std::vector<double> l1_hit, l2_sectors, l2_hit, dram_read;

  void add(const Comparison& line) {
    const double error = std::abs(line.error());
    if (line.value == "l1_hit_pct") l1_hit.push_back(error);
    if (line.value == "l2_sm_sectors") l2_sectors.push_back(error);
    if (line.value == "l2_hit_pct") l2_hit.push_back(error);
    if (line.value == "dram_read_bytes" && line.published > 1e6) dram_read.push_back(error);
  }
};

void check_exact(const Case& test, const Comparison& line) {
  if (kExplained.contains({test.name, line.value})) return;
  if (kFromInstructions.contains(line.value)) {
    EXPECT_EQ(line.modeled, line.published) << test.name << " " << line.value;
  }
  if (kFromCounters.contains(line.value)) {
    EXPECT_NEAR(line.modeled, line.published, 0.026 * line.published)
        << test.name << " " << line.value;
  }
}

bool is_nightly() { return std::getenv("WL_NIGHTLY") != nullptr; }

bool is_heavy(const Case& test) {
  return test.name.starts_with("rtx3090_") || test.name == "a100_conv2d_coalesced" ||
         test.name == "v100_miniweather_apply_tend";
}

TEST(Validation, PublishedReports) {
  const Published published = read_published();
  Errors errors;
  for (const Case& test : all_cases()) {
    if (is_heavy(test) || (test.nightly && !is_nightly())) continue;
    for (const Comparison& line : judge(test, published)) {
      errors.add(line);
      check_exact(test, line);
    }
  }
  EXPECT_LE(median(errors.l1_hit), 2.0);  // points
  EXPECT_LE(median(errors.l2_sectors), 0.02);
  EXPECT_LE(median(errors.l2_hit), 4.0);  // points
  EXPECT_LE(median(errors.dram_read), 0.03);
}

class Heavy : public ::testing::TestWithParam<size_t> {};

TEST_P(Heavy, L2SectorsWithin3AndDramReadsWithin5Percent) {
  const std::vector<Case> cases = all_cases();
  const Case& test = cases[GetParam()];
  if (!is_nightly()) GTEST_SKIP() << "set WL_NIGHTLY";
  for (const Comparison& line : judge(test, read_published())) {
    check_exact(test, line);
    const double limit = line.value == "l2_sm_sectors"     ? 0.03
                         : line.value == "dram_read_bytes" ? 0.05
                                                           : 1e9;
    EXPECT_LE(std::abs(line.error()), limit) << line.value;
  }
}

std::vector<size_t> heavy_cases() {
  std::vector<size_t> heavy;
  const std::vector<Case> cases = all_cases();
  for (size_t i = 0; i < cases.size(); ++i) {
    if (is_heavy(cases[i])) heavy.push_back(i);
  }
  return heavy;
}

INSTANTIATE_TEST_SUITE_P(Validation, Heavy, ::testing::ValuesIn(heavy_cases()),
                         [](const auto& param) { return all_cases()[param.param].name; });

}  // namespace
}  // namespace warpledger::memory
