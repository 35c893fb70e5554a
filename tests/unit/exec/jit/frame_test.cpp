// A kernel that keeps more at once than fits into a warp's stack is left to the interpreter.
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"

namespace warpledger::exec {
namespace {

/// Loads `values` words, waits, and stores them in the opposite order: all of them are alive at the
/// barrier, 256 bytes each for the lanes of a warp.
std::string kernel_that_keeps(size_t values) {
  std::string body = fmt::format(
      ".reg .b32 %r<2>; .reg .b64 %v<{}>; .reg .b64 %rd<4>;\n"
      "ld.param.u64 %rd0, [p0]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 8;\n"
      "add.s64 %rd2, %rd0, %rd1;\n",
      values);
  for (size_t i = 0; i < values; ++i)
    body += fmt::format("ld.global.u64 %v{}, [%rd2+{}];\n", i, 8 * 32 * i);
  body += "bar.sync 0;\n";
  for (size_t i = 0; i < values; ++i)
    body += fmt::format("st.global.u64 [%rd2+{}], %v{};\n", 8 * 32 * i, values - 1 - i);
  return kernel_text(body + "ret;");
}

Result<std::string> compile_keeping(size_t values, size_t most_frame_bytes) {
  TestMachine machine(kernel_that_keeps(values));
  const Launch launch{.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(uint64_t{0})};
  WL_TRY(const auto engine, reference::Engine::create(machine.image(), launch, {}, nullptr));
  WL_TRY(const jit::Analysis analysis,
         jit::analyze(engine->program(), machine.image().module(), launch.block));
  WL_TRY(jit::Compiler* const compiler, jit::load_compiler());
  return compiler->compile(analysis, {.most_frame_bytes = most_frame_bytes}, "k");
}

TEST(Frame, FitsOrIsLeftToTheInterpreter) {
  if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  EXPECT_TRUE(compile_keeping(100, jit::StackPool::kMostFrameBytes).ok());
  const auto refused = compile_keeping(100, 256 * 50);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().fallback, Fallback::kInterpreter);
}

}  // namespace
}  // namespace warpledger::exec
