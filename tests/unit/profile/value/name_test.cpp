#include <gmock/gmock.h>

#include "warpledger/profile/advice/argument_name.h"
#include "warpledger/profile/run/describe.h"
#include "warpledger/ptx/parser.h"

namespace warpledger::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Names, ShortOnesStayWhole) {
  EXPECT_EQ(short_name("_Z12matmul_naivePKfS0_Pfjjj"), shown_name("_Z12matmul_naivePKfS0_Pfjjj"));
  EXPECT_EQ(short_name("plain"), "plain");
}

TEST(Names, ParametersFollowAnAnonymousNamespace) {
  EXPECT_EQ(shown_name("_ZN12_GLOBAL__N_11kEPKfi"), "(anonymous namespace)::k(const float *, int)");
}

TEST(Names, TemplateArgumentsOfLongOnesAreCut) {
  // void f<a thirty-letter name, ...>(float*), five times.
  std::string arguments;
  for (int i = 0; i < 5; ++i) arguments += "30abcdefghijklmnopqrstuvwxyzabcd";
  const std::string name = short_name("_Z1fIJ" + arguments + "EEvPf");
  EXPECT_EQ(name, "void f<...>(float *)");
}

TEST(Names, WhatCannotBeDemangledIsCutToItsReadablePart) {
  const std::string broken = "_ZN7cutlass6KernelINS_4gemm" + std::string(200, '?');
  EXPECT_EQ(short_name(broken), "cutlass::Kernel<...>(...)");
  EXPECT_EQ(short_name("_Z" + std::string(300, '?')).size(), 100u);
}

TEST(ArgumentNames, ComeFromTheSource) {
  const char* source = R"(
__global__ void other(int q);
// __global__ void k(int commented)
template <class T>
__global__ void __launch_bounds__(256) k(const T* __restrict__ A, float B[], /* size */ int n = 3,
                                         Pair<int, float> p) {
  k(1, 2, 3, 4);
}
__global__ void k(int later) {}
)";
  EXPECT_THAT(declared_names(source, "k", 6), ElementsAre("A", "B", "n", "p"));
  EXPECT_THAT(declared_names(source, "k", 9), ElementsAre("later"));
  EXPECT_THAT(declared_names(source, "absent", 9), IsEmpty());
  EXPECT_THAT(declared_names("__global__ void k(int, float x) {}", "k", 1), IsEmpty());
}

TEST(ArgumentNames, AreThoseOfThePtxOrTheirPlaceWithoutASource) {
  const auto names = [](const std::string& kernel, const std::string& parameters) {
    const Result<ptx::Module> module =
        ptx::parse("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " +
                                kernel + "(" + parameters + ")\n{\n  ret;\n}\n");
    EXPECT_TRUE(module.ok());
    return argument_names(*module, module->functions[0]);
  };
  EXPECT_THAT(names("k", ".param .u64 k_x, .param .u64 y"), ElementsAre("x", "y"));
  EXPECT_THAT(names("_Z1kPKfi", ".param .u64 _Z1kPKfi_param_0, .param .u32 _Z1kPKfi_param_1"),
              ElementsAre("1st argument (const float *)", "2nd argument (int)"));
  EXPECT_THAT(names("k", ".param .u64 k_param_0"), ElementsAre("1st argument"));
  std::string many;
  for (int i = 0; i < 23; ++i)
    many += (i ? ", .param .u32 k_param_" : ".param .u32 k_param_") + std::to_string(i);
  const std::vector<std::string> all = names("k", many);
  EXPECT_EQ(all[3], "4th argument");
  EXPECT_EQ(all[11], "12th argument");
  EXPECT_EQ(all[22], "23rd argument");
}

// A call of a header's function that calls another one of a header.
constexpr const char* kInlined = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
  .reg .b32 %r<3>;
  .loc 1 5 3
  mov.u32 %r0, 1;
  .loc 2 80 3, function_name NAME, inlined_at 1 6 3
  mov.u32 %r1, 1;
  .loc 3 90 3, function_name NAME, inlined_at 2 80 3
  mov.u32 %r2, 1;
  ret;
}
.file 1 "/home/me/k.cu"
.file 2 "/usr/local/cuda/bin/../targets/x86_64-linux/include/cuda_fp16.hpp"
.file 3 "/usr/local/cuda-13.0/include/sm_20_atomic_functions.hpp"
)";

TEST(Lines, AreTheUsersAndNotOfCudasHeaders) {
  const Result<ptx::Module> module = ptx::parse("k.ptx", kInlined);
  ASSERT_TRUE(module.ok()) << module.error().message;
  const auto code = code_of(*module, {&module->functions[0]}, {});
  ASSERT_EQ(code.size(), 4u);
  EXPECT_EQ(to_text(code[0].source), "k.cu:5");
  EXPECT_EQ(to_text(code[0].inner), "");
  EXPECT_EQ(to_text(code[1].source), "k.cu:6");
  EXPECT_EQ(to_text(code[1].inner), "cuda_fp16.hpp:80");
  EXPECT_EQ(to_text(code[2].source), "k.cu:6");
  EXPECT_EQ(source_folder_of(*module, {&module->functions[0]}), "/home/me/");
}

}  // namespace
}  // namespace warpledger::profile
