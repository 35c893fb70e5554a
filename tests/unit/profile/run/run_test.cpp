#include "warpledger/profile/run/run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/profile/metrics/source_page.h"
#include "warpledger/profile/run/resources.h"
#include "warpledger/ptx/parser.h"

namespace warpledger::profile {
namespace {

// y[i] += x[i], one element a thread; the last warp of the grid is half off.
constexpr const char* kAdd = R"(
.version 8.0
.target sm_80
.address_size 64
.file 1 "add.cu"
.visible .entry add(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd0, [x];
  ld.param.u64 %rd1, [y];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p0, %r4, %r0;
  @%p0 bra DONE;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd0, %rd2;
  add.s64 %rd4, %rd1, %rd2;
  .loc 1 3 5
  ld.global.f32 %f0, [%rd3];
  ld.global.f32 %f1, [%rd4];
  add.f32 %f2, %f0, %f1;
  st.global.f32 [%rd4], %f2;
DONE:
  ret;
}
)";

std::vector<exec::Argument> arguments(uint64_t n) {
  std::vector<exec::Argument> made;
  for (const std::string& text :
       {"x=f32[" + std::to_string(n) + "]:random", "y=f32[" + std::to_string(n) + "]:one",
        "i32:" + std::to_string(n)}) {
    made.push_back(*exec::parse_argument(text, static_cast<int>(made.size()) + 1));
  }
  return made;
}

Result<Profile> profile_add(uint64_t n, uint32_t orders = 1, const std::string& gpu = "rtx3090",
                            bool only_timed = false) {
  const Result<ptx::Module> module = ptx::parse("add.ptx", kAdd);
  EXPECT_TRUE(module.ok());
  Request request{.module = *module, .file = "add.ptx", .kernel = "add"};
  request.gpu = testing::gpu_named(gpu);
  request.gpu_request = gpu;
  request.grid = {static_cast<uint32_t>((n + 127) / 128), 1, 1};
  request.block = {128, 1, 1};
  request.arguments = arguments(n);
  request.registers = 16;
  request.sass = false;
  request.orders = orders;
  request.only_timed = only_timed;
  request.engine.engine = exec::EngineChoice::kReference;
  return run(request);
}

/// The same through the compiled engine, which can leave blocks out; on a GPU that is small
/// enough for many waves.
Result<Profile> profile_compiled(const std::string& text, uint64_t n, uint32_t threads,
                                 SamplingOptions sampling) {
  const Result<ptx::Module> module = ptx::parse("add.ptx", text);
  EXPECT_TRUE(module.ok());
  Request request{.module = *module, .file = "add.ptx", .kernel = "add"};
  request.gpu = testing::gpu_named("gtx1660s");
  request.gpu_request = "gtx1660s";
  request.grid = {static_cast<uint32_t>((n + 127) / 128), 1, 1};
  request.block = {128, 1, 1};
  request.arguments = arguments(n);
  request.registers = 16;
  request.sass = false;
  request.engine.values = exec::Values::kOff;
  request.threads = threads;
  request.sampling = sampling;
  return run(request);
}

double number(const Profile& profile, const char* metric) {
  return answer(metric, profile).value.number().value_or(-1);
}

std::string add_with_barrier(const std::string& before) {
  std::string text = kAdd;
  return text.insert(text.find(before), "bar.sync 0;\n  ");
}

TEST(Run, WhatIsOnlyTimedTakesAsLong) {
  const Result<Profile> whole = profile_add(10'000);
  const Result<Profile> timed = profile_add(10'000, 1, "rtx3090", true);
  ASSERT_TRUE(whole.ok() && timed.ok());
  ASSERT_TRUE(whole->timing && timed->timing);
  EXPECT_EQ(timed->timing->seconds(), whole->timing->seconds());
  EXPECT_EQ(timed->execution.batches, whole->execution.batches);
  EXPECT_FALSE(whole->samples.empty());
  EXPECT_TRUE(timed->samples.empty());
}

TEST(Run, CompilesABarrierBehindAnEarlyReturn) {
  const Result<Profile> profile =
      profile_compiled(add_with_barrier("mul.wide"), 10'000, 1, {.exact = true});
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->engine, "compiled");
}

TEST(Run, BeginsAgainInterpretedWhereLanesMeetABarrierApart) {
  std::string text = kAdd;
  text.insert(text.find("mul.wide"),
              "and.b32 %r5, %r3, 1;\n  setp.eq.u32 %p1, %r5, 0;\n  @%p1 bra EVEN;\n"
              "  bar.sync 0;\n  bra ON;\nEVEN:\n  bar.sync 0;\nON:\n  ");
  const Result<Profile> profile = profile_compiled(text, 10'240, 1, {.exact = true});
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->engine,
            "interpreted: its warps may wait for lanes of their own in diverged code");
  EXPECT_EQ(number(*profile, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 2 * 10'240 / 32);
}

// Some GPU files do not say everything: what cannot be known is then unknown, and never infinite.
TEST(Run, HasFiniteNumbersOnEveryGpu) {
  for (const Gpu& gpu : all_gpus()) {
    const Result<Profile> profile = profile_add(1'000, 1, gpu.id);
    if (!profile && profile.error().code == "gpu-fact-missing") continue;  // Pascal's L1
    ASSERT_TRUE(profile.ok()) << gpu.id << ": " << profile.error().message;
    for (const std::string& metric : standard_metrics()) {
      const double value = answer(metric, *profile).value.number().value_or(0);
      EXPECT_TRUE(std::isfinite(value) && value >= 0) << gpu.id << ": " << metric << " " << value;
    }
  }
}

TEST(Run, CountsWhatTheAddressesSay) {
  const Result<Profile> profile = profile_add(10'000);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  // 312.5 warps: 313 requests per instruction, 1250 sectors of 8 elements each.
  EXPECT_EQ(number(*profile, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 2 * 313);
  EXPECT_EQ(number(*profile, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 2 * 1250);
  EXPECT_EQ(number(*profile, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 1250);
  EXPECT_EQ(number(*profile, "dram__bytes_read.sum"), 2 * 40'000);
  EXPECT_EQ(number(*profile, "launch__registers_per_thread"), 16);
  EXPECT_EQ(number(*profile, "launch__grid_size"), 79);
}

TEST(Run, KnowsArraysAndLines) {
  const Result<Profile> profile = profile_add(1024);
  ASSERT_TRUE(profile.ok());
  ASSERT_EQ(profile->instructions.size(), 3u);
  EXPECT_EQ(profile->instructions[0].arrays, std::vector<std::string>{"x"});
  EXPECT_EQ(profile->instructions[2].arrays, std::vector<std::string>{"y"});
  EXPECT_EQ(to_text(profile->code_of(profile->instructions[0]).source), "add.cu:3");
  EXPECT_EQ(profile->code_of(profile->instructions[0]).executions, 32u);
  ASSERT_EQ(profile->samples.size(), 3u);
  EXPECT_EQ(profile->samples[0].unique_addresses, 32u);
}

TEST(Run, TheSourcePageAddsUp) {
  const Result<Profile> profile = profile_add(1000);
  ASSERT_TRUE(profile.ok());
  for (const Table& table : {line_table(*profile, {}), instruction_table(*profile)}) {
    int64_t sum = 0;
    const size_t executed = table.columns.size() - 11;
    for (size_t i = 0; i + 1 < table.rows.size(); ++i) {
      sum += std::get<int64_t>(table.rows[i].cells[executed].raw);
    }
    EXPECT_EQ(sum, std::get<int64_t>(table.rows.back().cells[executed].raw));
    EXPECT_EQ(static_cast<uint64_t>(sum), profile->execution.warp_instructions);
  }
}

TEST(Run, ASampleSaysWhatAllBlocksSay) {
  constexpr uint64_t kElements = 128 * 20'001 - 64;
  const Result<Profile> all = profile_compiled(kAdd, kElements, 1, {.exact = true});
  const Result<Profile> some =
      profile_compiled(kAdd, kElements, 1, {.max_seconds = 0, .accesses_per_l2_sector = 1});
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_TRUE(some.ok()) << some.error().message;
  EXPECT_FALSE(all->sampled);
  ASSERT_TRUE(some->sampled);
  EXPECT_LT(some->sampled->simulated, 10'000u);
  // What follows from addresses is known of every block: they are alike but for the last.
  for (size_t i = 0; i < all->instructions.size(); ++i) {
    EXPECT_EQ(all->counters.sites[i].request, some->counters.sites[i].request);
  }
  EXPECT_EQ(all->execution.warp_instructions, some->execution.warp_instructions);
  for (const char* metric :
       {"dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sectors.sum"}) {
    EXPECT_NEAR(number(*some, metric), number(*all, metric), 0.01 * number(*all, metric)) << metric;
  }
  EXPECT_EQ(answer("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", *some).value.fidelity,
            Fidelity::kModeled);
  EXPECT_EQ(answer("launch__grid_size", *some).value.fidelity, Fidelity::kExact);
}

/// kAdd in clusters of two, each block with what its peer has left in shared memory.
std::string add_in_clusters() {
  std::string text = kAdd;
  const auto replace = [&](const std::string& old, const std::string& now) {
    text.replace(text.find(old), old.size(), now);
  };
  replace(".target sm_80", ".target sm_90");
  replace("{\n", ".reqnctapercluster 2, 1, 1\n{\n  .shared .align 4 .b8 left[512];\n");
  replace("  mul.wide.u32 %rd2", R"(
  shl.b32 %r5, %r3, 2;
  mov.u32 %r2, left;
  add.u32 %r5, %r5, %r2;
  st.shared.u32 [%r5], %r4;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mov.u32 %r2, %cluster_ctarank;
  xor.b32 %r2, %r2, 1;
  mapa.shared::cluster.u32 %r5, %r5, %r2;
  ld.shared::cluster.u32 %r4, [%r5];
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mul.wide.u32 %rd2)");
  return text;
}

TEST(Run, ASampleOfClustersSaysWhatAllOfThemSay) {
  constexpr uint64_t kElements = 128 * 8'000;
  const Result<Profile> all = profile_compiled(add_in_clusters(), kElements, 1, {.exact = true});
  const Result<Profile> some = profile_compiled(add_in_clusters(), kElements, 1,
                                                {.max_seconds = 0, .accesses_per_l2_sector = 0});
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_TRUE(some.ok()) << some.error().message;
  EXPECT_FALSE(all->sampled);
  ASSERT_TRUE(some->sampled);
  EXPECT_LT(some->sampled->simulated, 4'000u);
  for (size_t i = 0; i < all->instructions.size(); ++i) {
    EXPECT_EQ(all->counters.sites[i].request, some->counters.sites[i].request);
  }
  EXPECT_EQ(all->execution.warp_instructions, some->execution.warp_instructions);
  for (const char* metric : {"dram__bytes_read.sum", "lts__t_sectors.sum"}) {
    EXPECT_NEAR(number(*some, metric), number(*all, metric), 0.02 * number(*all, metric)) << metric;
  }
}

TEST(Run, ThreadsChangeNothing) {
  for (const SamplingOptions& how :
       {SamplingOptions{.exact = true}, {.max_seconds = 0, .accesses_per_l2_sector = 0}}) {
    const Result<Profile> one = profile_compiled(kAdd, 128 * 4'000, 1, how);
    const Result<Profile> two = profile_compiled(kAdd, 128 * 4'000, 2, how);
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_EQ(one->counters, two->counters);
    EXPECT_EQ(one->other_orders, two->other_orders);
    EXPECT_EQ(one->samples, two->samples);
    EXPECT_EQ(one->execution, two->execution);
  }
}

TEST(Run, BlocksThatMayCommunicateAreAllRun) {
  std::string text = kAdd;  // the third element of y becomes a counter whose old value is used
  text.replace(text.find("st.global.f32 [%rd4], %f2;"), 26,
               "atom.global.add.f32 %f3, [%rd1], %f2;\n  st.global.f32 [%rd4], %f3;");
  const Result<Profile> profile =
      profile_compiled(text, 128 * 4'000, 2, {.max_seconds = 0, .accesses_per_l2_sector = 0});
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_FALSE(profile->sampled);
  EXPECT_EQ(profile->execution.ctas, 4'000u);
}

TEST(Run, CachesThatAreNotFlushedHoldWhatTheLaunchBeforeLeft) {
  const Result<ptx::Module> module = ptx::parse("add.ptx", kAdd);
  Request request{.module = *module, .file = "add.ptx", .kernel = "add"};
  request.gpu = testing::gpu_named("rtx3090");
  request.gpu_request = "rtx3090";
  request.grid = {80, 1, 1};
  request.block = {128, 1, 1};
  request.arguments = arguments(10'000);
  request.sass = false;
  request.engine.engine = exec::EngineChoice::kReference;
  request.policy.flush_caches = false;
  const Result<Profile> profile = run(request);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(number(*profile, "dram__bytes_read.sum"), 0);
  EXPECT_EQ(number(*profile, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 2 * 1250);
  EXPECT_EQ(number(*profile, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"), 0);
}

TEST(Run, ThreeOrdersMakeABand) {
  const Result<Profile> profile = profile_add(4096, 3);
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(profile->other_orders.size(), 2u);
  // Counters that follow from addresses do not depend on the order.
  EXPECT_FALSE(answer("l1tex__t_sectors.sum", *profile).value.low);
}

TEST(Run, AFaultOfTheKernelIsTheError) {
  const Result<ptx::Module> module = ptx::parse("add.ptx", kAdd);
  ASSERT_TRUE(module.ok());
  Request request{.module = *module, .file = "add.ptx", .kernel = "add"};
  request.gpu = testing::gpu_named("a100");
  request.grid = {2, 1, 1};
  request.block = {128, 1, 1};
  request.arguments = arguments(128);
  request.arguments[2] = *exec::parse_argument("i32:256", 3);
  request.registers = 16;
  request.sass = false;
  request.engine.engine = exec::EngineChoice::kReference;
  const Result<Profile> profile = run(request);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().code, "out-of-bounds");
}

LAW(Resources, DamagedCubinsAreRefused) {
  std::string bytes(static_cast<size_t>(rng.between(0, 500)), '\0');
  for (char& byte : bytes) byte = static_cast<char>(rng.bits());
  if (rng.coin() && bytes.size() > 4) bytes.replace(0, 4, "\177ELF");
  const Result<sass::Cubin> cubin = sass::read_cubin(bytes);
  EXPECT_FALSE(cubin && read_resources(*cubin, "k"));
}

}  // namespace
}  // namespace warpledger::profile
