#include "warpledger/ptx/printer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/source.h"
#include "tests/unit/ptx/any_module.h"
#include "warpledger/base/file.h"
#include "warpledger/ptx/parser.h"

namespace warpledger::ptx {
namespace {

std::string printed(const std::string& text) {
  const auto module = parse("test.ptx", text);
  EXPECT_TRUE(module.ok()) << to_text(module.error()) << text;
  return module.ok() ? print(*module) : "";
}

LAW(Printer, IsAFixedPointOnRandomModules) {
  const std::string once = printed(testing::any_module(rng));
  EXPECT_EQ(printed(once), once);
}

TEST(Printer, EveryFormOfTheTableComesBack) {
  testing::Rng rng(1, 1);
  for (const Form& form : forms()) {
    for (int round = 0; round < 20; ++round) {
      const std::string line = testing::any_instruction(rng, form);
      if (line.empty()) continue;
      const std::string text = printed(testing::module_of("\t" + line + "\n"));
      EXPECT_NE(text.find(line.substr(0, line.find(' '))), std::string::npos) << line;
      EXPECT_EQ(printed(text), text);
    }
  }
}

TEST(Printer, CompilersOutputIsAFixedPoint) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_path("tests/inputs/ptx"))) {
    const auto text = read_file(entry.path().string());
    ASSERT_TRUE(text.ok());
    const std::string once = printed(*text);
    EXPECT_EQ(printed(once), once) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 10);
}

TEST(Printer, KeepsWhatIsWritten) {
  const std::string text = R"(.version 8.7
.target sm_90a, debug
.address_size 64
.file 1 "a.cu", 12, 34
.extern .shared .align 16 .b8 dynamic[];
.visible .const .align 4 .f32 weights[2] = {0f3F800000, 0fBF800000};
.global .attribute(.managed) .align 8 .b64 table[2] = {generic(weights)+4, 0};
.global .align 4 .b32 grid[2][2] = {{1, -2}, {3, 4294967295}};
.func (.param .b32 out) callee(.param .b32 in, .param .align 8 .b8 big[16]) .noreturn;
.visible .entry kernel(.param .b64 .ptr .global .align 16 p, .param .b32 n) .maxntid 128, 1, 1 .minnctapersm 2
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .v4 .f32 %v;
	.reg .b64 %rd<3>;
	.loc 1 5 3
	.loc 1 6 1, function_name $L__info_string0, inlined_at 1 5 3
	.pragma "nounroll";
	targets: .branchtargets $L1, $L2;
	proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);
	ld.param.b64 %rd1, [p+0];
	@!%p1 brx.idx %r1, targets;
	$L1:
	{
		.reg .b32 tmp;
		.param .b32 arg;
		mov.u32 tmp, %tid.x;
		vadd.u32.u32.s32.sat %r1, %r2.b0, -%r3.h1, tmp;
		setp.eq.and.s32 %p0|_, %r1, -5, !%p1;
		mov.f32 %v.x, 0f00000000;
		call (arg), %rd1, (%r1, %r2), proto;
	}
	$L2:
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], [%rd2, {%r1, %r2}], [dynamic+8];
	ld.global.v2.b32 {%r1, _}, [%rd1+-8];
	ret;
}
)";
  EXPECT_EQ(printed(text), text);
}

TEST(Printer, FoldsConstantExpressions) {
  const std::string text = printed(
      ".version 8.0\n.target sm_80\n.global .b32 a[(1 << 3) + 2 * 3] = {0x1F, 017, 0b101, 7U, "
      "-(3), ~0, 10 % 4, 1 ? 2 : 3};\n");
  EXPECT_NE(text.find("a[14] = {31, 15, 5, 7U, -3, -1, 2, 2}"), std::string::npos) << text;
}

}  // namespace
}  // namespace warpledger::ptx
