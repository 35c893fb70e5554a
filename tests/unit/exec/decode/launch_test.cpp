#include "warpledger/exec/decode/launch.h"

#include <gtest/gtest.h>

#include "warpledger/ptx/parser.h"

namespace warpledger::exec {
namespace {

Extent block_of(const std::string& directives, Extent asked) {
  const auto module =
      ptx::parse("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n" +
                              directives + "{\nret;\n}\n");
  return module.ok() ? exec::block_of(module->functions.at(0), asked) : Extent{};
}

constexpr const char* kTile = ".reqntid 128, 2\n.language 7\n";

TEST(BlockOf, ATileKernelHasTheThreadsThatItsCompilerChose) {
  EXPECT_EQ(block_of(kTile, {1, 1, 1}), (Extent{128, 2, 1}));
}

TEST(BlockOf, OtherLaunchesHaveWhatTheyAskFor) {
  EXPECT_EQ(block_of(kTile, {64, 1, 1}), (Extent{64, 1, 1}));  // check_launch() refuses it
  EXPECT_EQ(block_of(".reqntid 128\n", {1, 1, 1}), (Extent{1, 1, 1}));
}

}  // namespace
}  // namespace warpledger::exec
