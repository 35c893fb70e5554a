#include "interpose/link.h"

#include <gmock/gmock.h>

#include "warpledger/ptx/parser.h"

namespace warpledger::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

const std::string kMain = kHead + R"(
.extern .func (.param .b32 out) helper(.param .b32 in);
.extern .global .align 4 .u32 shared_count;
.global .align 1 .b8 $str[3] = {97, 98, 0};
.weak .func common() { ret; }
.visible .entry k()
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .loc 1 10 3
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r1;
    call (b), helper, (a);
    ld.param.b32 %r2, [b]; }
  ld.global.u32 %r3, [shared_count];
  mov.u64 %rd1, $str;
  ret;
}
.file 1 "main.cu"
)";
const std::string kOther = kHead + R"(
.visible .global .align 4 .u32 shared_count = 7;
.global .align 1 .b8 $str[3] = {99, 100, 0};
.weak .func common() { ret; }
.visible .func (.param .b32 out) helper(.param .b32 in)
{
  .reg .b64 %rd<2>;
  .loc 1 20 3, function_name $L__info, inlined_at 1 2 3
  mov.u64 %rd1, $str;
  ret;
}
.file 1 "other.cu"
.section .debug_str { $L__info: .b8 0 }
)";

TEST(Link, ATextAloneStaysAsItIs) { EXPECT_EQ(link_ptx({kMain}).value(), kMain); }

TEST(Link, DeclarationsMeetDefinitions) {
  const auto linked = link_ptx({kMain, kOther});
  ASSERT_TRUE(linked.ok()) << linked.error().message;
  const auto module = ptx::parse("linked.ptx", *linked);
  ASSERT_TRUE(module.ok()) << to_text(module.error()) << *linked;
  EXPECT_TRUE(module->find("helper")->has_body);
  EXPECT_THAT(*linked, Not(HasSubstr(".extern")));
}

TEST(Link, NamesWithoutLinkageAreToldApartAndFilesNumberedAnew) {
  const auto linked = link_ptx({kMain, kOther});
  ASSERT_TRUE(linked.ok());
  EXPECT_THAT(*linked, HasSubstr("mov.u64 %rd1, $str__text1"));
  EXPECT_THAT(*linked, HasSubstr(".loc 2 20 3\n"));
  EXPECT_THAT(*linked, HasSubstr(".file 2 \"other.cu\""));
}

TEST(Link, ANameDefinedTwiceIsRefused) {
  const auto linked = link_ptx({kOther, kOther});
  ASSERT_FALSE(linked.ok());
  EXPECT_THAT(linked.error().message, HasSubstr("is defined in two files"));
}

}  // namespace
}  // namespace warpledger::cuda
