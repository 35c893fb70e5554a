// What an address-only launch computes, and what happens when more turns out to be needed.
#include "warpledger/exec/decode/slice/slice.h"

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/exec/run/deferred.h"

namespace warpledger::exec {
namespace {

constexpr const char* kThread = R"(
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .b64 %rd<16>;
  .shared .align 4 .b8 tile[256];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd9, %r0, 4;
  ld.param.u64 %rd0, [p0]; add.s64 %rd0, %rd0, %rd9;
  ld.param.u64 %rd1, [p1]; add.s64 %rd1, %rd1, %rd9;
  ld.param.u64 %rd2, [p2]; ld.param.u64 %rd3, [p1];
)";

/// Three buffers of 64 words: numbers below 64, ones, zeros.
struct Buffers {
  explicit Buffers(TestMachine& machine) {
    std::vector<uint32_t> index(64);
    for (uint32_t i = 0; i < 64; ++i) index[i] = (i * 37 + 11) % 64;
    a = machine.put(index, "a");
    b = machine.put(std::vector<uint32_t>(64, 1), "b");
    c = machine.put(std::vector<uint32_t>(64, 0), "c");
  }
  uint64_t a = 0, b = 0, c = 0;
};

struct Cut {
  Slice slice;
  std::string kept;     // the opcodes of memory instructions that are kept,
  std::string dropped;  // or dropped, in order, param loads apart
};

Cut cut(const std::string& body) {
  TestMachine machine(kernel_text(kThread + body + "\nret;", 3));
  const Buffers buffers(machine);
  const auto engine = reference::Engine::create(
      machine.image(),
      {.kernel = "k",
       .block = {64, 1, 1},
       .params = TestMachine::pack(buffers.a, buffers.b, buffers.c)},
      {}, std::make_shared<ValueWatch>(machine.memory(), ValueWatch::Grain::kBytes));
  Cut result{.slice = (*engine)->slice()};
  for (const reference::Step& step : (*engine)->program().codes[0]->steps) {
    if (step.spelling().opcode().memory == ptx::MemoryKind::kNone) continue;
    if (step.spelling().space() == ptx::Space::kParam) continue;
    (step.dropped ? result.dropped : result.kept) += std::string(step.spelling().text) + " ";
  }
  return result;
}

TEST(Slice, DropsWhatOnlyFeedsAStore) {
  const Cut found =
      cut("ld.global.f32 %f0, [%rd0]; mul.f32 %f1, %f0, %f0; st.global.f32 [%rd1], %f1;");
  EXPECT_EQ(found.kept, "");
  EXPECT_EQ(found.dropped, "ld.global.f32 st.global.f32 ");
  EXPECT_FALSE(found.slice.order_matters);
}

TEST(Slice, IsFixedByParametersWhereNoKeptLoadReadsMemory) {
  const char* copy = "ld.global.f32 %f0, [%rd0]; st.global.f32 [%rd1], %f0;";
  EXPECT_FALSE(cut(copy).slice.reads_memory);
  const char* loop = "LOOP: add.u32 %r0, %r0, 32; setp.lt.u32 %p0, %r0, 999; @%p0 bra LOOP;";
  EXPECT_FALSE(cut(loop).slice.reads_memory);
  const char* through_shared = R"(
    mov.u32 %r1, tile; add.u32 %r1, %r1, %r0; st.shared.u8 [%r1], %r0; bar.sync 0;
    ld.shared.u8 %r2, [%r1]; setp.lt.u32 %p0, %r2, 7; @%p0 st.global.u32 [%rd1], %r2;)";
  EXPECT_FALSE(cut(through_shared).slice.reads_memory);
}

TEST(Slice, ReadsMemoryWhereAddressesOrBranchesDependOnIt) {
  const char* gather = R"(
    ld.global.u32 %r1, [%rd0]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;
    ld.global.f32 %f0, [%rd5];)";
  EXPECT_TRUE(cut(gather).slice.reads_memory);
  const char* bound = R"(
    ld.global.u32 %r1, [%rd0];
    LOOP: add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, %r1; @%p0 bra LOOP;)";
  EXPECT_TRUE(cut(bound).slice.reads_memory);
  const char* guard = R"(
    ld.global.nc.u32 %r1, [%rd0]; setp.lt.u32 %p0, %r1, 7; @%p0 st.global.u32 [%rd1], %r1;)";
  EXPECT_TRUE(cut(guard).slice.reads_memory);
  const char* ticket = R"(
    atom.global.add.u32 %r1, [%rd3], 1; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd2, %rd4;
    st.global.u32 [%rd5], %r0;)";
  EXPECT_TRUE(cut(ticket).slice.reads_memory);
  const char* through_shared = R"(
    ld.global.u32 %r3, [%rd0];
    mov.u32 %r1, tile; add.u32 %r1, %r1, %r0; st.shared.u8 [%r1], %r3; bar.sync 0;
    ld.shared.u8 %r2, [%r1]; setp.lt.u32 %p0, %r2, 7; @%p0 st.global.u32 [%rd1], %r2;)";
  EXPECT_TRUE(cut(through_shared).slice.reads_memory);
}

TEST(Slice, KeepsTheLoadOfAGathersIndex) {
  const Cut found = cut(R"(
    ld.global.u32 %r1, [%rd0]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;
    ld.global.f32 %f0, [%rd5]; st.global.f32 [%rd2], %f0;)");
  EXPECT_EQ(found.kept, "ld.global.u32 ");
  EXPECT_EQ(found.dropped, "ld.global.f32 st.global.f32 ");
}

TEST(Slice, KeepsAHistogramsBinsAndDropsItsCounts) {
  const Cut found = cut(R"(
    ld.global.u32 %r1, [%rd0]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;
    red.global.add.u32 [%rd5], 1;)");
  EXPECT_EQ(found.kept, "ld.global.u32 ");
  EXPECT_EQ(found.dropped, "red.global.add.u32 ");
}

TEST(Slice, KeepsEveryLoadOfAPointerChase) {
  const Cut found = cut(R"(
    mov.u32 %r1, %r0; mov.u32 %r2, 0; ld.param.u64 %rd6, [p0];
  LOOP:
    mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd6, %rd4; ld.global.u32 %r1, [%rd5];
    add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 4; @%p0 bra LOOP;
    st.global.u32 [%rd1], %r1;)");
  EXPECT_EQ(found.kept, "ld.global.u32 ");
  EXPECT_EQ(found.dropped, "st.global.u32 ");
}

TEST(Slice, KeepsAStoreThatMayFeedAKeptLoad) {
  const Cut found = cut(R"(
    ld.global.u32 %r3, [%rd1]; st.global.u32 [%rd0], %r3;
    ld.global.u32 %r1, [%rd0]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;
    ld.global.f32 %f0, [%rd5]; st.global.f32 [%rd2], %f0;)");
  EXPECT_EQ(found.kept, "ld.global.u32 st.global.u32 ld.global.u32 ");
  EXPECT_EQ(found.dropped, "ld.global.f32 st.global.f32 ");
  EXPECT_TRUE(found.slice.order_matters);
}

TEST(Slice, KeepsSharedStoresForAKeptSharedLoadAlone) {
  const std::string body = R"(
    shl.b32 %r4, %r0, 2; mov.u32 %r5, tile; add.u32 %r4, %r4, %r5;
    ld.global.u32 %r1, [%rd0]; st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r2, [%r4];)";
  EXPECT_EQ(cut(body + "st.global.u32 [%rd1], %r2;").kept, "");
  const std::string by_it =
      "mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd3, %rd4; st.global.u32 [%rd5], %r2;";
  EXPECT_EQ(cut(body + by_it).kept, "ld.global.u32 st.shared.u32 ld.shared.u32 ");
}

TEST(Slice, KeepsAnAtomicWhoseResultABranchReads) {
  const Cut found = cut(R"(
    atom.global.add.u32 %r1, [%rd3], 1; setp.eq.u32 %p0, %r1, 7; @!%p0 ret;
    atom.global.add.u32 %r2, [%rd0], 1; st.global.u32 [%rd2], %r2;)");
  EXPECT_EQ(found.kept, "atom.global.add.u32 ");
  EXPECT_EQ(found.dropped, "atom.global.add.u32 st.global.u32 ");
}

TEST(Slice, KeepsTheGuardOfADroppedInstruction) {
  TestMachine machine(kernel_text(std::string(kThread) + R"(
    ld.global.u32 %r1, [%rd0]; setp.lt.u32 %p0, %r1, 20; mov.u32 %r2, 3;
    @%p0 add.u32 %r2, %r2, 1; st.global.u32 [%rd1], %r2; ret;)",
                                  3));
  const Buffers buffers(machine);  // run() compares the counts of lanes with and without values
  EXPECT_EQ(machine.run({.kernel = "k",
                         .block = {64, 1, 1},
                         .params = TestMachine::pack(buffers.a, buffers.b, buffers.c)}),
            "");
}

/// One warp that allocates 32 columns of tensor memory and finds their address at `tile`.
std::string with_tensor_memory(const std::string& body) {
  return kernel_text(R"(
    .reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .align 4 .b8 tile[256];
    mov.u32 %r0, %tid.x; mul.wide.u32 %rd3, %r0, 4; mov.u32 %r1, tile;
    ld.param.u64 %rd0, [p0]; add.s64 %rd0, %rd0, %rd3;
    ld.param.u64 %rd1, [p1]; add.s64 %rd1, %rd1, %rd3;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;
    bar.sync 0;
    ld.shared.b32 %r2, [tile];
    ld.global.u32 %r3, [%rd0];
    )" + body + R"(
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 32;
    ret;)",
                     3, "sm_100a", "8.6");
}

TEST(Slice, FollowsTensorMemory) {
  TestMachine machine(with_tensor_memory(R"(
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r2], {%r3};
    tcgen05.wait::st.sync.aligned;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%r2];
    tcgen05.wait::ld.sync.aligned;
    shl.b32 %r5, %r0, 2; add.u32 %r5, %r5, %r1; bar.sync 0;
    st.shared.u32 [%r5 + 4], %r4; st.global.u32 [%rd1], %r4;)"));
  const Buffers buffers(machine);
  const Launch launch{.kernel = "k",
                      .block = {32, 1, 1},
                      .params = TestMachine::pack(buffers.a, buffers.b, buffers.c)};
  const Observed without = run_address_only(machine.image(), launch, {}, 1);
  EXPECT_EQ(without.error, "");
  const auto engine = reference::Engine::create(
      machine.image(), launch, {},
      std::make_shared<ValueWatch>(machine.memory(), ValueWatch::Grain::kBytes));
  std::string kept;
  for (const reference::Step& step : (*engine)->program().codes[0]->steps) {
    const ptx::Op op = step.spelling().op();
    const bool moves = op == ptx::Op::kTcgen05Ld || op == ptx::Op::kTcgen05St ||
                       op == ptx::Op::kSt || op == ptx::Op::kLd;
    if (moves && !step.dropped && step.spelling().space() != ptx::Space::kParam)
      kept += std::string(step.spelling().text) + " ";
  }
  EXPECT_EQ(kept, "ld.shared.b32 ");
  EXPECT_EQ(machine.run(launch), "");  // with values and without: the same trace
}

TEST(Slice, ADroppedWriteOverTheAllocatedAddressNeedsValues) {
  TestMachine machine(with_tensor_memory(R"(
    st.shared.u32 [%r1], %r3; bar.sync 0; ld.shared.b32 %r4, [tile];
    mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r0;)"));
  const Buffers buffers(machine);
  const Launch launch{.kernel = "k",
                      .block = {32, 1, 1},
                      .params = TestMachine::pack(buffers.a, buffers.b, buffers.c)};
  EXPECT_EQ(run_address_only(machine.image(), launch, {}, 1).code, kValuesNeeded);
}

TEST(Poison, IsASetOfBytes) {
  Poison poison;
  std::vector<bool> naive(64);
  const auto agree = [&] {
    for (uint64_t i = 0; i < 60; ++i) {
      for (uint64_t n = 1; n < 5; ++n) {
        bool any = false;
        for (uint64_t k = i; k < i + n; ++k) any |= naive[k];
        if (any != poison.touches(i, n)) return false;
      }
    }
    return true;
  };
  testing::Rng rng(7, 64);
  for (int round = 0; round < 2000; ++round) {
    const auto at = static_cast<uint64_t>(rng.between(0, 50)),
               n = static_cast<uint64_t>(rng.between(0, 9));
    const bool adds = rng.coin();
    adds ? poison.add(at, n) : poison.remove(at, n);
    for (uint64_t k = at; k < at + n; ++k) naive[k] = adds;
    ASSERT_TRUE(agree()) << "after round " << round;
  }
}

// Kernel `first` writes b, from a; kernel `second` gathers with b as indices into c.
const char* const kTwoKernels = R"(
.version 8.4
.target sm_80
.address_size 64
.visible .entry first(.param .u64 a, .param .u64 b)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4;
  ld.param.u64 %rd0, [a]; add.s64 %rd0, %rd0, %rd2;
  ld.param.u64 %rd1, [b]; add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r1, [%rd0]; xor.b32 %r1, %r1, 5; st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry second(.param .u64 b, .param .u64 c)
{
  .reg .b32 %r<4>; .reg .b64 %rd<6>;
  mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4;
  ld.param.u64 %rd0, [b]; add.s64 %rd0, %rd0, %rd2;
  ld.param.u64 %rd1, [c];
  ld.global.u32 %r1, [%rd0]; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd1, %rd3;
  red.global.add.u32 [%rd3], %r0;
  ret;
}
)";

struct TwoRuns {
  LaunchOutcome first, second;
  std::string trace;
  std::vector<uint32_t> b, c;
  size_t deferred_then = 0;
};

TwoRuns run_two(Values values, EngineChoice engine) {
  TestMachine machine(kTwoKernels);
  const Buffers buffers(machine);
  Deferred deferred;
  const EngineOptions options{.engine = engine, .values = values, .deferred = &deferred};
  const auto launch = [&](const char* kernel, uint64_t from, uint64_t to, trace::Sink& sink) {
    return *run_launch(
        machine.image(),
        {.kernel = kernel, .block = {64, 1, 1}, .params = TestMachine::pack(from, to)}, sink,
        options);
  };
  trace::DumpSink dump;
  TwoRuns runs;
  runs.first = launch("first", buffers.a, buffers.b, dump);
  runs.deferred_then = deferred.size();
  runs.trace = dump.text();
  runs.second = launch("second", buffers.b, buffers.c, dump);
  runs.trace += dump.text();
  EXPECT_TRUE(deferred.compute());
  EXPECT_TRUE(machine.memory().poison().empty());
  runs.b = machine.get<uint32_t>(buffers.b, 64);
  runs.c = machine.get<uint32_t>(buffers.c, 64);
  return runs;
}

TEST(Deferred, ALaunchThatReadsPoisonHasItComputedAndRunsWithValues) {
  const TwoRuns with = run_two(Values::kOn, EngineChoice::kReference);
  for (const EngineChoice engine : {EngineChoice::kReference, EngineChoice::kAuto}) {
    const TwoRuns without = run_two(Values::kOff, engine);
    EXPECT_FALSE(without.first.had_values);
    EXPECT_EQ(without.deferred_then, 1u);
    EXPECT_TRUE(without.second.had_values);
    EXPECT_EQ(without.trace, with.trace);
    EXPECT_EQ(without.b, with.b);
    EXPECT_EQ(without.c, with.c);
    EXPECT_EQ(described(without.second.statistics), described(with.second.statistics));
  }
}

TEST(Deferred, WithoutItALaunchThatReadsPoisonIsRefused) {
  TestMachine machine(kTwoKernels);
  const Buffers buffers(machine);
  trace::NoSink sink;
  const auto launch = [&](const char* kernel, uint64_t from, uint64_t to) {
    return run_launch(
        machine.image(),
        {.kernel = kernel, .block = {64, 1, 1}, .params = TestMachine::pack(from, to)}, sink,
        {.engine = EngineChoice::kReference, .values = Values::kOff});
  };
  ASSERT_TRUE(launch("first", buffers.a, buffers.b));
  const auto second = launch("second", buffers.b, buffers.c);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, kValuesNeeded);
}

}  // namespace
}  // namespace warpledger::exec
