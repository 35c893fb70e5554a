// Loads, stores, atomics, copies, exchanges: one behavior a test, in PTX.
#include "tests/unit/exec/interpreter/machine.h"

namespace warpledger::exec {
namespace {

constexpr const char* kHead = R"(
  .reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<48>; .reg .f32 %f<16>; .reg .b64 %rd<32>; .reg .b128 %q<4>;
  .shared .align 16 .b8 tile[256];
  ld.param.u64 %rd0, [p0];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 16;
  add.s64 %rd2, %rd0, %rd1;
)";

/// Four words a thread; word i is i before the launch.
std::vector<uint32_t> run_words(const std::string& body, uint32_t threads = 1,
                                std::string* trace = nullptr) {
  TestMachine machine(kernel_text(kHead + body + "\nret;", 1, "sm_90", "8.6"));
  std::vector<uint32_t> words(threads * 4);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i;
  const uint64_t out = machine.put(words);
  EXPECT_EQ(
      machine.run({.kernel = "k", .block = {threads, 1, 1}, .params = TestMachine::pack(out)}), "");
  if (trace != nullptr) *trace = machine.trace;
  return machine.get<uint32_t>(out, words.size());
}

TEST(Memory, NarrowLoadsExtendByTheirSign) {
  EXPECT_EQ(run_words(R"(mov.u32 %r1, 0x8081; st.global.u32 [%rd0], %r1;
    ld.global.s8 %r2, [%rd0]; ld.global.u8 %r3, [%rd0]; ld.global.s16 %r4, [%rd0];
    st.global.v4.b32 [%rd0], {%r2, %r3, %r4, %r4};)"),
            (std::vector<uint32_t>{0xffffff81, 0x81, 0xffff8081, 0xffff8081}));
}
TEST(Memory, VectorsAndWideRegisters) {
  EXPECT_EQ(
      run_words("ld.global.v2.u64 {%rd3, %rd4}, [%rd0]; st.global.v2.u64 [%rd0], {%rd4, %rd3};"),
      (std::vector<uint32_t>{2, 3, 0, 1}));
  EXPECT_EQ(run_words("ld.global.b128 %q0, [%rd0]; mov.b128 {%rd3, %rd4}, %q0; mov.b128 %q1, "
                      "{%rd4, %rd3}; st.global.b128 [%rd0], %q1;"),
            (std::vector<uint32_t>{2, 3, 0, 1}));
  EXPECT_EQ(run_words("ld.global.v4.u8 {%r1,%r2,%r3,%r4}, [%rd0+4]; st.global.v4.b32 [%rd0], "
                      "{%r1,%r2,%r3,%r4};"),
            (std::vector<uint32_t>{1, 0, 0, 0}));
  EXPECT_EQ(
      run_words(
          "mov.b32 {%h0, %h1}, 0x12345678; mov.b32 %r1, {%h1, %h0}; st.global.b32 [%rd0], %r1;")[0],
      0x56781234u);
}
TEST(Memory, OrdersCachesAndSinksAreTaken) {
  EXPECT_EQ(
      run_words(
          R"(ld.volatile.global.u32 %r1, [%rd0+4]; ld.acquire.gpu.global.u32 %r2, [%rd0+8]; ld.relaxed.sys.global.u32 %r3, [%rd0+12];
    ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {_, %r4, _, %r5}, [%rd0];
    add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5;
    st.release.gpu.global.u32 [%rd0], %r1; st.global.cs.u32 [%rd0+4], %r1; st.volatile.global.u32 [%rd0+8], %r1; fence.acq_rel.gpu; membar.gl;
    prefetch.global.L2 [%rd0]; discard.global.L2 [%rd0], 128;)"),
      (std::vector<uint32_t>{10, 10, 10, 3}));
}
TEST(Memory, GenericAddressesReachEverySpace) {
  EXPECT_EQ(run_words(R"(.local .align 8 .b8 here[16];
    mov.u64 %rd3, here; cvta.local.u64 %rd4, %rd3; mov.u32 %r1, 5; st.u32 [%rd4+4], %r1; ld.local.u32 %r2, [here+4];
    cvta.shared.u64 %rd5, tile; st.u32 [%rd5+8], %r2; ld.shared.u32 %r3, [tile+8];
    isspacep.local %p0, %rd4; isspacep.shared %p1, %rd5; isspacep.global %p2, %rd0; isspacep.shared %p3, %rd4;
    selp.u32 %r4, 1, 0, %p0; selp.u32 %r5, 2, 0, %p1; selp.u32 %r6, 4, 0, %p2; selp.u32 %r7, 8, 0, %p3;
    or.b32 %r4, %r4, %r5; or.b32 %r4, %r4, %r6; or.b32 %r4, %r4, %r7;
    cvta.to.shared.u64 %rd6, %rd5; cvt.u32.u64 %r8, %rd6; mov.u32 %r9, tile; sub.u32 %r8, %r8, %r9;
    st.global.v4.b32 [%rd0], {%r2, %r3, %r4, %r8};)"),
            (std::vector<uint32_t>{5, 5, 7, 0}));
}
TEST(Memory, AtomicsAnswerWithTheOldValue) {
  EXPECT_EQ(
      run_words(
          R"(atom.global.add.u32 %r1, [%rd0+4], 10; atom.global.cas.b32 %r2, [%rd0+8], 2, 77; atom.global.cas.b32 %r3, [%rd0+12], 2, 77;
    red.global.max.s32 [%rd0], 50; atom.global.exch.b32 %r4, [%rd0], %r1;)"),
      (std::vector<uint32_t>{1, 11, 77, 3}));
  EXPECT_EQ(
      run_words("mov.u32 %r1, 0x3c003c00; st.global.u32 [%rd0], %r1; red.global.add.noftz.f16x2 "
                "[%rd0], %r1; mov.b16 %h0, 0x4000; atom.global.add.noftz.f16 %h1, [%rd0], %h0;")[0],
      0x40004400u);
  EXPECT_EQ(run_words("mov.f32 %f0, 0f3f800000; st.global.v2.f32 [%rd0], {%f0, %f0}; "
                      "red.global.add.v2.f32 [%rd0], {%f0, %f0};")[1],
            0x40000000u);
}
TEST(Memory, SharedAtomicsCountEveryThread) {
  EXPECT_EQ(
      run_words(
          "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [tile], 0; bar.sync 0; atom.shared.inc.u32 "
          "%r1, [tile], 40; bar.sync 0; ld.shared.u32 %r2, [tile]; st.global.u32 [%rd2], %r2;",
          64)[0],
      64u - 41u);
}
TEST(Memory, AsynchronousCopiesArriveWhenWaitedFor) {
  EXPECT_EQ(run_words(R"(mov.u32 %r1, 9; st.shared.v4.u32 [tile], {%r1,%r1,%r1,%r1};
    cp.async.cg.shared.global [tile], [%rd0], 16, 8; cp.async.commit_group;
    ld.shared.u32 %r2, [tile]; cp.async.wait_group 0; ld.shared.v4.u32 {%r3,%r4,%r5,%r6}, [tile];
    st.global.v4.u32 [%rd0], {%r2, %r3, %r4, %r5};)"),
            (std::vector<uint32_t>{9, 0, 1, 0}));
}
TEST(Memory, PairsOfResults) {
  EXPECT_EQ(
      run_words(
          R"(setp.lt.s32 %p0|%p1, %r0, 5; lop3.or.b32 %r1|%p2, 0, 0, 0, 0xfe, %p1; lop3.and.b32 %r2|%p3, 1, 0, 0, 0xfe, %p0;
    selp.u32 %r3, 1, 0, %p0; selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 1, 0, %p2; selp.u32 %r6, 1, 0, %p3;
    st.global.v4.u32 [%rd0], {%r3, %r4, %r5, %r6};)"),
      (std::vector<uint32_t>{1, 0, 0, 1}));
}
TEST(Memory, CarriesAndBorrows) {
  EXPECT_EQ(
      run_words(
          R"(sub.cc.u32 %r1, 0, 1; subc.u32 %r2, 5, 0; mad.lo.cc.u32 %r3, 0xffffffff, 1, 1; madc.hi.u32 %r4, 0xffffffff, 2, 0;
    st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};)"),
      (std::vector<uint32_t>{0xffffffff, 4, 0, 2}));
}
TEST(Memory, BranchTables) {
  const auto out = run_words(R"(and.b32 %r1, %r0, 3;
    TABLE: .branchtargets A, B, C, A;
    brx.idx %r1, TABLE;
  A: mov.u32 %r2, 100; bra END;
  B: mov.u32 %r2, 200; bra END;
  C: mov.u32 %r2, 300;
  END: activemask.b32 %r3; popc.b32 %r3, %r3; st.global.v2.u32 [%rd2], {%r2, %r3};)",
                             32);
  const uint32_t ways[] = {100, 200, 300, 100};
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i * 4], ways[i % 4]) << i;
  EXPECT_EQ(out[1], 32u);
}
TEST(Memory, ShufflesSayWhetherTheyReached) {
  const auto out = run_words(
      "shfl.sync.down.b32 %r1|%p0, %r0, 4, 0x1c1f, 0xffffffff; selp.u32 %r2, 1, 0, %p0; "
      "match.any.sync.b32 %r3, %r2, 0xffffffff; st.global.v4.u32 [%rd2], {%r1, %r2, %r3, 0};",
      32);
  for (uint32_t i = 0; i < 32; ++i) {  // segments of four lanes: four down is always outside
    EXPECT_EQ(out[i * 4], i);
    EXPECT_EQ(out[i * 4 + 1], 0u);
    EXPECT_EQ(out[i * 4 + 2], 0xffffffffu);
  }
}
TEST(Memory, TheTraceNamesEveryAccess) {
  std::string trace;
  run_words(
      "ld.global.u32 %r1, [%rd2]; add.u32 %r1, %r1, 1; st.shared.u32 [tile], %r1; bar.sync 0; "
      "st.global.u32 [%rd2], %r1;",
      2, &trace);
  EXPECT_NE(trace.find("global"), std::string::npos) << trace;
  EXPECT_NE(trace.find("shared"), std::string::npos);
  EXPECT_NE(trace.find("use"), std::string::npos);
  EXPECT_NE(trace.find("barrier"), std::string::npos);
}

TEST(DeviceMemory, FindsBoundsAndLifetimes) {
  DeviceMemory memory(uint64_t{1} << 24);
  const uint64_t a = *memory.allocate(100, "a"), b = *memory.allocate(100, "b");
  EXPECT_EQ(a % 256, 0u);
  EXPECT_GE(b, a + 164);
  EXPECT_NE(memory.find(a + 96, 4), nullptr);
  EXPECT_EQ(memory.find(a + 97, 4), nullptr);
  EXPECT_EQ(memory.find(a + 100, 1), nullptr);
  EXPECT_NE(memory.explain(a + 98, 4).find("2 bytes past the end of 'a'"), std::string::npos);
  EXPECT_TRUE(memory.free(a).ok());
  EXPECT_EQ(memory.find(a, 1), nullptr);
  EXPECT_NE(memory.explain(a, 1).find("freed"), std::string::npos);
  EXPECT_FALSE(memory.free(a).ok());
  EXPECT_FALSE(memory.allocate(uint64_t{1} << 30).ok());
}

}  // namespace
}  // namespace warpledger::exec
