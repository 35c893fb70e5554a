// wmma.load and wmma.store in compiled code without values: bounds and records by the stride alone
// must not be told apart from the interpreter's look at every line.
#include <fmt/core.h>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/thread_kernel.h"
#include "tests/unit/exec/semantics/spellings.h"
#include "warpledger/exec/semantics/matrix.h"

namespace warpledger::exec {
namespace {

using testing::Rng;

constexpr uint64_t kTileBytes = 16'384;

class Transfer : public NeedsCompiler {};

struct Form {
  std::string operand, rest;  // wmma.load.<operand><rest>
  MatrixTransfer plan;
};

/// All that sm_80 has, but for the address spaces.
std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const char* operand : {"a", "b", "c"}) {
    for (const char* shape :
         {"m16n16k16", "m8n32k16", "m32n8k16", "m16n16k8", "m8n8k4", "m8n8k32", "m8n8k128"}) {
      for (const char* type : {"f16", "bf16", "tf32", "f32", "f64", "s32", "s8", "u4", "b1"}) {
        for (const char* layout : {"row", "col"}) {
          const std::string rest = fmt::format(".sync.aligned.{}.{}@.{}", layout, shape, type);
          std::string plain = fmt::format("wmma.load.{}{}", operand, rest);
          plain.erase(plain.find('@'), 1);
          ptx::SpellingFault fault;
          const auto spelling = ptx::decode_spelling(plain, fault);
          if (!spelling) continue;
          auto plan = plan_transfer(*spelling, 80);
          if (plan) forms.push_back({operand, rest, *plan});
        }
      }
    }
  }
  return forms;
}

std::string in_space(std::string text, const std::string& space) {
  return text.replace(text.find('@'), 1, space);
}

/// Three turns, each with other lines and another stride; what was loaded is stored behind it where
/// there is a store of its form.
std::string turns_of(const Form& form, const std::string& space, bool in_tile) {
  const bool wide = form.plan.map.element_bits == 64;
  std::string list;
  for (int i = 0; i < form.plan.map.registers(); ++i)
    list += fmt::format("{}{}{}", i == 0 ? "" : ", ", wide ? "%rd1" : "%q", i);
  const bool named = space == ".shared";
  const std::string at = named ? "%r3" : "%rd3";
  std::string text = fmt::format(
      ".shared .align 32 .b8 tile[{}];\n.reg .b32 %q<40>; .reg .b64 %rd1<40>;\n"
      "ld.param.u64 %rd3, [p0]; ld.param.u64 %rd4, [p1]; cvt.u32.u64 %r4, %rd4;\n"
      "ld.param.u64 %rd5, [p2]; cvt.u32.u64 %r5, %rd5; mov.u32 %r6, 0;\n",
      kTileBytes);
  if (in_tile) {
    text += "mov.u32 %r3, tile; cvt.u64.u32 %rd6, %r3;\n";
    text += "and.b64 %rd7, %rd3, 0xfff; cvt.u32.u64 %r7, %rd7; add.u32 %r3, %r3, %r7;\n";
    text += "cvta.shared.u64 %rd6, %rd6; add.s64 %rd3, %rd6, %rd7;\n";
  }
  text += "LOOP:\n";
  text += fmt::format("wmma.load.{}{} {{{}}}, [{}], %r4;\n", form.operand,
                      in_space(form.rest, space), list, at);
  if (form.operand == "c")
    text += fmt::format("wmma.store.d{} [{}+{}], {{{}}}, %r4;\n", in_space(form.rest, space), at,
                        32, list);
  return text + R"(
  add.u32 %r4, %r4, %r5;
  add.u32 %r3, %r3, 64; add.s64 %rd3, %rd3, 64;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p1, %r6, 3;
  @%p1 bra LOOP;
  ret;)";
}

Comparison run_turns(const Form& form, const std::string& space, bool in_tile, uint64_t offset,
                     uint64_t stride, uint64_t more, uint32_t threads = 64) {
  TestMachine machine(kernel_text(
      ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;\n" + turns_of(form, space, in_tile),
      3));
  EXPECT_TRUE(machine.is_loaded()) << turns_of(form, space, in_tile);
  const uint64_t buffer = machine.put(std::vector<uint8_t>(kTileBytes, 3), "matrix");
  return compare_engines(
      machine.image(),
      {.kernel = "k",
       .grid = {2, 1, 1},
       .block = {threads, 1, 1},
       .params = TestMachine::pack((in_tile ? uint64_t{0} : buffer) + offset, stride, more)},
      {}, 2);
}

TEST_F(Transfer, IsTheInterpretersAtAnyStride) {
  const std::vector<Form> forms = all_forms();
  EXPECT_GT(forms.size(), 40u);
  testing::check_law(
      [&](Rng& rng) {
        const Form& form = rng.pick(forms);
        const bool in_tile = rng.coin();
        const std::string space = rng.coin() ? "" : in_tile ? ".shared" : ".global";
        const auto element = static_cast<uint64_t>(std::max(8, form.plan.map.element_bits)) / 8;
        const uint64_t offset = element * static_cast<uint64_t>(rng.between(0, 16));
        const auto stride = static_cast<uint64_t>(form.plan.leading + rng.between(0, 24));
        const auto more = static_cast<uint64_t>(rng.between(0, 2) * rng.between(0, 8));
        const Comparison run = run_turns(form, space, in_tile, offset, stride, more);
        EXPECT_TRUE(run.compiled);
        EXPECT_EQ(run.error, "") << form.operand << form.rest;
        EXPECT_EQ(run.difference.substr(0, 2000), "") << form.operand << form.rest << space;
      },
      24);
}

const Form& form_of(const std::vector<Form>& forms, const std::string& operand,
                    const std::string& rest) {
  for (const Form& form : forms)
    if (form.operand == operand && form.rest == rest) return form;
  ADD_FAILURE() << "no such form: " << rest;
  return forms[0];
}

TEST_F(Transfer, OfLinesBehindTheEndIsOutOfBounds) {
  const std::vector<Form> forms = all_forms();
  const Form& form = form_of(forms, "a", ".sync.aligned.row.m16n16k16@.f16");
  for (const bool in_tile : {false, true}) {
    const Comparison run = run_turns(form, "", in_tile, 0, 16, 300);
    EXPECT_NE(run.error.find("out-of-bounds"), std::string::npos) << run.error;
    EXPECT_EQ(run.difference, "");
  }
}

TEST_F(Transfer, OfAHugeStrideIsOutOfBounds) {
  const std::vector<Form> forms = all_forms();
  const Form& form = form_of(forms, "c", ".sync.aligned.col.m16n16k16@.f32");
  const Comparison run = run_turns(form, ".global", false, 0, 0xffffffff, 0);
  EXPECT_NE(run.error.find("out-of-bounds"), std::string::npos) << run.error;
  EXPECT_EQ(run.difference, "");
}

TEST_F(Transfer, OfAMisalignedMatrixSaysSo) {
  const std::vector<Form> forms = all_forms();
  const Form& form = form_of(forms, "c", ".sync.aligned.row.m16n16k16@.f32");
  const Comparison run = run_turns(form, ".global", false, 2, 16, 0);
  EXPECT_NE(run.error.find("misaligned"), std::string::npos) << run.error;
  EXPECT_EQ(run.difference, "");
}

TEST_F(Transfer, NeedsAWholeWarp) {
  const std::vector<Form> forms = all_forms();
  const Form& form = form_of(forms, "a", ".sync.aligned.row.m16n16k16@.f16");
  const Comparison run = run_turns(form, ".global", false, 0, 16, 0, 48);
  EXPECT_NE(run.error.find("needs all 32 lanes"), std::string::npos) << run.error;
  EXPECT_EQ(run.difference, "");
}

}  // namespace
}  // namespace warpledger::exec
