// Published ncu reports: launch in, ncu's launch and occupancy values out. docs/validation.md holds
// the table that this test computes; WL_UPDATE_DOCS=1 writes it again.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "tests/support/source.h"
#include "warpledger/base/file.h"
#include "warpledger/gpu/launch.h"

namespace warpledger {
namespace {

using Fields = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::string part;
  std::istringstream stream(line);
  while (std::getline(stream, part, separator)) parts.push_back(part);
  if (line.ends_with(separator)) parts.emplace_back();
  return parts;
}

std::vector<Fields> read_cases() {
  const std::string text = *read_file(test::source_path("tests/inputs/validation_launches.csv"));
  const std::vector<std::string> lines = split(text, '\n');
  const std::vector<std::string> names = split(lines[0], ',');
  std::vector<Fields> cases;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> values = split(lines[i], ',');
    if (values.size() != names.size()) continue;
    for (size_t k = 0; k < names.size(); ++k) {
      if (k == 0) cases.emplace_back();
      cases.back()[names[k]] = values[k];
    }
  }
  return cases;
}

Extent extent(const std::string& text) {
  const std::vector<std::string> parts = split(text, 'x');
  return {std::stoll(parts[0]), std::stoll(parts[1]), std::stoll(parts[2])};
}

Launch launch_of(const Fields& fields) {
  return {.grid = extent(fields.at("grid")),
          .block = extent(fields.at("block")),
          .registers_per_thread = std::stoll(fields.at("registers")),
          .static_smem_bytes = std::stoll(fields.at("static_smem")),
          .dynamic_smem_bytes = std::stoll(fields.at("dynamic_smem")),
          .cache =
              fields.at("prefers") == "shared" ? CachePreference::kShared : CachePreference::kNone};
}

struct Metric {
  std::string column, label;
  double (*value)(const LaunchStatistics&);
};

const std::vector<Metric>& metrics() {
  using S = const LaunchStatistics&;
  static const std::vector<Metric> all = {
      {"limit_sm", "Block Limit SM", [](S s) { return double(s.limits.blocks); }},
      {"limit_registers", "Block Limit Registers", [](S s) { return double(s.limits.registers); }},
      {"limit_shared_mem", "Block Limit Shared Mem",
       [](S s) { return double(s.limits.shared_memory); }},
      {"limit_warps", "Block Limit Warps", [](S s) { return double(s.limits.warps); }},
      {"active_warps", "Theoretical Active Warps per SM",
       [](S s) { return double(s.active_warps); }},
      {"occupancy_pct", "Theoretical Occupancy", [](S s) { return s.occupancy_percent; }},
      {"waves", "Waves Per SM", [](S s) { return s.waves_per_sm; }},
      {"threads", "Threads", [](S s) { return double(s.threads); }},
      {"smem_config", "Shared Memory Configuration Size",
       [](S s) { return double(s.smem_config_bytes); }}};
  return all;
}

// To the printed digit: two decimals as ncu prints (bytes in Kbyte), or ten significant digits of a
// raw value.
bool equal(const Fields& fields, const Metric& metric, double ours) {
  const double reported = std::stod(fields.at(metric.column));
  if (fields.at("form") == "raw")
    return fmt::format("{:.10g}", ours) == fmt::format("{:.10g}", reported);
  const double shown = metric.column == "smem_config" ? ours / 1000 : ours;
  return fmt::format("{:.2f}", shown) == fmt::format("{:.2f}", reported);
}

struct Score {
  int equal = 0, compared = 0;
};

struct Outcome {
  std::map<std::string, Score> by_metric;
  Score total;
  std::vector<std::string> exceptions;
};

Outcome compare_all() {
  Outcome outcome;
  for (const Fields& fields : read_cases()) {
    const Gpu gpu = *find_gpu(fields.at("gpu"));
    const LaunchStatistics ours = *launch_statistics(gpu, launch_of(fields));
    for (const Metric& metric : metrics()) {
      if (fields.at(metric.column).empty()) continue;
      const bool same = equal(fields, metric, metric.value(ours));
      for (Score* score : {&outcome.by_metric[metric.column], &outcome.total}) {
        score->compared += 1;
        score->equal += same ? 1 : 0;
      }
      if (!same)
        outcome.exceptions.push_back(fmt::format("{}: {} {}, ncu {}", fields.at("case"),
                                                 metric.label, metric.value(ours),
                                                 fields.at(metric.column)));
    }
  }
  return outcome;
}

std::string as_markdown(const Outcome& outcome) {
  std::string text = "| value | equal | of |\n|---|---:|---:|\n";
  for (const Metric& metric : metrics()) {
    const Score score = outcome.by_metric.at(metric.column);
    text += fmt::format("| {} | {} | {} |\n", metric.label, score.equal, score.compared);
  }
  text +=
      fmt::format("| **all** | **{}** | **{}** |\n\n", outcome.total.equal, outcome.total.compared);
  text += outcome.exceptions.empty() ? "Exceptions: none.\n" : "Exceptions:\n\n";
  for (const std::string& one : outcome.exceptions) text += "- " + one + "\n";
  return text;
}

TEST(Validation, AtLeast99PercentOfPublishedLaunchValuesAreEqual) {
  const Outcome outcome = compare_all();
  EXPECT_GE(outcome.total.compared, 700);
  EXPECT_GE(outcome.total.equal, 0.99 * outcome.total.compared) << as_markdown(outcome);
}

TEST(Validation, TheDocumentHoldsTheComputedTable) {
  const std::string path = test::source_path("docs/validation.md");
  const std::string begin = "<!-- computed: launches -->\n", end = "<!-- end -->";
  std::string text = *read_file(path);
  const size_t from = text.find(begin) + begin.size();
  const size_t to = text.find(end, from);
  ASSERT_NE(to, std::string::npos);
  const std::string table = as_markdown(compare_all());
  if (std::getenv("WL_UPDATE_DOCS") != nullptr)
    ASSERT_TRUE(write_file(path, text.substr(0, from) + table + text.substr(to)));
  else
    EXPECT_EQ(text.substr(from, to - from), table) << "run with WL_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace warpledger
