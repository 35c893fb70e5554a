#include "warpledger/profile/metrics/metric.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/metrics/page.h"
#include "warpledger/profile/metrics/section.h"

namespace warpledger::profile {
namespace {

using testing::add_access;
using testing::any_profile;
using testing::plain_profile;

double number(const Profile& profile, const std::string& metric) {
  const Answered answered = answer(metric, profile);
  EXPECT_TRUE(answered.value.number()) << metric;
  return answered.value.number().value_or(-1);
}

LAW(MemoryTables, RowsOfTheL1AddUpToItsTotal) {
  const Profile profile = any_profile(rng);
  for (const char* counter : {"l1tex__t_requests", "l1tex__t_sectors"}) {
    double rows = 0;
    for (const char* row : {"global_op_ld", "global_op_st", "global_op_red", "global_op_atom",
                            "global_op_ldgsts", "local_op_ld", "local_op_st"}) {
      rows += number(profile, std::string(counter) + "_pipe_lsu_mem_" + row + ".sum");
    }
    for (const char* row : {"texture", "surface_op_ld", "surface_op_st", "surface_op_red"})
      rows += number(profile, std::string(counter) + "_pipe_tex_mem_" + row + ".sum");
    EXPECT_EQ(rows, number(profile, std::string(counter) + ".sum"));
  }
}

LAW(MemoryTables, RowsOfTheL2AddUpToItsTotal) {
  const Profile profile = any_profile(rng);
  double sectors = 0, misses = 0;
  for (const char* row : {"read", "write", "red", "atom_dot_alu", "atom_dot_cas"}) {
    const std::string base = std::string("lts__t_sectors_srcunit_tex_op_") + row;
    sectors += number(profile, base + ".sum");
    misses += number(profile, base + "_lookup_miss.sum");
  }
  EXPECT_EQ(sectors, number(profile, "lts__t_sectors_srcunit_tex.sum"));
  EXPECT_EQ(misses, number(profile, "lts__t_sectors_srcunit_tex_lookup_miss.sum"));
}

LAW(MemoryTables, HitsAndMissesAddUpToSectors) {
  const Profile profile = any_profile(rng);
  for (const char* base : {"l1tex__t_sectors", "lts__t_sectors", "lts__t_sectors_srcunit_tex"}) {
    const std::string name = base;
    EXPECT_EQ(
        number(profile, name + "_lookup_hit.sum") + number(profile, name + "_lookup_miss.sum"),
        number(profile, name + ".sum"));
  }
}

LAW(Pages, DetailsAndRawPageSayTheSame) {
  const Profile profile = any_profile(rng);
  const Result<Table> raw = metric_table(profile, standard_metrics(), Units::kBase);
  ASSERT_TRUE(raw.ok());
  std::map<std::string, Cell> by_name;
  for (const Row& row : raw->rows) by_name[row.cells[0].text] = row.cells[2];
  for (const Section& section : sections()) {
    const Table details = table_of(section, profile, Units::kAuto);
    const std::vector<Entry> entries = shown_entries(section, profile);
    ASSERT_EQ(details.rows.size(), entries.size());
    for (size_t i = 0; i < entries.size(); ++i) {
      const Cell& cell = by_name.at(entries[i].metric);
      EXPECT_EQ(details.rows[i].cells[2].raw, cell.raw) << entries[i].metric;
      EXPECT_EQ(details.rows[i].cells[2].fidelity, cell.fidelity);
    }
  }
}

TEST(Catalog, EveryMetricOfSectionsAndTablesIsThere) {
  for (const Section& section : sections()) {
    for (const Entry& entry : section.entries)
      EXPECT_TRUE(find_metric(entry.metric).ok()) << entry.metric;
  }
  const Profile profile = plain_profile();
  for (const MemoryTable& table : memory_tables()) {
    for (const TableLine& line : table.lines) {
      EXPECT_EQ(line.metrics.size(), table.columns.size()) << line.label;
      for (const std::string& metric : line.metrics) {
        if (!metric.empty()) (void)answer(metric, profile);  // checks the name
      }
    }
  }
}

TEST(Catalog, NamesAreUnique) {
  std::set<std::string> names;
  for (const Counter& counter : catalog().counters) {
    EXPECT_TRUE(names.insert(counter.base + ".sum").second) << counter.base;
  }
  for (const Single& single : catalog().singles) {
    EXPECT_TRUE(names.insert(single.name).second) << single.name;
  }
}

TEST(Catalog, SectionsAreSortedByMetricAsNcuDoes) {
  for (const char* title : {"GPU Speed Of Light Throughput", "Launch Statistics", "Occupancy",
                            "GPU and Memory Workload Distribution"}) {
    for (const Section& section : sections()) {
      if (section.title != title) continue;
      for (size_t i = 1; i < section.entries.size(); ++i) {
        EXPECT_LT(section.entries[i - 1].metric, section.entries[i].metric);
      }
    }
  }
}

TEST(Metric, AnUnknownNameGetsASuggestion) {
  const Result<Metric> metric = find_metric("dram__bytes_raed.sum");
  ASSERT_FALSE(metric.ok());
  EXPECT_EQ(metric.error().code, "unknown-metric");
  EXPECT_NE(metric.error().hint.find("dram__bytes_read.sum"), std::string::npos);
}

TEST(Metric, WhatNeedsTimeHasNoValueWithoutIt) {
  Profile profile = plain_profile();
  add_access(profile, trace::Space::kGlobal, trace::Kind::kLoad).l2_sectors = 8;
  testing::add_up(profile);
  EXPECT_FALSE(answer("gpu__time_duration.sum", profile).value.is_known());
  EXPECT_FALSE(answer("lts__t_sectors.sum.per_second", profile).value.is_known());
  EXPECT_FALSE(
      answer("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", profile).value.is_known());
  EXPECT_EQ(number(profile, "lts__t_sectors.sum"), 8);
}

TEST(Metric, WithTimeRatesAndSharesOfThePeakFollow) {
  Profile profile = plain_profile();
  add_access(profile, trace::Space::kGlobal, trace::Kind::kLoad).l2_sectors = 48'000;
  testing::add_up(profile);
  profile.timing = {.elapsed_cycles = 2000,
                    .active_cycles = 1000,
                    .resident_warps = 24,
                    .sm_hertz = 1e9,
                    .l2_hertz = 1e9,
                    .dram_hertz = 1e9};
  EXPECT_DOUBLE_EQ(number(profile, "gpu__time_duration.sum"), 2000);
  EXPECT_DOUBLE_EQ(number(profile, "lts__t_sectors.sum.per_second"), 48'000 / 2e-6);
  // 48 slices at 1 sector a clock.
  EXPECT_DOUBLE_EQ(number(profile, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"), 50);
  EXPECT_DOUBLE_EQ(number(profile, "sm__warps_active.avg.pct_of_peak_sustained_active"), 50);
  EXPECT_GE(number(profile, "lts__throughput.avg.pct_of_peak_sustained_elapsed"), 50);
}

TEST(Metric, TheBandSpansTheOrders) {
  Profile profile = plain_profile();
  profile.counters.dram.read_sectors = 100;
  profile.other_orders.resize(2);
  profile.other_orders[0].dram.read_sectors = 90;
  profile.other_orders[1].dram.read_sectors = 130;
  const Value value = answer("dram__sectors_read.sum", profile).value;
  EXPECT_EQ(value.number(), 100);
  EXPECT_EQ(value.low, 90);
  EXPECT_EQ(value.high, 130);
  EXPECT_EQ(show(value, "sector", Units::kAuto).value, "100 (90..130)");
}

TEST(Shown, UnitsAreScaledAsNcuDoes) {
  const Value bytes{.raw = int64_t{8192}, .fidelity = Fidelity::kExact};
  EXPECT_EQ(show(bytes, "byte/block", Units::kAuto).value, "8.19");
  EXPECT_EQ(show(bytes, "byte/block", Units::kAuto).unit, "Kbyte/block");
  EXPECT_EQ(show(bytes, "byte/block", Units::kBase).value, "8,192");
  EXPECT_EQ(show({.raw = 27.01e6}, "ns", Units::kAuto).unit, "ms");
  EXPECT_EQ(show(not_modeled(), "cycle", Units::kAuto).value, kNotModeled);
}

TEST(Csv, ColumnsAreNcusAndAbsentValuesAreMarked) {
  const Profile profile = plain_profile();
  const std::string csv =
      metrics_csv({profile}, {"launch__grid_size", "gpu__time_duration.sum"}, Units::kAuto);
  EXPECT_EQ(csv,
            "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","
            "\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric "
            "Name\",\"Metric Unit\",\"Metric Value\"\n"
            "\"0\",\"0\",\"warpledger\",\"127.0.0.1\",\"k\",\"1\",\"7\",\"(256, 1, 1)\",\"(64, 1, "
            "1)\",\"0\",\"8.6\",\"Command line profiler metrics\",\"launch__grid_size\",\"\","
            "\"64\"\n"
            "\"0\",\"0\",\"warpledger\",\"127.0.0.1\",\"k\",\"1\",\"7\",\"(256, 1, 1)\",\"(64, 1, "
            "1)\",\"0\",\"8.6\",\"Command line profiler metrics\",\"gpu__time_duration.sum\","
            "\"ns\",\"n/a\"\n");
}

TEST(Names, ParametersAreSpeltAsNcuDoes) {
  EXPECT_EQ(shown_name("_Z12matmul_naivePKfS0_Pfjjj"),
            "matmul_naive(const float *, const float *, float *, unsigned int, unsigned int, "
            "unsigned int)");
  EXPECT_EQ(shown_name("plain"), "plain");
}

}  // namespace
}  // namespace warpledger::profile
