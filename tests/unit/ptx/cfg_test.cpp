#include "warpledger/ptx/cfg.h"

#include <gtest/gtest.h>

#include "tests/support/law.h"
#include "warpledger/ptx/parser.h"

namespace warpledger::ptx {
namespace {

using warpledger::testing::Rng;

Module kernel(std::string_view body) {
  auto module = parse(
      "k.ptx", ".version 8.0\n.target sm_80\n.entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\n" +
                   std::string(body) + "}\n");
  EXPECT_TRUE(module.ok()) << to_text(module.error());
  return *std::move(module);
}

// A kernel of labeled blocks, each ending in a random way.
std::string any_body(Rng& rng) {
  const int64_t blocks = 1 + rng.size() / 8;
  std::string body;
  const auto label = [&] { return "L" + std::to_string(rng.between(0, blocks - 1)); };
  for (int64_t i = 0; i < blocks; ++i) {
    body += "L" + std::to_string(i) + ": add.s32 %r1, %r1, 1;\n";
    switch (rng.between(0, 6)) {
      case 0:
        body += "bra " + label() + ";\n";
        break;
      case 1:
        body += "@%p1 ret;\n";
        break;
      case 2:
        body += "exit;\n";
        break;
      case 3:
        break;
      default:
        body += "@%p1 bra " + label() + ";\n";
    }
  }
  return body;
}

// Can `from` reach the exit without passing `without`? By definition of post-dominance.
bool reaches_exit(const Cfg& cfg, uint32_t from, uint32_t without) {
  std::vector<bool> seen(cfg.blocks.size(), false);
  std::vector<uint32_t> work = {from};
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (b == without || seen[b]) continue;
    seen[b] = true;
    if (cfg.blocks[b].leaves) return true;
    for (const uint32_t s : cfg.blocks[b].successors) work.push_back(s);
  }
  return false;
}

LAW(PostDominators, AreTheNearestBlocksOnEveryWayOut) {
  const Module module = kernel(any_body(rng));
  const Cfg cfg = build_cfg(module, module.functions[0]);
  const std::vector<uint32_t> nearest = immediate_post_dominators(cfg);
  for (uint32_t b = 0; b < cfg.blocks.size(); ++b) {
    if (!reaches_exit(cfg, b, cfg.exit())) return;  // endless: a convention, not the definition
  }
  for (uint32_t b = 0; b < cfg.blocks.size(); ++b) {
    const bool has_one = nearest[b] != cfg.exit();
    EXPECT_FALSE(has_one && reaches_exit(cfg, b, nearest[b]));
    // Every strict post-dominator of b is the nearest one or post-dominates it.
    for (uint32_t p = 0; p < cfg.blocks.size(); ++p) {
      if (p == b || reaches_exit(cfg, b, p)) continue;
      ASSERT_TRUE(has_one);
      EXPECT_TRUE(p == nearest[b] || !reaches_exit(cfg, nearest[b], p));
    }
  }
}

LAW(Cfg, BlocksPartitionTheInstructions) {
  const Module module = kernel(any_body(rng));
  const Cfg cfg = build_cfg(module, module.functions[0]);
  uint32_t next = 0;
  for (uint32_t b = 0; b < cfg.blocks.size(); ++b) {
    EXPECT_EQ(cfg.blocks[b].first, next);
    for (; next < cfg.blocks[b].end; ++next) EXPECT_EQ(cfg.block_of[next], b);
    EXPECT_TRUE(cfg.blocks[b].leaves || !cfg.blocks[b].successors.empty());
  }
  EXPECT_EQ(next, module.functions[0].instructions.size());
}

TEST(Reconvergence, IfElseMeetsBehindBoth) {
  const Module module = kernel("@%p1 bra E; mov.u32 %r1, 1; bra J; E: mov.u32 %r1, 2; J: ret;");
  const Cfg cfg = build_cfg(module, module.functions[0]);
  EXPECT_EQ(reconvergence_points(cfg, module.functions[0])[0], 4u);
}

TEST(Reconvergence, ALoopMeetsBehindIt) {
  const Module module = kernel("L: add.s32 %r1, %r1, 1; @%p1 bra L; ret;");
  const Cfg cfg = build_cfg(module, module.functions[0]);
  EXPECT_EQ(reconvergence_points(cfg, module.functions[0])[0], 2u);
}

TEST(Reconvergence, AnEarlyReturnCanBeIgnored) {
  const Module module = kernel(
      "L: @%p1 bra X; @%p2 bra E; mov.u32 %r1, 1; E: add.s32 %r1, %r1, 1; @%p3 bra L; mov.u32 %r2, "
      "1; bra Y; X: ret; Y: ret;");
  const Function& k = module.functions[0];
  const Cfg cfg = build_cfg(module, k);
  EXPECT_EQ(reconvergence_points(cfg, k)[0], k.instructions.size());
  EXPECT_EQ(reconvergence_points(cfg, k, EarlyExits::kIgnore)[0], 1u);
}

TEST(Reconvergence, AnEndlessLoopHasAPoint) {
  const Module module = kernel("@%p1 bra L; ret; L: bra L;");
  const Cfg cfg = build_cfg(module, module.functions[0]);
  EXPECT_EQ(reconvergence_points(cfg, module.functions[0])[0], 3u);
}

TEST(Cfg, AJumpTableHasAllItsTargets) {
  const Module module =
      kernel("T: .branchtargets A, B, C; brx.idx %r1, T; A: ret; B: ret; C: ret;");
  EXPECT_EQ(build_cfg(module, module.functions[0]).blocks[0].successors.size(), 3u);
}

}  // namespace
}  // namespace warpledger::ptx
