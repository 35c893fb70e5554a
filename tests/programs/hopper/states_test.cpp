// Warp states of kernels whose warps wait for each other at mbarriers, and for copies and products.
#include <gmock/gmock.h>

#include "tests/programs/program.h"
#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/run/run.h"
#include "warpledger/ptx/parser.h"

namespace warpledger::profile {
namespace {

struct Asked {
  std::string file, kernel;
  exec::Extent grid = {1, 1, 1};
  uint32_t threads = 64, shared_bytes = 0;
  std::vector<std::string> arguments = {};
};

Asked pipeline() {
  return {
      "hopper/pipeline.cu", "pipeline", {264, 1, 1}, 64, 0, {"f32[540672]", "f32[8448]", "i32:8"}};
}
Asked attention() {
  const std::string map = "=tensormap(box=64x64,swizzle=128B):f16[512x64]:random";
  return {"../../kernels/attention_sm90.cu",
          "attention_sm90",
          {4, 2, 1},
          128,
          40992,
          {"Q" + map, "K" + map, "V" + map, "O=f16[512x64]", "i32:256", "f32:0.18"}};
}

Profile profile_of(const Asked& asked, uint32_t threads = 1,
                   exec::EngineChoice engine = exec::EngineChoice::kAuto) {
  const Result<ptx::Module> module = ptx::parse(asked.kernel, exec::compiled(asked.file, "sm_90a"));
  EXPECT_TRUE(module.ok());
  Request request{.module = *module, .file = asked.kernel, .kernel = asked.kernel};
  request.gpu = testing::gpu_named("h100-sxm");
  request.grid = asked.grid;
  request.block = {asked.threads, 1, 1};
  request.dynamic_shared_bytes = asked.shared_bytes;
  request.threads = threads;
  request.engine.engine = engine;
  for (const std::string& text : asked.arguments)
    request.arguments.push_back(
        *exec::parse_argument(text, static_cast<int>(request.arguments.size()) + 1));
  Result<Profile> made = run(request);
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  return *std::move(made);
}

/// Cycles of a reason that warps wait for instructions whose PTX contains `text`.
double waits_for(const Profile& profile, sm::Reason reason, const std::string& text) {
  double cycles = 0;
  for (const sm::InstructionStates& line : profile.states->instructions) {
    if (!line.waited_for || *line.waited_for >= profile.code.size()) continue;
    if (profile.code[*line.waited_for].text.find(text) != std::string::npos)
      cycles += line.cycles[static_cast<size_t>(reason)];
  }
  return cycles;
}

TEST(States, TellProducersFromConsumers) {
  const Profile profile = profile_of(pipeline());
  if (!profile.states) GTEST_SKIP() << "no ptxas: " << profile.no_states;
  EXPECT_EQ(profile.no_states, "");
  // Consumers wait for copies, the producer for consumers that leave a stage.
  EXPECT_GT(waits_for(profile, sm::Reason::kLongScoreboard, "cp.async.bulk"), 0);
  EXPECT_GT(waits_for(profile, sm::Reason::kLongScoreboard, "mbarrier.arrive.shared"), 0);
}

TEST(States, OfWarpGroupsWaitForProductsAsForABarrier) {
  const Profile profile = profile_of(attention());
  if (!profile.states) GTEST_SKIP() << "no ptxas: " << profile.no_states;
  EXPECT_EQ(profile.no_states, "");
  double products = 0;
  for (size_t i = 0; i < profile.code.size(); ++i)
    if (profile.code[i].text.find("wgmma.wait_group") != std::string::npos)
      products += profile.states->instructions[i].cycles[size_t(sm::Reason::kBarrier)];
  EXPECT_GT(products, 0);
}

TEST(States, AreTheSameForAnyThreadsAndInBothEngines) {
  const Profile one = profile_of(pipeline());
  if (!one.states) GTEST_SKIP() << "no ptxas: " << one.no_states;
  EXPECT_EQ(profile_of(pipeline(), 4).states, one.states);
  EXPECT_EQ(profile_of(pipeline(), 1, exec::EngineChoice::kReference).states, one.states);
}

}  // namespace
}  // namespace warpledger::profile
