#include "warpledger/ncu/report.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/law.h"
#include "tests/support/source.h"
#include "warpledger/base/file.h"
#include "warpledger/ncu/csv.h"
#include "warpledger/ncu/value.h"

namespace warpledger::ncu {
namespace {

constexpr const char* kText = R"(==PROF== Connected to process 1
[1] app@127.0.0.1
  scale(float *, int) (188, 250, 1)x(16, 16, 1), Context 1, Stream 7, Device 0, CC 8.6
    Section: GPU Speed Of Light Throughput
    ----------------------- ----------- ------------
    Metric Name             Metric Unit Metric Value
    ----------------------- ----------- ------------
    DRAM Frequency                  Ghz         9.49
    Elapsed Cycles                cycle    1,234,567
    Duration                         ms         1.03
    ----------------------- ----------- ------------

    OPT   This sentence is no metric      at all    12

    Section: Launch Statistics
    -------------------------------- --------------- ---------------
    Metric Name                          Metric Unit    Metric Value
    -------------------------------- --------------- ---------------
    Function Cache Configuration                     CachePreferNone
    Grid Size                                                 47,000
    -------------------------------- --------------- ---------------

  scale(float *, int) (1, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 8.6
    Section: Occupancy
    ------------------------------- ----------- ------------
    Metric Name                     Metric Unit Metric Value
    ------------------------------- ----------- ------------
    Theoretical Occupancy                     %        33.33
    ------------------------------- ----------- ------------
)";

std::vector<Launch> read(const std::string& text) {
  const auto launches = read_report(Source("r", text));
  EXPECT_TRUE(launches.ok()) << launches.error().message;
  return launches.ok() ? *launches : std::vector<Launch>();
}

TEST(NcuText, ReadsSectionsOfEveryLaunch) {
  const std::vector<Launch> launches = read(kText);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].kernel, "scale(float *, int)");
  EXPECT_EQ(launches[0].grid, "(188, 250, 1)");
  EXPECT_EQ(launches[0].block, "(16, 16, 1)");
  EXPECT_EQ(launches[0].capability, "8.6");
  ASSERT_EQ(launches[0].entries.size(), 5u);
  EXPECT_EQ(launches[0].find("DRAM Frequency")->value, 9.49e9);
  EXPECT_NEAR(launches[0].find("DRAM Frequency")->half, 5e6, 1);
  EXPECT_EQ(launches[0].find("Elapsed Cycles")->value, 1234567);
  EXPECT_EQ(launches[0].find("Elapsed Cycles")->half, 0);
  EXPECT_EQ(launches[0].find("Duration")->unit, "ns");
  EXPECT_EQ(launches[0].entries[3].words, "CachePreferNone");
  EXPECT_EQ(launches[0].find("Grid Size")->section, "Launch Statistics");
  EXPECT_EQ(launches[1].find("Theoretical Occupancy")->value, 33.33);
}

TEST(NcuText, ReadsTheOlderForm) {
  const std::vector<Launch> launches = read(
      "  k(int*), 2021-Mar-03 10:11:12, Context 1, Stream 7\n"
      "    Section: Memory Workload Analysis\n"
      "    ----------------- ------------ ---------\n"
      "    Memory Throughput Gbyte/second    123.45\n"
      "    ----------------- ------------ ---------\n");
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].find("Memory Throughput")->value, 123.45e9);
  EXPECT_EQ(launches[0].kernel, "k(int*)");
}

TEST(NcuCsv, ReadsTheRawPage) {
  const std::vector<Launch> launches = read(
      "==PROF== Disconnected\n"
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\",\"dram__bytes.sum\",\"x.pct\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"%\"\n"
      "\"0\",\"a, b\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"8.0\",\"1.50\",\"n/a\"\n"
      "\"1\",\"c\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"8.0\",\"2\",\"7\"\n");
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].kernel, "a, b");
  EXPECT_EQ(launches[0].find("dram__bytes.sum")->value, 1.5e6);
  EXPECT_EQ(launches[0].find("x.pct"), nullptr);
  EXPECT_EQ(launches[1].find("x.pct")->value, 7);
}

TEST(NcuCsv, ReadsTheDetailsPage) {
  const std::vector<Launch> launches = read(
      "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"k\",\"Occupancy\",\"Block Limit SM\",\"block\",\"32\"\n"
      "\"0\",\"k\",\"Occupancy\",\"\",\"\",\"\"\n"
      "\"1\",\"k\",\"Occupancy\",\"Block Limit SM\",\"block\",\"16\"\n");
  ASSERT_EQ(launches.size(), 2u);
  ASSERT_EQ(launches[0].entries.size(), 1u);
  EXPECT_EQ(launches[1].find("Block Limit SM")->value, 16);
}

TEST(NcuList, ReadsEveryPublishedCase) {
  int files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_path("tests/inputs/validation"))) {
    if (file.path().extension() != ".csv" || file.path().stem() == "sources") continue;
    const auto launches = read_report(Source(file.path(), *read_file(file.path())));
    ASSERT_TRUE(launches.ok()) << file.path();
    ASSERT_EQ(launches->size(), 1u);
    EXPECT_FALSE(launches->front().entries.empty()) << file.path();
    ++files;
  }
  EXPECT_GT(files, 100);
}

TEST(NcuUnits, AreScaledToTheirBase) {
  const std::vector<std::tuple<std::string, double, std::string>> cases = {
      {"Kbyte", 1e3, "byte"},
      {"Gbyte/second", 1e9, "byte/s"},
      {"Gbyte/s", 1e9, "byte/s"},
      {"cycle/nsecond", 1e9, "hz"},
      {"usecond", 1e3, "ns"},
      {"%", 1, "%"},
      {"Kbyte/block", 1e3, "byte/block"},
      {"inst/cycle", 1, "inst/cycle"},
      {"byte/us", 1e6, "byte/s"},
      {"", 1, ""}};
  for (const auto& [unit, factor, base] : cases) {
    EXPECT_EQ(base_unit(unit).factor, factor) << unit;
    EXPECT_EQ(base_unit(unit).unit, base) << unit;
  }
}

LAW(NcuCsv, CellsReadBack) {
  std::vector<std::string> cells;
  std::string line;
  for (int64_t n = rng.between(1, 10); n > 0; --n) {
    std::string cell;
    for (int64_t i = rng.between(0, 12); i > 0; --i) cell += rng.pick(std::string("ab,\" \n1"));
    cells.push_back(cell);
    std::string quoted;
    for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
    line += (line.empty() ? "\"" : ",\"") + quoted + "\"";
  }
  line += "\n";
  size_t at = 0;
  const auto read_back = next_row(line, at);
  ASSERT_TRUE(read_back.has_value());
  EXPECT_EQ(*read_back, cells);
  EXPECT_EQ(at, line.size());
}

LAW(NcuReport, DamagedTextIsReadOrRefused) {
  std::string text = kText;
  for (int64_t i = rng.between(1, 10); i > 0; --i) {
    const auto at = static_cast<size_t>(rng.between(0, static_cast<int64_t>(text.size()) - 1));
    if (rng.coin()) {
      text.erase(at, static_cast<size_t>(rng.between(1, 60)));
    } else {
      text[at] = static_cast<char>(rng.bits());
    }
    if (text.empty()) text = " ";
  }
  const auto launches = read_report(Source("r", text));
  if (!launches.ok()) {
    EXPECT_EQ(launches.error().code, "bad-ncu-file");
  }
}

TEST(NcuLedger, HoldsWhatTheReportCounted) {
  const Launch launch{.kernel = "k",
                      .entries = {entry_of("", "dram__bytes_read.sum", "Mbyte", "1.5"),
                                  entry_of("", "dram__bytes_write.sum", "byte", "32")}};
  const Ledger ledger = ledger_of(launch);
  ASSERT_EQ(ledger.rows.size(), 2u);
  EXPECT_EQ(ledger.rows[0].total(), (Figure{Amount(1'500'000), Fidelity::kMeasured}));
}

}  // namespace
}  // namespace warpledger::ncu
