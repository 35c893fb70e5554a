#include "warpledger/report/ncu/ncu_report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/ncu/report.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/file/kept_texts.h"
#include "warpledger/profile/file/report_file.h"
#include "warpledger/profile/metrics/section.h"

namespace warpledger::report {
namespace {

using profile::MachineCode;
using profile::Profile;
using profile::testing::add_access;
using profile::testing::any_profile;
using profile::testing::plain_profile;

const ncu::RepMetric* find(const std::vector<ncu::RepMetric>& metrics, const std::string& name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const ncu::RepMetric& one) { return one.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

Profile timed(Profile profile) {
  profile.timing = profile::Timing{.elapsed_cycles = 1e6,
                                   .active_cycles = 9e5,
                                   .resident_warps = 16,
                                   .sm_hertz = 1e9,
                                   .l2_hertz = 1e9,
                                   .dram_hertz = 1e9};
  return profile;
}

/// Law: profiles -> file -> profiles are the same.
LAW(NcuReport, GivesTheProfilesBack) {
  const Profile first = timed(any_profile(rng)), second = any_profile(rng);
  const std::string bytes = ncu::to_bytes(ncu_report({{first}, {second}}, {}, "a command"));
  const auto read = profile::read_report(Source("r.ncu-rep", bytes));
  ASSERT_TRUE(read.ok()) << to_text(read.error());
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(profile::to_json((*read)[0]), profile::to_json(first));
  EXPECT_EQ(profile::to_json((*read)[1]), profile::to_json(second));
}

/// Law: every known metric is in it with its value, and no other is; a reader of
/// hardware's reports finds them too.
LAW(NcuReport, HoldsTheMetricsThatAreKnown) {
  const Profile profile = timed(any_profile(rng));
  ncu::RepFile file;
  file.results.emplace_back().metrics = ncu_metrics({profile});
  const auto launches = ncu::read_report(Source("r.ncu-rep", ncu::to_bytes(file)));
  ASSERT_TRUE(launches.ok());
  for (const std::string& name : profile::standard_metrics()) {
    const profile::Value value = profile::answer(name, profile).value;
    const ncu::RepMetric* metric = find(file.results[0].metrics, name);
    ASSERT_EQ(metric != nullptr, value.is_known()) << name;
    if (!value.number()) continue;
    EXPECT_EQ(std::get<double>(*metric->value), *value.number()) << name;
    EXPECT_EQ(*launches->front().find(name)->value, *value.number()) << name;
  }
}

TEST(NcuReport, SaysEverywhereThatItIsAPrediction) {
  const ncu::RepFile file = ncu_report({{timed(plain_profile())}}, {}, "");
  for (const std::string& words :
       {file.session.comment, file.results[0].comment, file.session.versions[0].second,
        file.session.process, file.session.devices[0].name}) {
    EXPECT_NE(words.find("edict"), std::string::npos) << words;
  }
  for (const ncu::RepSection& section : file.results[0].sections) {
    if (section.lines.empty()) continue;
    const bool said = std::any_of(
        file.results[0].rules.begin(), file.results[0].rules.end(), [&](const ncu::RepRule& rule) {
          return rule.section == section.id && rule.title == "Predicted, not measured";
        });
    EXPECT_TRUE(said) << section.id;
  }
}

TEST(NcuReport, LeavesOutWhatIsNotPredicted) {
  const Profile untimed = plain_profile();
  const ncu::RepFile file = ncu_report({{untimed}}, {}, "");
  EXPECT_EQ(find(file.results[0].metrics, "gpu__time_duration.sum"), nullptr);
  for (const ncu::RepSection& section : file.results[0].sections) {
    for (const ncu::RepLine& line : section.lines) EXPECT_NE(line.label, "Duration");
  }
}

/// What ncu finds units by.
TEST(NcuReport, NamesTheChip) {
  const std::vector<ncu::RepMetric> metrics = ncu_metrics({plain_profile("rtx3090")});
  const auto value = [&](const char* name) {
    return std::get<uint64_t>(*find(metrics, name)->value);
  };
  EXPECT_EQ(value("device__attribute_compute_capability_major"), 8u);
  EXPECT_EQ(value("device__attribute_architecture"), 0x170u);
  EXPECT_EQ(value("device__attribute_implementation"), 0x172u);
}

/// Two machine instructions for one PTX instruction, and one that ptxas made for none.
TEST(NcuReport, SharesAnAccessAmongItsMachineInstructions) {
  Profile profile = plain_profile();
  memory::SiteCounters& counters = add_access(profile, trace::Space::kGlobal, trace::Kind::kLoad);
  counters.request.theoretical_sectors = 100;
  counters.request.ideal_sectors = 30;
  profile.code[0].executions = 30;
  profile.code[0].lanes = 960;
  const MachineCode code{
      .address = 0x1000,
      .lines = {
          {.address = 0x1000, .executions = 10},
          {.address = 0x1010, .executions = 10, .number = 0, .site = 0, .site_executions = 30},
          {.address = 0x1020, .executions = 20, .number = 0, .site = 0, .site_executions = 30}}};
  const std::vector<ncu::RepMetric> metrics = ncu_source_metrics(profile, code);
  const ncu::RepMetric* sectors = find(metrics, "memory_l2_theoretical_sectors_global");
  const std::vector<ncu::RepInstance> parts = {{uint64_t{0x1010}, uint64_t{33}},
                                               {uint64_t{0x1020}, uint64_t{67}}};
  EXPECT_EQ(sectors->instances, parts);
  EXPECT_EQ(std::get<uint64_t>(*sectors->value), 100u);
  const ncu::RepMetric* executed = find(metrics, "inst_executed");
  EXPECT_EQ(std::get<uint64_t>(*executed->value), 40u);
}

MachineCode two_lines() {
  MachineCode code{.address = 0x1000,
                   .lines = {{.address = 0x1000, .opcode = "NOP", .executions = 10},
                             {.address = 0x1010,
                              .guard = "@!P1",
                              .opcode = "LDG.E",
                              .operands = "R2, [R4.64]",
                              .executions = 10,
                              .threads = 320,
                              .threads_on = 64}}};
  for (profile::MachineLine& line : code.lines) line.states.emplace();
  code.lines[1].states->cycles[static_cast<size_t>(sm::Reason::kLongScoreboard)] = 7;
  return code;
}

TEST(NcuReport, HasStallsAndThreadsOfInstructions) {
  const std::vector<ncu::RepMetric> metrics = ncu_source_metrics(plain_profile(), two_lines());
  const auto instances = [&](const char* name) { return find(metrics, name)->instances; };
  using Instances = std::vector<ncu::RepInstance>;
  EXPECT_EQ(instances("thread_inst_executed"), (Instances{{uint64_t{0x1010}, uint64_t{320}}}));
  EXPECT_EQ(instances("thread_inst_executed_true"), (Instances{{uint64_t{0x1010}, uint64_t{64}}}));
  EXPECT_EQ(instances("smsp__pcsamp_warps_issue_stalled_long_scoreboard"),
            (Instances{{uint64_t{0x1000}, uint64_t{0}}, {uint64_t{0x1010}, uint64_t{7}}}));
}

TEST(NcuSourceCsv, HasNcusLayoutAndMarksWhatIsAbsent) {
  const std::string csv = ncu_source_csv(plain_profile(), two_lines());
  EXPECT_TRUE(csv.starts_with("\"Kernel Name\",")) << csv;
  EXPECT_NE(csv.find("\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\","),
            std::string::npos);
  EXPECT_NE(csv.find("\"0x1000\",\"      NOP \",\"0\",\"10\",\"-\",\"-\""), std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\"0x1010\",\"@!P1  LDG.E R2, [R4.64] \",\"7\",\"10\",\"320\",\"64\""),
            std::string::npos)
      << csv;
}

TEST(NcuReport, KeepsTheCodeOfAModuleOnce) {
  const Profile profile = plain_profile();
  const MachineCode code{.ptx = "the PTX", .cubin = "the cubin"};
  const Sources sources = {{"k.cu", {"line 1", "line 2"}}};
  const ncu::RepFile file = ncu_report({{profile, code}, {profile, code}, {profile}}, sources, "");
  ASSERT_EQ(file.codes.size(), 1u);
  EXPECT_EQ(file.codes[0].ptx, "the PTX");
  EXPECT_EQ(file.results[0].code, file.codes[0].reference);
  EXPECT_EQ(file.results[1].code, file.codes[0].reference);
  EXPECT_EQ(file.results[2].code, 0u);
}

TEST(NcuReport, GivesThePtxOfEachKernelBack) {
  const Profile profile = plain_profile();
  const ncu::RepFile file =
      ncu_report({{profile, MachineCode{.ptx = "the PTX"}}, {profile}}, {}, "");
  const auto texts = profile::kept_texts(Source("a.ncu-rep", ncu::to_bytes(file)));
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(*texts.at(profile.kernel).at(0), "the PTX");
  EXPECT_TRUE(profile::kept_texts(Source("a.wlrep", "{}")).empty());
  EXPECT_TRUE(profile::kept_texts(Source("a.ncu-rep", ncu::to_bytes(file).substr(0, 99))).empty());
}

TEST(NcuReport, NamesSourcesAsTheTableOfLinesDoes) {
  Profile profile = plain_profile();
  profile.code.assign(1, {.source = {"k.cu", 1}});
  const MachineCode code{.files = {"/src/not_k.cu", "/src/k.cu"}};
  const ncu::RepFile file = ncu_report({{profile, code}}, {{"k.cu", {"line 1"}}}, "");
  ASSERT_EQ(file.codes.size(), 1u);
  ASSERT_EQ(file.codes[0].files.size(), 1u);
  EXPECT_EQ(file.codes[0].files[0].name, "/src/k.cu");
}

TEST(NcuReport, IsRefusedAsAProfileWhereNcuMeasuredIt) {
  ncu::RepFile file = ncu_report({{plain_profile()}}, {}, "");
  file.results[0].record.clear();
  const auto read = profile::read_report(Source("hardware.ncu-rep", ncu::to_bytes(file)));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message,
            "'hardware.ncu-rep' was measured by ncu: it contains no prediction");
}

}  // namespace
}  // namespace warpledger::report
