#include "interpose/settings.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "interpose/settings_file.h"
#include "tests/support/law.h"

namespace warpledger::cuda {
namespace {

using ::testing::HasSubstr;

SettingsFile any_settings(warpledger::testing::Rng& rng) {
  const std::vector<std::string> texts = {"", "a", "\"{", "regex:^k", "/tmp/\n", "h100-sxm"};
  SettingsFile settings{.report = rng.pick(texts),
                        .launch_skip_before_match = static_cast<uint64_t>(rng.between(0, 9)),
                        .launch_skip = rng.coin() ? UINT64_MAX : 0,
                        .all_launches = rng.coin(),
                        .trials = rng.coin(),
                        .trace = rng.coin(),
                        .code = rng.coin(),
                        .progress = rng.coin(),
                        .verbose = rng.coin(),
                        .store = rng.coin(),
                        .tools = rng.pick(texts),
                        .devices = static_cast<uint64_t>(rng.between(1, 8)),
                        .aten = rng.coin() ? "cpu" : "gpu",
                        .profile_from_start = rng.coin(),
                        .heeds_profiler_calls = rng.coin(),
                        .nvtx_include = {rng.pick(texts), rng.pick(texts)},
                        .range_filter = rng.pick(texts)};
  if (rng.coin()) settings.launch_count = static_cast<uint64_t>(rng.between(0, 9));
  if (rng.coin()) settings.memory_mib = static_cast<uint64_t>(rng.between(0, 1 << 20));
  profile::Query& query = settings.query;
  query.gpu = rng.pick(texts);
  query.what.kernel = rng.pick(texts);
  query.what.name_base = static_cast<profile::NameBase>(rng.between(0, 2));
  query.options.sass = rng.coin();
  query.options.check_races = rng.coin();
  query.options.continue_on_error = rng.coin();
  query.options.engine = static_cast<exec::EngineChoice>(rng.between(0, 2));
  query.options.timeout_seconds = static_cast<double>(rng.between(0, 900)) / 7;
  return settings;
}

Result<SettingsFile> parsed(const std::string& text) {
  return settings_from_json(Source("s.json", text));
}

LAW(SettingsFile, ReadsBack) {
  const std::string text = to_json(any_settings(rng));
  const auto read = parsed(text);
  ASSERT_TRUE(read.ok()) << read.error().message << text;
  EXPECT_EQ(to_json(*read), text);
}

LAW(SettingsFile, ACutOneIsRefused) {
  std::string text = to_json(any_settings(rng));
  text.resize(static_cast<size_t>(rng.between(0, static_cast<int64_t>(text.size()) - 2)));
  EXPECT_FALSE(parsed(text).ok()) << text;
}

TEST(SettingsFile, WhatIsLeftOutHasItsDefault) {
  const auto read = parsed("{}");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(SettingsFile{}));
}

TEST(SettingsFile, RefusesWhatItDoesNotKnow) {
  for (const auto& [text, why] : std::vector<std::pair<const char*, const char*>>{
           {"", "it is not JSON"},
           {"[]", "it is not a JSON object"},
           {R"({"reports": ""})", "unknown field 'reports'"},
           {R"({"store": 1})", "'store' has the wrong type"},
           {R"({"launch_skip": -1})", "'launch_skip' has the wrong type"},
           {R"({"memory_mib": 99999999999})", "'memory_mib' is more than"},
           {R"({"devices": 0})", "'devices' is not from 1 to 8"},
           {R"({"devices": 9})", "'devices' is not from 1 to 8"},
           {R"({"aten": "tpu"})", "'aten' cannot be 'tpu': it is 'cpu' or 'gpu'"},
           {R"({"query": {"gup": "a100"}})", "unknown field 'gup'"},
           {R"({"query": {"options": {"engine": "x"}}})", "'engine' cannot be 'x'"}}) {
    const auto read = parsed(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, "bad-settings");
    EXPECT_THAT(read.error().message, HasSubstr(why));
  }
}

TEST(SettingsFile, RefusesQuestionsThatAProgramAnswersItself) {
  for (const auto& [text, field] : std::vector<std::pair<const char*, const char*>>{
           {R"({"query": {"grid": [8, 8, 1]}})", "'grid'"},
           {R"({"query": {"file": "k.cu"}})", "'file'"},
           {R"({"query": {"options": {"registers": 40}}})", "'registers'"}}) {
    const auto read = parsed(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.error().message, HasSubstr(field));
    EXPECT_THAT(read.error().message, HasSubstr("cannot be set for a program"));
  }
}

TEST(Settings, AreThoseOfTheFile) {
  const auto file = parsed(R"({"query": {"gpu": "rtx3090", "kernel": "regex:^k", "options":
      {"engine": "reference", "sass": false, "timeout_seconds": 2.5}},
      "launch_count": 3, "memory_mib": 512})");
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto settings = settings_of(*file);
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_EQ(settings->gpu, "rtx3090");
  EXPECT_EQ(settings->engine, exec::EngineChoice::kReference);
  EXPECT_FALSE(settings->sass);
  EXPECT_EQ(settings->timeout, 2.5);
  EXPECT_EQ(settings->selection.count, 3u);
  EXPECT_TRUE(settings->selection.kernel->matches("kernel"));
  EXPECT_FALSE(settings->selection.kernel->matches("other"));
  EXPECT_EQ(settings->memory_bytes, uint64_t{512} << 20);
}

TEST(Settings, ABadPatternIsRefused) {
  SettingsFile file;
  file.query.what.kernel = "regex:(";
  const auto settings = settings_of(file);
  ASSERT_FALSE(settings.ok());
  EXPECT_EQ(settings.error().code, "bad-regex");
}

/// Variables of this process, for one test.
class Variables : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv(kSettingsVariable);
    unsetenv("WARPLEDGER_MEMORY");
    std::filesystem::remove(path_);
  }
  void write(const std::string& text) {
    std::ofstream(path_) << text;
    setenv(kSettingsVariable, path_.c_str(), 1);
  }
  // Of this process alone: ctest runs several tests at once.
  const std::string path_ =
      ::testing::TempDir() + "warpledger-settings-" + std::to_string(getpid()) + ".json";
};

TEST_F(Variables, OneNamesTheFile) {
  write(R"({"query": {"gpu": "t4"}})");
  const auto settings = read_settings();
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_EQ(settings->gpu, "t4");
}

TEST_F(Variables, WithoutThemThereAreDefaults) {
  const auto settings = read_settings();
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_EQ(settings->gpu, Settings{}.gpu);
  EXPECT_EQ(settings->report, "");
}

TEST_F(Variables, AUserMaySetTheMemory) {
  write(R"({"memory_mib": 512})");
  setenv("WARPLEDGER_MEMORY", "64", 1);
  EXPECT_EQ(read_settings()->memory_bytes, uint64_t{64} << 20);
  setenv("WARPLEDGER_MEMORY", "much", 1);
  EXPECT_THAT(read_settings().error().message, HasSubstr("WARPLEDGER_MEMORY is 'much'"));
}

TEST_F(Variables, AFileThatIsNotThereIsRefused) {
  setenv(kSettingsVariable, "/nowhere/settings.json", 1);
  EXPECT_THAT(read_settings().error().message, HasSubstr("/nowhere/settings.json"));
}

}  // namespace
}  // namespace warpledger::cuda
