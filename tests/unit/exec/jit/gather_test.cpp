// Loads and stores whose lanes lie anywhere: one look for all of them, or one for each, must not be
// told apart.
#include <gtest/gtest.h>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/thread_kernel.h"

namespace warpledger::exec {
namespace {

using testing::Rng;

class Gather : public NeedsCompiler {};

// Each lane has an address in p0, reads there and writes back; 16 turns, each with other addresses.
std::string follow(const std::string& space, const std::string& type) {
  return std::string(kThread) + R"(
  mul.wide.u32 %rd3, %r0, 8;
  add.s64 %rd3, %rd0, %rd3;
  mov.u32 %r4, 0;
LOOP:
  ld.global.u64 %rd4, [%rd3];
  ld)" + space +
         type + R"( %r5, [%rd4];
  add.u32 %r5, %r5, %r0;
  st)" + space +
         type + R"( [%rd4], %r5;
  add.s64 %rd3, %rd3, 256;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, 16;
  @%p1 bra LOOP;
  ret;)";
}

constexpr size_t kAsked = 16 * 32;

Comparison run_at(TestMachine& machine, const std::vector<uint64_t>& addresses) {
  const uint64_t table = machine.put(addresses, "addresses");
  return compare_engines(machine.image(),
                         {.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(table)},
                         {.warp_instructions = 200'000}, 2);
}

/// Addresses of whole elements in one of the buffers, or in any.
std::vector<uint64_t> any_addresses(Rng& rng, const std::vector<uint64_t>& buffers) {
  std::vector<uint64_t> addresses;
  uint64_t buffer = rng.pick(buffers);
  for (size_t i = 0; i < kAsked; ++i) {
    if (i % 32 == 0) buffer = rng.pick(buffers);
    const uint64_t from = i / 32 % 4 == 3 ? rng.pick(buffers) : buffer;
    addresses.push_back(from + 4 * static_cast<uint64_t>(rng.between(0, 255)));
  }
  return addresses;
}

class AnywhereGather : public Gather, public ::testing::WithParamInterface<const char*> {};

TEST_P(AnywhereGather, IsTheInterpreters) {
  Rng rng(7, 50);
  for (int round = 0; round < 8; ++round) {
    TestMachine machine(kernel_text(follow(GetParam(), ".u32")));
    std::vector<uint64_t> buffers;
    for (int i = 0; i < 3; ++i) buffers.push_back(machine.put(std::vector<uint32_t>(256, 5), "b"));
    const Comparison run = run_at(machine, any_addresses(rng, buffers));
    EXPECT_TRUE(run.compiled);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.difference, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Of, AnywhereGather, ::testing::Values(".global", ""));

/// All lanes at the start of a buffer of 1,024 bytes, but for one.
Comparison run_but_for_one(size_t which, uint64_t offset) {
  TestMachine machine(kernel_text(follow(".global", ".u32")));
  const uint64_t buffer = machine.put(std::vector<uint32_t>(256), "b");
  std::vector<uint64_t> addresses(kAsked, buffer);
  addresses[which] = buffer + offset;
  return run_at(machine, addresses);
}

TEST_F(Gather, OfOneLaneOutOfBoundsNamesThatLane) {
  const Comparison run = run_but_for_one(5 * 32 + 17, 1024);
  EXPECT_NE(run.error.find("out-of-bounds"), std::string::npos) << run.error;
  EXPECT_NE(run.error.find("thread (17,0,0)"), std::string::npos) << run.error;
  EXPECT_EQ(run.difference, "");
}

TEST_F(Gather, OfOneMisalignedLaneNamesThatLane) {
  const Comparison run = run_but_for_one(9 * 32 + 3, 2);
  EXPECT_NE(run.error.find("misaligned"), std::string::npos) << run.error;
  EXPECT_EQ(run.difference, "");
}

TEST_F(Gather, OfBytesIsTheInterpreters) {
  TestMachine machine(kernel_text(follow(".global", ".u8")));
  const uint64_t buffer = machine.put(std::vector<uint8_t>(1024, 200), "b");
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < kAsked; ++i) addresses.push_back(buffer + i * 37 % 1024);
  const Comparison run = run_at(machine, addresses);
  EXPECT_TRUE(run.compiled);
  EXPECT_EQ(run.difference, "");
}

/// Each lane reads, adds to and writes back places of the tile or of its stack that a table names,
/// in 16 turns: `address` makes %rd5 or %r6 of the offset %rd4.
std::string follow_inside(const std::string& address, const std::string& space,
                          const std::string& at) {
  return std::string(kThread) + R"(
  .shared .align 16 .b8 tile[1024];
  .local .align 16 .b8 frame[1024];
  mul.wide.u32 %rd3, %r0, 8;
  add.s64 %rd3, %rd0, %rd3;
  ld.param.u64 %rd7, [p1];
  add.s64 %rd7, %rd7, %rd1;
  mov.u32 %r4, 0;
LOOP:
  ld.global.u64 %rd4, [%rd3];
)" + address +
         "  ld" + space + ".u32 %r5, [" + at + "];\n  add.u32 %r5, %r5, %r0;\n  st" + space +
         ".u32 [" + at + "], %r5;\n" + R"(
  st.global.u32 [%rd7], %r5;
  add.s64 %rd3, %rd3, 256;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, 16;
  @%p1 bra LOOP;
  ret;)";
}

struct Inside {
  const char* name;
  const char* address;
  const char* space;
  const char* at;
};

class InsideGather : public Gather, public ::testing::WithParamInterface<Inside> {
 protected:
  static Comparison run(const std::vector<uint64_t>& offsets) {
    const Inside& how = GetParam();
    TestMachine machine(kernel_text(follow_inside(how.address, how.space, how.at), 2));
    EXPECT_TRUE(machine.is_loaded());
    const uint64_t table = machine.put(offsets, "offsets"),
                   out = machine.put(std::vector<uint32_t>(32), "out");
    return compare_engines(
        machine.image(),
        {.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(table, out)},
        {.warp_instructions = 200'000}, 2);
  }
};

TEST_P(InsideGather, IsTheInterpreters) {
  Rng rng(11, 50);
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < kAsked; ++i)
    offsets.push_back(4 * static_cast<uint64_t>(rng.between(0, 255)));
  const Comparison run = this->run(offsets);
  EXPECT_TRUE(run.compiled);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.difference, "");
}

TEST_P(InsideGather, OfOneLaneOutOfBoundsNamesThatLane) {
  std::vector<uint64_t> offsets(kAsked, 8);
  offsets[3 * 32 + 21] = 1 << 20;
  const Comparison run = this->run(offsets);
  EXPECT_NE(run.error.find("thread (21,0,0)"), std::string::npos) << run.error;
  EXPECT_EQ(run.difference, "");
}

TEST_P(InsideGather, OfOneMisalignedLaneNamesThatLane) {
  std::vector<uint64_t> offsets(kAsked, 8);
  offsets[7 * 32 + 30] = 6;
  const Comparison run = this->run(offsets);
  EXPECT_NE(run.error.find("misaligned"), std::string::npos) << run.error;
  EXPECT_NE(run.error.find("thread (30,0,0)"), std::string::npos) << run.error;
  EXPECT_EQ(run.difference, "");
}

INSTANTIATE_TEST_SUITE_P(
    Of, InsideGather,
    ::testing::Values(
        Inside{"Shared",
               "  cvt.u32.u64 %r6, %rd4;\n  mov.u32 %r7, tile;\n  add.u32 %r6, %r6, %r7;\n",
               ".shared", "%r6"},
        Inside{
            "GenericShared",
            "  mov.u64 %rd5, tile;\n  cvta.shared.u64 %rd5, %rd5;\n  add.s64 %rd5, %rd5, %rd4;\n",
            "", "%rd5"},
        Inside{"Local", "  mov.u64 %rd5, frame;\n  add.s64 %rd5, %rd5, %rd4;\n", ".local", "%rd5"},
        Inside{
            "GenericLocal",
            "  mov.u64 %rd5, frame;\n  cvta.local.u64 %rd5, %rd5;\n  add.s64 %rd5, %rd5, %rd4;\n",
            "", "%rd5"}),
    [](const auto& test) { return std::string(test.param.name); });

/// The address is the same number for all lanes, and a place of its own for each.
TEST_F(Gather, OfOneAddressOfTheStackIsEachLanesOwn) {
  for (const char* how : {".local", ""}) {
    const std::string generic = *how == 0 ? "cvta.local.u64 %rd3, %rd3;\n" : "";
    TestMachine machine(kernel_text(std::string(kThread) +
                                        ".local .align 16 .b8 frame[64];\n"
                                        "ld.param.u64 %rd3, [p1];\n" +
                                        generic + "st" + how + ".u32 [%rd3], %r0;\nld" + how +
                                        ".u32 %r5, [%rd3];\nst.global.u32 [%rd2], %r5;\nret;",
                                    2));
    const uint64_t out = machine.put(std::vector<uint32_t>(32), "out");
    const Comparison run = compare_engines(
        machine.image(),
        {.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(out, uint64_t{16})}, {},
        2);
    EXPECT_TRUE(run.compiled);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.difference, "") << how;
  }
}

/// Vectors whose lanes lie in a way that no run has, in each turn of a loop; `lane` makes %r6, the
/// lane's vector, of the thread %r0.
std::string read_vectors(const std::string& space, const std::string& type,
                         const std::string& lane) {
  const bool is_wide = type == ".v2.b64";
  const std::string list = is_wide             ? "{%rd6, %rd7}"
                           : type == ".v2.b32" ? "{%r8, %r9}"
                                               : "{%r8, %r9, %r10, %r11}";
  const std::string take =
      is_wide ? "cvt.u32.u64 %r8, %rd6;\n cvt.u32.u64 %r9, %rd7;\n mov.u32 %r10, 0;\n mov.u32 "
                "%r11, 0;\n"
      : type == ".v2.b32" ? "mov.u32 %r10, 0;\n mov.u32 %r11, 0;\n"
                          : "";
  return std::string(kThread) + R"(
  .shared .align 16 .b8 tile[8192];
  ld.param.u64 %rd4, [p1];
  mov.u32 %r5, 0;
  mov.u32 %r12, tile;
FILL:
  mad.lo.u32 %r6, %r5, 4, %r12;
  mul.lo.u32 %r7, %r5, 0x9e3779b1;
  st.shared.u32 [%r6], %r7;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 2048;
  @%p1 bra FILL;
  bar.sync 0;
)" + lane +
         R"(
  shl.b32 %r6, %r6, 4;
  add.u32 %r12, %r12, %r6;
  cvt.u64.u32 %rd5, %r6;
  add.u64 %rd4, %rd4, %rd5;
  mov.u32 %r4, 0;
  mov.u32 %r5, 0;
LOOP:
  ld)" + space +
         type + " " + list + (space == ".shared" ? ", [%r12];\n" : ", [%rd4];\n") + take + R"(
  mad.lo.u32 %r5, %r5, 31, %r8;
  mad.lo.u32 %r5, %r5, 31, %r9;
  mad.lo.u32 %r5, %r5, 31, %r10;
  mad.lo.u32 %r5, %r5, 31, %r11;
  add.u32 %r12, %r12, 512;
  add.u64 %rd4, %rd4, 512;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, 12;
  @%p1 bra LOOP;
  st.global.u32 [%rd2], %r5;
  ret;)";
}

struct Vectors {
  const char *space, *type, *lane;
  uint32_t threads;
};

class VectorGather : public Gather, public ::testing::WithParamInterface<Vectors> {};

TEST_P(VectorGather, IsTheInterpreters) {
  const Vectors& how = GetParam();
  TestMachine machine(kernel_text(read_vectors(how.space, how.type, how.lane), 2));
  std::vector<uint32_t> words(2048);
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i * 2654435761);
  const uint64_t out = machine.put(std::vector<uint32_t>(64), "out"), in = machine.put(words, "in");
  const Comparison run = compare_engines(
      machine.image(),
      {.kernel = "k", .block = {how.threads, 1, 1}, .params = TestMachine::pack(out, in)}, {}, 2);
  EXPECT_TRUE(run.compiled);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.difference, "");
}

constexpr const char *kShared = "  shr.u32 %r6, %r0, 2;\n", *kSwapped = "  xor.b32 %r6, %r0, 21;\n",
                     *kMasked = "  and.b32 %r6, %r0, 5;\n";
INSTANTIATE_TEST_SUITE_P(Of, VectorGather,
                         ::testing::Values(Vectors{".shared", ".v4.b32", kShared, 64},
                                           Vectors{".shared", ".v2.b32", kMasked, 21},
                                           Vectors{".shared", ".v2.b64", kSwapped, 32},
                                           Vectors{".global", ".v4.b32", kSwapped, 21},
                                           Vectors{".global", ".v2.b64", kMasked, 64}));

}  // namespace
}  // namespace warpledger::exec
