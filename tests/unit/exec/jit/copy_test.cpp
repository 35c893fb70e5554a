// cp.async whose lanes lie anywhere, with and without values: one look for all of them, or one for
// each, must not be told apart.
#include <fmt/core.h>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/thread_kernel.h"

namespace warpledger::exec {
namespace {

using testing::Rng;

class Copies : public NeedsCompiler {};

constexpr size_t kTurns = 6, kLanes = 32, kBufferBytes = 1024;

/// A lane's part of a turn.
struct Part {
  uint64_t from = 0;         // address
  uint32_t to = 0, use = 0;  // offset in the tile; bytes that are read of the source
};

/// Each turn copies what the table says, from some lanes; what the tile holds then is stored.
std::string copies(int size, const std::string& guard, bool sized) {
  return std::string(kThread) + R"(
  .shared .align 16 .b8 tile[1024];
  mul.wide.u32 %rd3, %r0, 16;
  add.s64 %rd3, %rd0, %rd3;
  ld.param.u64 %rd7, [p1];
  add.s64 %rd7, %rd7, %rd1;
  mov.u32 %r4, 0;
  mov.u32 %r7, tile;
LOOP:
  ld.global.u64 %rd4, [%rd3];
  ld.global.v2.u32 {%r5, %r6}, [%rd3+8];
  add.u32 %r5, %r5, %r7;
  setp.ne.u32 %p2, %r6, 99;
)" +
         fmt::format("  {}cp.async.ca.shared.global [%r5], [%rd4], {}{};\n", guard, size,
                     sized ? ", %r6" : "") +
         R"(
  cp.async.commit_group;
  cp.async.wait_group 0;
  bar.warp.sync -1;
  shl.b32 %r8, %r0, 2;
  add.u32 %r8, %r8, %r7;
  ld.shared.u32 %r9, [%r8];
  st.global.u32 [%rd7], %r9;
  add.s64 %rd3, %rd3, 512;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, 6;
  @%p1 bra LOOP;
  ret;)";
}

Comparison run_copies(const std::string& text, std::vector<Part> parts,
                      const std::vector<uint32_t>& bytes) {
  TestMachine machine(kernel_text(text, 2));
  EXPECT_TRUE(machine.is_loaded()) << text;
  const uint64_t buffer = machine.put(bytes, "source");
  for (Part& part : parts) part.from += buffer;
  const uint64_t table = machine.put(parts, "parts"),
                 out = machine.put(std::vector<uint32_t>(kLanes), "out");
  return compare_engines(
      machine.image(),
      {.kernel = "k", .block = {kLanes, 1, 1}, .params = TestMachine::pack(table, out)},
      {.warp_instructions = 200'000}, 2);
}

std::vector<uint32_t> any_words(Rng& rng) {
  std::vector<uint32_t> words(kBufferBytes / 4);
  for (uint32_t& word : words) word = static_cast<uint32_t>(rng.bits());
  return words;
}

TEST_F(Copies, FromAnywhereAreTheInterpreters) {
  testing::check_law(
      [](Rng& rng) {
        const int size = rng.pick(std::vector<int>{4, 8, 16});
        const bool sized = rng.coin(), guarded = rng.coin();
        const auto place = [&] {
          return static_cast<uint64_t>(rng.between(0, 1024 / size - 1) * size);
        };
        std::vector<Part> parts(kTurns * kLanes);
        for (Part& part : parts) {
          part = {place(), static_cast<uint32_t>(place()),
                  static_cast<uint32_t>(rng.coin() ? size : rng.between(0, size))};
          if (guarded && rng.between(0, 3) == 0) part.use = 99;
        }
        const Comparison run =
            run_copies(copies(size, guarded ? "@%p2 " : "", sized), parts, any_words(rng));
        EXPECT_TRUE(run.compiled);
        EXPECT_EQ(run.error, "");
        EXPECT_EQ(run.difference.substr(0, 2000), "");
      },
      12);
}

/// All lanes at the start of the source and the tile, but for one.
Comparison run_but_for_one(const Part& one) {
  std::vector<Part> parts(kTurns * kLanes);
  parts[2 * kLanes + 13] = one;
  return run_copies(copies(16, "", false), parts, std::vector<uint32_t>(kBufferBytes / 4));
}

TEST_F(Copies, OfOneLaneOutOfBoundsNameThatLane) {
  for (const Part& one : {Part{.from = kBufferBytes}, Part{.to = 1024}}) {
    const Comparison run = run_but_for_one(one);
    EXPECT_NE(run.error.find("out-of-bounds"), std::string::npos) << run.error;
    EXPECT_NE(run.error.find("thread (13,0,0)"), std::string::npos) << run.error;
    EXPECT_EQ(run.difference, "");
  }
}

TEST_F(Copies, OfOneMisalignedLaneNameThatLane) {
  for (const Part& one : {Part{.from = 8}, Part{.to = 4}}) {
    const Comparison run = run_but_for_one(one);
    EXPECT_NE(run.error.find("misaligned"), std::string::npos) << run.error;
    EXPECT_NE(run.error.find("thread (13,0,0)"), std::string::npos) << run.error;
    EXPECT_EQ(run.difference, "");
  }
}

}  // namespace
}  // namespace warpledger::exec
