#include "warpledger/profile/file/report_file.h"

#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/advice/summary.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/metrics/page.h"
#include "warpledger/profile/metrics/section_choice.h"
#include "warpledger/profile/metrics/source_page.h"

namespace warpledger::profile {
namespace {

using testing::any_profile;

void add(std::string& text, const Table& table) {
  text += table.title + "\n";
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) {
      text += cell.text + "|";
      if (const auto* n = std::get_if<int64_t>(&cell.raw)) text += std::to_string(*n);
      if (const auto* x = std::get_if<double>(&cell.raw)) text += std::to_string(*x);
    }
    text += "\n";
  }
}

/// Everything that can be printed of a profile.
std::string every_page(const Profile& profile) {
  std::string text = to_json(profile) + heading(profile) + profile.output;
  for (const Units units : {Units::kAuto, Units::kBase}) {
    text += details_csv({profile}, units) + raw_csv({profile}, standard_metrics(), units);
    for (const Section& section : sections()) add(text, table_of(section, profile, units));
    for (const MemoryTable& table : memory_tables()) add(text, table_of(table, profile, units));
  }
  add(text, line_table(profile, {}));
  add(text, instruction_table(profile));
  add(text, journey(profile));
  add(text, busiest_units(profile));
  for (const std::string& line : headline(profile)) text += line + "\n";
  for (const Finding& finding : find(profile)) text += finding.title + finding.remedy;
  return text;
}

LAW(Record, PrintsTheSameOnEveryPage) {
  Profile profile = any_profile(rng);
  if (rng.coin()) profile.output = std::string("\xff\0printf 3\n{", 12);
  if (rng.coin()) profile.timing = Timing{1e5 / 3, 9e4 / 7, 31.7, 1e9 / 3, 1e9, 2e9};
  const Result<Profile> read = from_record(to_record(profile));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(every_page(*read), every_page(profile));
}

LAW(Record, ADamagedOneIsRefusedOrReads) {
  std::string record = to_record(any_profile(rng));
  record.resize(static_cast<size_t>(rng.between(0, static_cast<int64_t>(record.size()) - 2)));
  EXPECT_FALSE(from_record(record).ok());
}

LAW_ROUNDS(Report, ReadsBack, 30) {
  std::vector<Profile> profiles;
  for (int64_t n = rng.between(0, 4); n > 0; --n) profiles.push_back(any_profile(rng));
  const std::string text = to_report(profiles);
  const auto read = read_report(Source("r.wlrep", text));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), profiles.size());
  EXPECT_EQ(to_report(*read), text);
}

LAW_ROUNDS(Report, ReadsAnArrayToo, 30) {
  std::vector<Profile> profiles;
  for (int64_t n = rng.between(1, 4); n > 0; --n) profiles.push_back(any_profile(rng));
  const std::string text = to_json(profiles);
  EXPECT_EQ(text.front(), '[');
  EXPECT_TRUE(is_profile_json(text));
  const auto read = read_report(Source("r.json", text));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json(*read), text);
}

TEST(Json, OfNoLaunchIsAnEmptyArray) { EXPECT_EQ(to_json(std::vector<Profile>{}), "[]\n"); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    lines.push_back(text.substr(at, text.find('\n', at) - at));
  return lines;
}

LAW_ROUNDS(Csv, SeveralLaunchesAreOneTableWithOneHeader, 10) {
  std::vector<Profile> profiles;
  for (int64_t n = rng.between(1, 4); n > 0; --n) profiles.push_back(any_profile(rng));
  const std::vector<std::string> all = lines_of(details_csv(profiles, Units::kBase));
  size_t at = 1;
  for (size_t i = 0; i < profiles.size(); ++i) {
    const std::vector<std::string> one = lines_of(details_csv({profiles[i]}, Units::kBase));
    EXPECT_EQ(all.front(), one.front());
    for (size_t row = 1; row < one.size(); ++row, ++at) {
      ASSERT_LT(at, all.size());
      EXPECT_EQ(all[at], "\"" + std::to_string(i) + one[row].substr(2));  // but for its ID
    }
  }
  EXPECT_EQ(at, all.size());
}

TEST(Csv, CountsLaunchesWhereAProfileStandsForSeveral) {
  Profile one = testing::plain_profile(), many = testing::plain_profile();
  one.launches.add(0);
  for (const uint64_t number : {1, 2, 3}) many.launches.add(number);
  const auto lines = lines_of(raw_csv({one, many}, {"launch__grid_size"}, Units::kBase));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(lines[0].ends_with(",\"launch__grid_size\",\"Launches\"")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with(",\"\"")) << lines[1];  // units
  EXPECT_TRUE(lines[2].starts_with("\"0\",") && lines[2].ends_with(",\"1\"")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("\"1\",") && lines[3].ends_with(",\"3\"")) << lines[3];
}

TEST(Report, WhatIsNoneIsRefused) {
  for (const std::string text : {"", "[]", "{\"profiles\": 3}", "{\"profiles\": [3]}"}) {
    EXPECT_FALSE(read_report(Source("r", text)).ok()) << text;
  }
}

TEST(SectionChoice, EverySectionHasNcusIdentifier) {
  for (const Section& section : sections()) EXPECT_NE(section_id(section), "") << section.title;
}

TEST(SectionChoice, ChoosesByIdentifierTitleAndExpression) {
  EXPECT_EQ(choose_sections({})->sections.size(), sections().size());
  EXPECT_EQ(choose_sections({"Occupancy"})->sections.size(), 1u);
  EXPECT_FALSE(choose_sections({"Occupancy"})->memory_tables);
  EXPECT_EQ(choose_sections({"GPU Speed Of Light Throughput"})->sections.front().title,
            "GPU Speed Of Light Throughput");
  const auto memory = choose_sections({"regex:^Memory"});
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(memory->sections.size(), 1u);
  EXPECT_TRUE(memory->memory_tables);
}

TEST(SectionChoice, AnUnknownNameIsRefusedWithTheNearest) {
  const auto chosen = choose_sections({"Ocupancy"});
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().hint, "did you mean 'Occupancy'?");
}

}  // namespace
}  // namespace warpledger::profile
