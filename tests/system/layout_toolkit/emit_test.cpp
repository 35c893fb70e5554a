// Emitted CUDA compiles for every architecture it names, and the row-max kernels keep their
// figures.
#include "warpledger/layout/emit.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "tests/support/source.h"
#include "warpledger/base/file.h"
#include "warpledger/layout/resolve.h"
#include "warpledger/toolchain/process.h"
#include "warpledger/toolchain/temporary_folder.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger {
namespace {

constexpr std::array kArchs = {75, 80, 86, 89, 90, 100, 103, 120};

class Nvcc : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto found = toolchain::find_tool("nvcc");
    if (!found) GTEST_SKIP() << found.error().message;
    nvcc_ = *found;
  }
  /// What ptxas says about a source, or the failure.
  Result<std::string> compile(const std::string& path, int arch) {
    WL_TRY(const toolchain::ProcessOutput output,
           toolchain::run_tool({nvcc_, fmt::format("-arch=sm_{}", arch), "-cubin", "-Xptxas", "-v",
                                path, "-o", "/dev/null"}));
    return output.out + output.err;
  }
  Result<std::string> compile_text(const std::string& text, int arch) {
    WL_TRY(const toolchain::TemporaryFolder folder, toolchain::TemporaryFolder::create());
    WL_TRY_STATUS(write_file(folder.file("emitted.cu"), text));
    return compile(folder.file("emitted.cu"), arch);
  }
  std::string nvcc_;
};

std::string conversion_kernel(const convert::Route& route, const std::string& name) {
  const bool shared = route.program.shared_bytes > 0;
  std::string text =
      fmt::format("__global__ void use_{}(unsigned* p) {{\n  unsigned x[{}], y[{}];\n", name,
                  route.program.inputs, route.program.outputs.size());
  if (shared)
    text +=
        fmt::format("  __shared__ __align__(16) char shared[{}];\n", route.program.shared_bytes);
  text += fmt::format("  for (int i = 0; i < {0}; ++i) x[i] = p[threadIdx.x * {0} + i];\n",
                      route.program.inputs);
  text += fmt::format("  {}(x, y{});\n", name, shared ? ", shared" : "");
  return text +
         fmt::format("  for (int i = 0; i < {0}; ++i) p[threadIdx.x * {0} + i] = y[i];\n}}\n",
                     route.program.outputs.size());
}

struct Pair {
  const char* from;
  const char* to;
  int bits;
};

TEST_F(Nvcc, AcceptsEveryEmittedConversion) {
  const Pair pairs[] = {{"wmma.m16n16k16.C.s32", "mma.m16n8k16.A.s8", 8},
                        {"wmma.m16n16k16.C.f32", "mma.m16n8k16.A.f16", 16},
                        {"movmatrix", "movmatrix.trans", 16},
                        {"ldmatrix.x4", "ldmatrix.x4.trans", 16}};
  for (const int arch : kArchs) {
    std::string source;
    int functions = 0;
    for (const Pair& pair : pairs) {
      auto from = resolve_fragment(pair.from, {}), to = resolve_fragment(pair.to, {});
      ASSERT_TRUE(from.ok() && to.ok());
      const auto conversion = convert::find_routes(*from, *to, pair.bits);
      ASSERT_TRUE(conversion.ok()) << conversion.error().message;
      for (const convert::Route& route : conversion->routes) {
        if (route.first_arch > arch) continue;
        const std::string name = fmt::format("convert_{}", functions++);
        source += emit_conversion(route, *from, *to, name) + conversion_kernel(route, name);
      }
    }
    const auto said = compile_text(source, arch);
    EXPECT_TRUE(said.ok()) << said.error().message;
  }
}

TEST_F(Nvcc, AcceptsEveryEmittedReductionAndStore) {
  for (const int arch : kArchs) {
    std::string source;
    int functions = 0;
    for (const std::string& name : fragment_names(arch)) {
      if (name.find(".C.") == std::string::npos || name.starts_with("mma.m8n8k4.")) continue;
      const auto fragment = find_fragment(name, arch);
      const auto reduction = synthesise_reduction(*fragment, ReduceOver::kCol);
      ASSERT_TRUE(reduction.ok()) << name;
      source += emit_reduction(*reduction, *fragment, ReduceOperation::kMax,
                               fmt::format("reduce_{}", functions));
      source += emit_store(*fragment, fmt::format("store_{}", functions++));
    }
    const auto said = compile_text(source, arch);
    EXPECT_TRUE(said.ok()) << said.error().message;
  }
}

TEST_F(Nvcc, RowMaxInRegistersNeedsNoSharedMemoryAndNoBarrier) {
  for (const int arch : kArchs) {
    const auto said = compile(test::source_path("kernels/wmma_row_max.cu"), arch);
    ASSERT_TRUE(said.ok()) << said.error().message;
    const size_t registers = said->find("'row_max_registers'"),
                 shared = said->find("'row_max_shared'");
    ASSERT_NE(registers, std::string::npos);
    ASSERT_NE(shared, std::string::npos);
    const auto used = [&](size_t at) {
      return said->substr(at, said->find('\n', said->find("Used", at)) - at);
    };
    EXPECT_THAT(used(registers), ::testing::HasSubstr("used 0 barriers"));
    EXPECT_THAT(used(registers), ::testing::Not(::testing::HasSubstr("smem")));
    EXPECT_THAT(used(shared), ::testing::HasSubstr("used 1 barriers, 1024 bytes smem"));
  }
}

TEST_F(Nvcc, AcceptsTheTracerAndTheAttentionTile) {
  for (const int arch : kArchs) {
    for (const char* kernel : {"tracer", "attention_tile"}) {
      const auto said = compile(fmt::format("{}/kernels/{}.cu", test::source_path(), kernel), arch);
      EXPECT_TRUE(said.ok()) << said.error().message;
    }
  }
}

}  // namespace
}  // namespace warpledger
