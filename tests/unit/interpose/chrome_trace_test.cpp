#include "interpose/chrome_trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/law.h"
#include "warpledger/base/trace_time.h"

namespace warpledger::cuda {
namespace {

using Json = nlohmann::json;

/// Slices of a category.
std::vector<Json> slices(const std::string& trace, const std::string& category) {
  std::vector<Json> found;
  const Json parsed = Json::parse(trace);
  for (const Json& event : parsed["traceEvents"])
    if (event["ph"] == "X" && event["cat"] == category) found.push_back(event);
  return found;
}

double end_of(const Json& slice) { return slice["ts"].get<double>() + slice["dur"].get<double>(); }

Span kernel_at(double begin, double seconds) {
  return {.name = "k", .begin = begin, .seconds = seconds, .profile = "p"};
}

LAW(ChromeTrace, BlocksLieWithinTheirKernelAndRowsDoNotOverlap) {
  KernelBlocks blocks{.sm_hertz = 1e9};
  for (uint32_t place = 0; place < 3; ++place) {
    int64_t at = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      const int64_t begin = at + rng.between(0, 50), end = begin + rng.between(1, 900);
      blocks.spans.push_back({.number = i, .place = place, .begin = begin, .end = end});
      at = end;
    }
  }
  std::vector<Span> kernels;
  double begin = 0;
  for (int i = 0; i < 3; ++i) {
    kernels.push_back(kernel_at(begin, 1e-9 * static_cast<double>(rng.between(100, 9000))));
    begin += kernels.back().seconds;
  }
  std::map<int, double> ends;  // by place
  size_t number = 0;
  for (const Json& block : slices(chrome_trace(kernels, "gpu", {{"p", blocks}}), "block")) {
    const Span& kernel = kernels[number++ / blocks.spans.size()];
    EXPECT_GE(end_of(block), block["ts"].get<double>());
    EXPECT_GE(block["ts"].get<double>(), trace_time(0, kernel.begin).duration);
    EXPECT_LE(end_of(block), trace_time(0, kernel.begin + kernel.seconds).duration + 1e-9);
    double& end = ends[block["tid"].get<int>()];
    EXPECT_GE(block["ts"].get<double>() + 1e-9, end);
    end = end_of(block);
  }
  EXPECT_EQ(number, kernels.size() * blocks.spans.size());
}

TEST(ChromeTrace, ASimulationThatFitsKeepsItsTimes) {
  const KernelBlocks blocks{.spans = {{.begin = 100, .end = 300}}, .sm_hertz = 1e9};
  const auto found = slices(chrome_trace({kernel_at(2e-6, 1e-6)}, "gpu", {{"p", blocks}}), "block");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_DOUBLE_EQ(found[0]["ts"].get<double>(), 2.1);
  EXPECT_DOUBLE_EQ(found[0]["dur"].get<double>(), 0.2);
  EXPECT_EQ(found[0]["args"]["end cycle"], 300);
}

TEST(ChromeTrace, NodesOfGraphsHaveRowsOfTheirOwn) {
  const Span launch{.name = "graph launch", .lane = Lane::kGraphLaunch, .stream = 3, .seconds = 2};
  const Span node{.name = "k", .stream = 0, .seconds = 1, .is_of_graph = true};
  const Span copy{.name = "c", .lane = Lane::kToDevice, .seconds = 1, .is_of_graph = true};
  const std::string trace = chrome_trace({node, copy, launch}, "gpu");
  EXPECT_NE(trace.find("stream 3"), std::string::npos);
  EXPECT_NE(slices(trace, "kernel").at(0)["tid"], slices(trace, "memcpy").at(0)["tid"]);
  EXPECT_NE(trace.find("graph nodes: kernels"), std::string::npos);
  EXPECT_EQ(trace.find("default stream"), std::string::npos);
}

TEST(ChromeTrace, SaysOfHowManyKernelsItHasTheBlocks) {
  KernelBlocks blocks{.sm_hertz = 1e9};
  blocks.spans.assign(60'000, {.begin = 0, .end = 1});
  const Json trace =
      Json::parse(chrome_trace({kernel_at(0, 1), kernel_at(1, 1)}, "gpu", {{"p", blocks}}));
  EXPECT_EQ(trace["otherData"]["kernels"], 2);
  EXPECT_EQ(trace["otherData"]["kernels with thread blocks"], 1);
}

}  // namespace
}  // namespace warpledger::cuda
