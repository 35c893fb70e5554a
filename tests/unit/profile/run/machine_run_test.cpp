// A launch as machine code: its values, and the counters that it shares with its PTX.
#include "warpledger/profile/run/machine_run.h"

#include <gmock/gmock.h>

#include "tests/unit/profile/run/both_engines.h"
#include "warpledger/exec/jit/runtime/compiler.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/sass/assemble.h"
#include "warpledger/sass/cubin/carrier.h"

namespace warpledger::profile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// y[i] = 2 x[i], through shared memory; every second element, so that sectors are half used.
constexpr const char* kDouble = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .shared .align 4 .b8 tile[512];
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd0, [x];
  ld.param.u64 %rd1, [y];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 8;
  add.s64 %rd3, %rd0, %rd2;
  add.s64 %rd4, %rd1, %rd2;
  ld.global.f32 %f0, [%rd3];
  shl.b32 %r5, %r3, 2;
  mov.u32 %r6, tile;
  add.u32 %r7, %r6, %r5;
  st.shared.f32 [%r7], %f0;
  bar.sync 0;
  ld.shared.f32 %f1, [%r7];
  add.f32 %f2, %f1, %f1;
  setp.ge.u32 %p0, %r4, %r0;
  @%p0 bra DONE;
  st.global.f32 [%rd4], %f2;
DONE:
  ret;
}
)";

struct Outcome {
  Profile profile;
  std::vector<float> y;
};

struct Size {
  uint32_t blocks = 4, elements = 1024;
};
constexpr Size kLarge = {.blocks = 4096, .elements = 4096 * 256};  // worth compiling

Result<Outcome> run_twice(const ptx::Module& module, exec::EngineChoice engine,
                          const std::string& gpu = "a100-40", const Size& size = {}) {
  constexpr uint32_t kThreads = 128;
  Request request{.module = module, .file = "twice.ptx", .kernel = "twice"};
  request.gpu = testing::gpu_named(gpu);
  request.gpu_request = gpu;
  request.grid = {size.blocks, 1, 1};
  request.block = {kThreads, 1, 1};
  const std::string array = "f32[" + std::to_string(size.elements) + "]";
  request.arguments = testing::arguments_of(
      {"x=f32[" + std::to_string(size.blocks * 2 * kThreads) + "]:index", "y=" + array + ":zero",
       "i32:" + std::to_string(size.blocks * kThreads - 12)});
  request.engine.engine = engine;
  request.engine.values = exec::Values::kOn;
  Outcome outcome;
  request.after = [&](const std::vector<exec::Argument>&, const exec::DeviceMemory& memory) {
    for (const auto& [address, allocation] : memory.allocations()) {
      if (allocation.name != "y") continue;
      const auto* floats = reinterpret_cast<const float*>(memory.find(address, allocation.bytes));
      outcome.y.assign(floats, floats + allocation.bytes / sizeof(float));
    }
  };
  WL_TRY(outcome.profile, run(request));
  return outcome;
}

double number(const Profile& profile, const char* metric) {
  return answer(metric, profile).value.number().value_or(-1);
}

void expect_same_counters(const Profile& machine, const Profile& ptx) {
  for (const char* metric :
       {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "smsp__inst_executed_op_shared_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "smsp__inst_executed.sum",
        "dram__bytes_read.sum", "gpu__time_duration.sum"}) {
    EXPECT_GE(number(machine, metric), 0) << metric;
    EXPECT_EQ(number(machine, metric), number(ptx, metric)) << metric;
  }
}

TEST(MachineRun, ComputesAndCountsWhatItsPtxDoes) {
  if (!testing::has_tools()) GTEST_SKIP() << "no ptxas or nvdisasm";
  const auto module = ptx::parse("twice.ptx", kDouble);
  ASSERT_TRUE(module.ok());
  const auto ptx = run_twice(*module, exec::EngineChoice::kReference);
  const auto machine = run_twice(*module, exec::EngineChoice::kMachine);
  ASSERT_TRUE(ptx.ok() && machine.ok()) << machine.error().message;
  EXPECT_EQ(machine->y, ptx->y);
  EXPECT_EQ(machine->y[200], 400);
  EXPECT_EQ(machine->profile.engine, "machine code, interpreted");
  EXPECT_EQ(machine->profile.machine->opcodes, ptx->profile.machine->opcodes);
  expect_same_counters(machine->profile, ptx->profile);
}

TEST(MachineRun, ALargeLaunchIsCompiled) {
  if (!testing::has_tools() || !exec::jit::load_compiler())
    GTEST_SKIP() << "no ptxas, no nvdisasm or no compiler";
  const auto module = ptx::parse("twice.ptx", kDouble);
  ASSERT_TRUE(module.ok());
  const auto ptx = run_twice(*module, exec::EngineChoice::kReference, "a100-40", kLarge);
  const auto machine = run_twice(*module, exec::EngineChoice::kMachine, "a100-40", kLarge);
  ASSERT_TRUE(ptx.ok() && machine.ok()) << machine.error().message;
  EXPECT_EQ(machine->profile.engine, "machine code, compiled");
  EXPECT_EQ(machine->y, ptx->y);
  EXPECT_EQ(machine->profile.machine->opcodes, ptx->profile.machine->opcodes);
  expect_same_counters(machine->profile, ptx->profile);
}

TEST(MachineRun, AFaultOfCompiledCodeNamesTheMachineInstruction) {
  if (!testing::has_tools()) GTEST_SKIP() << "no ptxas or nvdisasm";
  const auto module = ptx::parse("twice.ptx", kDouble);
  ASSERT_TRUE(module.ok());
  const auto stopped = run_twice(*module, exec::EngineChoice::kMachine, "a100-40",
                                 {.blocks = kLarge.blocks, .elements = 1024});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, "out-of-bounds");
  EXPECT_THAT(stopped.error().message, AllOf(HasSubstr("STG.E"), HasSubstr("kernel 'twice'")));
}

TEST(MachineRun, ACubinWithoutPtxRunsAsItIs) {
  if (!testing::has_tools()) GTEST_SKIP() << "no ptxas or nvdisasm";
  const auto module = ptx::parse("twice.ptx", kDouble);
  ASSERT_TRUE(module.ok());
  const auto object = sass::compile(*module, "sm_80");
  ASSERT_TRUE(object.ok());
  const auto carrier = ptx::parse("twice.cubin.ptx", *sass::carry_cubin("k", *(*object)->bytes));
  ASSERT_TRUE(carrier.ok());
  const auto ptx = run_twice(*module, exec::EngineChoice::kReference);
  const auto machine = run_twice(*carrier, exec::EngineChoice::kAuto);
  ASSERT_TRUE(ptx.ok() && machine.ok()) << machine.error().message;
  EXPECT_EQ(machine->y, ptx->y);
  EXPECT_EQ(machine->profile.resources.static_shared_bytes, 512);
  expect_same_counters(machine->profile, ptx->profile);
}

TEST(MachineRun, ACubinOfAnotherGenerationIsRefused) {
  if (!testing::has_tools()) GTEST_SKIP() << "no ptxas or nvdisasm";
  const auto module = ptx::parse("twice.ptx", kDouble);
  ASSERT_TRUE(module.ok());
  const auto object = sass::compile(*module, "sm_86");
  ASSERT_TRUE(object.ok());
  const auto carrier = ptx::parse("twice.cubin.ptx", *sass::carry_cubin("k", *(*object)->bytes));
  for (const char* gpu : {"a100-40", "h100-sxm"}) {
    const auto refused = run_twice(*carrier, exec::EngineChoice::kAuto, gpu);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, HasSubstr("machine code for sm_86"));
  }
}

}  // namespace
}  // namespace warpledger::profile
