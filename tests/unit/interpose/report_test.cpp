// What a program leaves: every launch, also when it was killed while it wrote.
#include "interpose/report.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/base/file.h"
#include "warpledger/toolchain/temporary_folder.h"

namespace warpledger::cuda {
namespace {

using Way = ReportWriter::Way;
using profile::testing::plain_profile;

class Report : public ::testing::Test {
 protected:
  const toolchain::TemporaryFolder folder_ = *toolchain::TemporaryFolder::create();
  const std::string path_ = folder_.file("profiles");
};

TEST_F(Report, SaysWhatALaunchWasFor) {
  ReportWriter writer(path_);
  const std::string a = writer.add(plain_profile());
  writer.add_purpose(a, "trial BLOCK: 64,\nnum_warps: 4");
  writer.add_launch(a, 0, Way::kModel);
  writer.add_trial();
  const Result<ProgramReport> report = read_report(path_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->profiles.size(), 1u);
  EXPECT_EQ(report->profiles[0].launches.purpose, "trial BLOCK: 64,\nnum_warps: 4");
  EXPECT_EQ(report->launches, 2u);
  EXPECT_EQ(report->trials, 1u);
}

// A limit on the size of files simulates a full disk.
TEST_F(Report, AFullDiskLosesNothingThatWasWritten) {
  const pid_t child = fork();
  if (child == 0) {
    ReportWriter writer(path_);
    const std::string a = writer.add(plain_profile());
    writer.add_launch(a, 0, Way::kModel);
    const auto most = static_cast<rlim_t>(std::filesystem::file_size(path_) + 100);
    const rlimit limit{most, most};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    fclose(stderr);
    const std::string b = writer.add(plain_profile());
    writer.add_launch(b, 1, Way::kModel);
    writer.add_launch(a, 2, Way::kSame);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  const Result<ProgramReport> report = read_report(path_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->profiles.size(), 1u);
  EXPECT_EQ(report->launches, 1u);
}

TEST_F(Report, CountsTheLaunchesOfAProfile) {
  ReportWriter writer(path_);
  const std::string a = writer.add(plain_profile()), b = writer.add(plain_profile("a100-80"));
  writer.add_launch(a, 0, Way::kModel);
  writer.add_launch(b, 1, Way::kModel);
  writer.add_launch(a, 2, Way::kSame);
  writer.add_launch(a, 4, Way::kUnlike);
  writer.add_other();
  const Result<ProgramReport> report = read_report(path_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->profiles.size(), 2u);
  const profile::Launches& launches = report->profiles[0].launches;
  EXPECT_EQ(launches.count, 3u);
  EXPECT_EQ(launches.modeled, 1u);
  EXPECT_EQ(launches.unlike, 1u);
  EXPECT_EQ(profile::to_text(launches.ranges), "0..4 by 2");
  EXPECT_EQ(report->profiles[1].gpu_request, "a100-80");
  EXPECT_EQ(report->launches, 5u);
}

TEST_F(Report, KeepsWhatAFaultSaid) {
  ReportWriter writer(path_);
  writer.add_fault("out of\nbounds");
  const Result<ProgramReport> report = read_report(path_);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->faults, std::vector<std::string>{"out of\nbounds"});
  EXPECT_EQ(report->launches, 1u);
}

TEST_F(Report, CountsTheCallsOfEachLibrary) {
  ReportWriter writer(path_);
  writer.add_library_call("cuBLAS");
  writer.add_library_call("cuFFT");
  writer.add_library_call("cuBLAS");
  const Result<ProgramReport> report = read_report(path_);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->library_calls, (std::map<std::string, uint64_t>{{"cuBLAS", 2}, {"cuFFT", 1}}));
  EXPECT_EQ(report->launches, 0u);
}

TEST_F(Report, KeepsTheCodeOfAModuleOnce) {
  ReportWriter writer(path_);
  const std::string a = writer.add(plain_profile()), b = writer.add(plain_profile());
  writer.add_code(a, "first\nPTX");
  writer.add_code(b, "first\nPTX");
  writer.add_code(b, "second");
  const Result<ProgramReport> report = read_report(path_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->texts.size(), 1u);
  const auto& texts = report->texts.at(plain_profile().kernel);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(*texts[0], "first\nPTX");
  EXPECT_EQ(*texts[1], "second");
}

TEST_F(Report, KeepsWorkOnTheClock) {
  ReportWriter writer(path_);
  const std::string a = writer.add(plain_profile());
  writer.add_span({.name = "a b", .stream = 3, .begin = 0.5, .seconds = 0.1, .profile = a});
  writer.add_span({.lane = Lane::kGraphLaunch, .device = 2, .is_of_graph = true});
  const Result<ProgramReport> report = read_report(path_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->spans.size(), 2u);
  EXPECT_EQ(report->spans[0].name, "a b");
  EXPECT_EQ(report->spans[0].seconds, 0.1);
  EXPECT_EQ(report->by_name.at(report->spans[0].profile), 0u);
  EXPECT_EQ(report->spans[1].lane, Lane::kGraphLaunch);
  EXPECT_TRUE(report->spans[1].is_of_graph);
  EXPECT_EQ(report->spans[1].profile, "");
}

TEST_F(Report, IsReadAsFarAsItWasWritten) {
  ReportWriter writer(path_);
  writer.add_launch(writer.add(plain_profile()), 0, Way::kModel);
  const std::string whole = *read_file(path_);
  writer.add_launch(writer.add(plain_profile()), 1, Way::kModel);
  const std::string both = *read_file(path_);
  for (size_t bytes = whole.size(); bytes < both.size(); bytes += 97) {
    ASSERT_TRUE(write_file(path_, both.substr(0, bytes)).ok());
    const Result<ProgramReport> report = read_report(path_);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->profiles[0].launches.count, 1u);
  }
}

}  // namespace
}  // namespace warpledger::cuda
