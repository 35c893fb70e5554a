#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/profile/run/run.h"
#include "warpledger/ptx/parser.h"

namespace warpledger::profile {
namespace {

constexpr uint32_t kBlocks = 24, kSteps = 1'024;  // one block on each SM, and a long loop

// y[i] = the sum of x[j][i] w[j]: a thread a column, coalesced.
constexpr const char* kColumns = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry columns(.param .u64 x, .param .u64 w, .param .u64 y)
{
  .reg .pred %p;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd0, [x];
  ld.param.u64 %rd1, [w];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, 128, %r3;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd0, %rd0, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  mov.u32 %r0, 0;
  mov.f32 %f0, 0f00000000;
NEXT:
  ld.global.f32 %f1, [%rd0];
  ld.global.f32 %f2, [%rd1];
  fma.rn.f32 %f0, %f1, %f2, %f0;
  add.s64 %rd0, %rd0, 12288;
  add.s64 %rd1, %rd1, 4;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p, %r0, 1024;
  @%p bra NEXT;
  st.global.f32 [%rd2], %f0;
  ret;
}
)";

Result<Profile> profile_columns(SamplingOptions sampling, uint32_t threads = 1) {
  const Result<ptx::Module> module = ptx::parse("columns.ptx", kColumns);
  EXPECT_TRUE(module.ok());
  Request request{.module = *module, .file = "columns.ptx", .kernel = "columns"};
  request.gpu = testing::gpu_named("gtx1660s");
  request.gpu_request = "gtx1660s";
  request.grid = {kBlocks, 1, 1};
  request.block = {128, 1, 1};
  const uint32_t columns = kBlocks * 128;
  for (const uint32_t elements : {columns * kSteps, kSteps, columns}) {
    const std::string text = "f32[" + std::to_string(elements) + "]:one";
    request.arguments.push_back(
        *exec::parse_argument(text, static_cast<int>(request.arguments.size()) + 1));
  }
  request.registers = 16;
  request.sass = false;
  request.engine.values = exec::Values::kOff;
  request.threads = threads;
  request.sampling = sampling;
  return run(request);
}

constexpr SamplingOptions kInPart = {
    .max_seconds = 0, .accesses_per_l2_sector = 0, .prefix_lookups = 60'000};

double value(const Profile& profile, const char* metric) {
  return answer(metric, profile).value.number().value_or(-1);
}

TEST(LongLaunch, OfFewBlocksSaysInPartWhatItSaysAsAWhole) {
  const Result<Profile> all = profile_columns({.exact = true}), part = profile_columns(kInPart);
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_TRUE(part.ok()) << part.error().message;
  EXPECT_FALSE(all->prefix);
  EXPECT_FALSE(part->sampled);
  ASSERT_TRUE(part->prefix);
  EXPECT_GE(part->prefix->modeled, 60'000u);
  EXPECT_EQ(part->prefix->counted, 4u * kBlocks * (2 * kSteps + 1));
  for (size_t i = 0; i < all->instructions.size(); ++i) {
    EXPECT_EQ(all->counters.sites[i].request, part->counters.sites[i].request);
    EXPECT_EQ(all->counters.sites[i].tag_wavefronts, part->counters.sites[i].tag_wavefronts);
  }
  for (const char* metric : {"dram__bytes_read.sum", "lts__t_sectors.sum"}) {
    EXPECT_NEAR(value(*part, metric), value(*all, metric), 0.01 * value(*all, metric)) << metric;
  }
  for (const char* rate : {"l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct"}) {
    EXPECT_NEAR(value(*part, rate), value(*all, rate), 0.1) << rate;
  }
  // What is stored behind the loop, which the caches did not see, stays in the L2.
  EXPECT_NEAR(value(*part, "dram__bytes_write.sum"), value(*all, "dram__bytes_write.sum"), 2'048);
}

TEST(LongLaunch, CountsStayExact) {
  const Result<Profile> part = profile_columns(kInPart);
  ASSERT_TRUE(part.ok()) << part.error().message;
  EXPECT_EQ(answer("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", *part).value.fidelity,
            Fidelity::kExact);
  EXPECT_EQ(answer("dram__bytes_read.sum", *part).value.fidelity, Fidelity::kModeled);
  EXPECT_EQ(part->other_orders.size(), 4u);
}

TEST(LongLaunch, IsTheSameInPartForAnyNumberOfThreads) {
  const Result<Profile> one = profile_columns(kInPart, 1), two = profile_columns(kInPart, 2);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(one->counters, two->counters);
  EXPECT_EQ(one->other_orders, two->other_orders);
  EXPECT_EQ(one->prefix, two->prefix);
}

}  // namespace
}  // namespace warpledger::profile
