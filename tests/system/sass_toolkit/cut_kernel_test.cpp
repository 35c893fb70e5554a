// One kernel out of a cubin of several, as ptxas makes them.
#include "warpledger/sass/cubin/cut_kernel.h"

#include <gmock/gmock.h>

#include "tests/system/sass_toolkit/launch.h"
#include "warpledger/sass/cubin/carried_kernel.h"
#include "warpledger/sass/cubin/carrier.h"
#include "warpledger/toolchain/nvdisasm.h"
#include "warpledger/toolchain/ptxas.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::sass {
namespace {

/// Three kernels: of a variable and a function, of shared memory, of a constant.
constexpr const char* kThree = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 sum;
.visible .const .align 4 .u32 factor = 7;
.visible .func (.param .b32 r) twice(.param .b32 a)
{ .reg .b32 %a<3>; ld.param.b32 %a1, [a]; add.u32 %a2, %a1, %a1; st.param.b32 [r], %a2; ret; }
.visible .entry add(.param .b64 p)
{
  .reg .b32 %a<4>; .reg .b64 %d<3>;
  ld.param.b64 %d1, [p]; ld.global.b32 %a1, [%d1];
  { .param .b32 x; .param .b32 y; st.param.b32 [x], %a1; call.uni (y), twice, (x);
    ld.param.b32 %a2, [y]; }
  red.global.add.u32 [sum], %a2;
  ret;
}
.visible .entry add2(.param .b64 p, .param .b32 n)
{
  .reg .b32 %a<4>; .reg .b64 %d<3>; .shared .align 4 .b32 place[64];
  ld.param.b64 %d1, [p]; ld.param.b32 %a1, [n]; mov.u32 %a2, place;
  st.shared.b32 [%a2], %a1; ld.shared.b32 %a3, [%a2+4]; st.global.b32 [%d1], %a3;
  ret;
}
.visible .entry scale(.param .b64 p)
{
  .reg .b32 %a<4>; .reg .b64 %d<3>;
  ld.param.b64 %d1, [p]; ld.global.b32 %a1, [%d1]; ld.const.b32 %a2, [factor];
  mul.lo.u32 %a3, %a1, %a2; st.global.b32 [%d1], %a3;
  ret;
}
)";

std::string compiled() {
  const auto made = toolchain::run_ptxas(toolchain::find_tools("ptxas"), kThree, "sm_80");
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  return made ? made->cubin : std::string();
}

std::vector<std::string> opcodes_of(const std::string& cubin, const std::string& function) {
  const auto text = toolchain::run_nvdisasm(*toolchain::find_tool("nvdisasm"), cubin,
                                            toolchain::ListingForm::kText);
  EXPECT_TRUE(text.ok()) << to_text(text.error());
  std::vector<std::string> opcodes;
  const auto functions = read_listing(*text);
  for (const Function& one : *functions) {
    if (one.name != function) continue;
    for (const Instruction& instruction : one.instructions) opcodes.push_back(instruction.opcode);
  }
  return opcodes;
}

TEST(CutKernel, LeavesTheKernelFunctionsAndVariables) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const std::string whole = compiled();
  const auto before = read_cubin(whole);
  for (const char* name : {"add", "add2", "scale"}) {
    const std::string cut = cut_kernel(whole, *before, name);
    EXPECT_LT(cut.size(), whole.size());
    const auto after = read_cubin(cut);
    ASSERT_TRUE(after.ok()) << to_text(after.error());
    for (const CubinFunction& function : before->functions) {
      const CubinFunction* kept = after->find(function.name);
      // Of a kernel's section is also what ptxas made of functions that it calls: "$add$twice".
      const auto is_its = [&](const char* kernel) {
        return before->find(kernel)->section == function.section;
      };
      const bool is_others = is_its("add") || is_its("add2") || is_its("scale");
      EXPECT_EQ(kept != nullptr, is_its(name) || !is_others) << function.name;
      if (kept == nullptr) continue;
      EXPECT_EQ(after->elf.sections[kept->section].bytes,
                before->elf.sections[function.section].bytes);
      EXPECT_EQ(kept->registers, function.registers);
      EXPECT_EQ(kept->static_shared_bytes, function.static_shared_bytes);
      EXPECT_EQ(kept->parameters.size(), function.parameters.size());
    }
    EXPECT_EQ(after->architecture, 80);
    EXPECT_EQ(after->elf.sections[after->elf.find(".nv.constant3")].bytes,
              before->elf.sections[before->elf.find(".nv.constant3")].bytes);
  }
}

TEST(CutKernel, IsListedAsBefore) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const std::string whole = compiled();
  const auto read = read_cubin(whole);
  for (const char* name : {"add", "add2", "scale"}) {
    const std::vector<std::string> opcodes = opcodes_of(cut_kernel(whole, *read, name), name);
    EXPECT_FALSE(opcodes.empty());
    EXPECT_EQ(opcodes, opcodes_of(whole, name));
  }
}

TEST(CutKernel, OfNoKernelIsTheWholeCubin) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const std::string whole = compiled();
  EXPECT_EQ(cut_kernel(whole, *read_cubin(whole), "twice"), whole);
  EXPECT_EQ(cut_kernel(whole, *read_cubin(whole), "nobody"), whole);
}

TEST(CarriedKernel, IsCutOnceForAModuleAndItsCopies) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const std::string whole = compiled();
  const auto module = ptx::parse("three.ptx", *carry_cubin("three.cubin", whole));
  ASSERT_TRUE(module.ok()) << to_text(module.error());
  const std::vector<ptx::Module> copies = {*module};
  const auto first = carried_kernel(*module, "scale");
  const auto second = carried_kernel(copies.front(), "scale");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(**first, cut_kernel(whole, *read_cubin(whole), "scale"));
  EXPECT_EQ(first->get(), second->get());
  const auto plain = ptx::parse("three.ptx", kThree);
  EXPECT_EQ(*carried_kernel(*plain, "scale"), nullptr);
}

}  // namespace
}  // namespace warpledger::sass
