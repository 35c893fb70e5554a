// What ptxas makes of wmma.load and wmma.store, form by form, against
// exec/semantics/fragment_move.h.
#include "warpledger/exec/semantics/fragment_move.h"

#include <fmt/core.h>

#include "tests/system/sass_toolkit/launch.h"
#include "warpledger/sass/assemble.h"

namespace warpledger::sass {
namespace {

struct Form {
  std::string opcode;  // "wmma.load.a.sync.aligned.row.m16n16k16.global.f16"
  exec::FragmentMove move;
  [[nodiscard]] bool loads() const { return opcode.starts_with("wmma.load"); }
  [[nodiscard]] int registers() const { return move.plan.map.registers(); }
  [[nodiscard]] bool is_wide() const { return move.plan.map.element_bits == 64; }
};

bool is_of_ampere(std::string_view type) {
  return type == "bf16" || type == "tf32" || type == "f64";
}

std::vector<Form> forms_of(int arch) {
  std::vector<Form> forms;
  for (const char* does : {"load.a", "load.b", "load.c", "store.d"}) {
    for (const char* layout : {"row", "col"}) {
      for (const char* shape : {"m16n16k16", "m8n32k16", "m32n8k16", "m16n16k8", "m8n8k4"}) {
        for (const char* space : {"global", "shared"}) {
          for (const char* type : {"f16", "bf16", "tf32", "f32", "s32", "s8", "u8", "f64"}) {
            const std::string opcode =
                fmt::format("wmma.{}.sync.aligned.{}.{}.{}.{}", does, layout, shape, space, type);
            ptx::SpellingFault fault;
            const auto spelling = ptx::decode_spelling(opcode, fault);
            if (!spelling || (arch < 80 && is_of_ampere(type))) continue;
            auto move = exec::plan_move(*spelling, arch);
            if (move) forms.push_back({opcode, *std::move(move)});
          }
        }
      }
    }
  }
  return forms;
}

/// The fragment passes between the matrix and words of global memory of the other direction.
std::string kernel_of(const Form& form, size_t number) {
  const char* bits = form.is_wide() ? "b64" : "b32";
  const int bytes = form.is_wide() ? 8 : 4;
  std::string list, words;
  for (int i = 0; i < form.registers(); ++i) {
    list += fmt::format("{}%f{}", i == 0 ? "" : ", ", i);
    words += form.loads() ? fmt::format("st.global.{} [%w+{}], %f{};\n", bits, bytes * 64 * i, i)
                          : fmt::format("ld.global.{} %f{}, [%w+{}];\n", bits, i, bytes * 64 * i);
  }
  const char* at = form.opcode.find(".shared") == std::string::npos ? "%m" : "tile";
  const std::string moved = form.loads()
                                ? fmt::format("{} {{{}}}, [{}], %s;\n", form.opcode, list, at)
                                : fmt::format("{} [{}], {{{}}}, %s;\n", form.opcode, at, list);
  return fmt::format(
      ".visible .entry k{}(.param .b64 m, .param .b64 w, .param .b32 s) {{\n"
      ".shared .align 32 .b8 tile[8192];\n"
      ".reg .b64 %m, %w, %o; .reg .b32 %s, %t; .reg .{} %f<{}>;\n"
      "ld.param.b64 %m, [m]; ld.param.b64 %w, [w]; ld.param.b32 %s, [s];\n"
      "mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, {}; add.u64 %w, %w, %o;\n{}ret; }}\n",
      number, bits, form.registers() + 1, bytes, form.loads() ? moved + words : words + moved);
}

int width_of(const Instruction& instruction) {
  if (instruction.base() == "LDSM" || instruction.has("128")) return 16;
  if (instruction.has("64")) return 8;
  if (instruction.has("U8")) return 1;
  return instruction.has("U16") ? 2 : 4;
}

/// "4 x 4 bytes": the machine's requests of the form's own direction and space.
std::string requests_of(const std::vector<Instruction>& code, const Form& form) {
  const bool shared = form.opcode.find(".shared") != std::string::npos;
  std::map<int, int> widths;
  for (const Instruction& instruction : code) {
    const std::string base = instruction.base();
    const bool fits = form.loads() ? (shared ? base == "LDS" || base == "LDSM" : base == "LDG")
                                   : base == (shared ? "STS" : "STG");
    if (fits) ++widths[width_of(instruction)];
  }
  std::string text;
  for (const auto& [width, count] : widths) text += fmt::format("{} x {} bytes ", count, width);
  return text;
}

class FragmentMoves : public ::testing::TestWithParam<int> {};

TEST_P(FragmentMoves, AreThoseOfTheMachineCode) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const std::vector<Form> forms = forms_of(GetParam());
  ASSERT_GT(forms.size(), 40U);
  const std::string target = fmt::format("sm_{}", GetParam());
  std::string text = fmt::format(".version 8.0\n.target {}\n.address_size 64\n", target);
  for (size_t i = 0; i < forms.size(); ++i) text += kernel_of(forms[i], i);
  const auto module = ptx::parse("forms.ptx", text);
  ASSERT_TRUE(module.ok()) << to_text(module.error());
  const auto assembly = assemble(*module, target);
  ASSERT_TRUE(assembly.ok()) << to_text(assembly.error());
  const Binary& binary = (*assembly)->binary;
  for (size_t i = 0; i < forms.size(); ++i) {
    const CubinFunction* symbol = binary.cubin.find(fmt::format("k{}", i));
    ASSERT_NE(symbol, nullptr);
    EXPECT_EQ(requests_of(binary.code.at(symbol->section), forms[i]),
              fmt::format("{} x {} bytes ", forms[i].move.requests.size(), forms[i].move.width))
        << forms[i].opcode;
  }
}

INSTANTIATE_TEST_SUITE_P(Archs, FragmentMoves, ::testing::Values(75, 80, 90),
                         [](const auto& arch) { return fmt::format("sm_{}", arch.param); });

}  // namespace
}  // namespace warpledger::sass
