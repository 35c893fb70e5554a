#include "warpledger/layout/derive/tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace warpledger::derive {

std::string kernel_name(const FragmentKey& key) {
  return fmt::format("{}_{}_{}_{}", static_cast<char>(std::tolower(to_letter(key.operand))),
                     to_text(key.shape), key.column_major ? "col" : "row", to_text(key.element));
}

int tracer_stride(const FragmentKey& key) { return key.element == Element::kB1 ? 128 : 64; }

int load_registers(const FragmentKey& key) {
  const auto [m, n, k] = key.shape;
  const int cells = key.operand == Operand::kA ? m * k : key.operand == Operand::kB ? k * n : m * n;
  if (key.element == Element::kF64) return cells / 32;
  // Half operands fill 8 registers whatever their shape.
  if (key.element == Element::kF16 && key.operand != Operand::kC) return 8;
  return std::max(1, cells * bits_of(key.element) / 32 / 32);
}

namespace {

std::string kernel(const FragmentKey& key) {
  const int count = load_registers(key);
  const bool wide = key.element == Element::kF64;
  const bool is_float = key.operand == Operand::kC && key.element == Element::kF32;
  const std::string type = wide ? ".f64" : is_float ? ".f32" : ".b32";
  const int bytes = wide ? 8 : 4;
  std::vector<std::string> registers;
  for (int r = 0; r < count; ++r) registers.push_back(fmt::format("%v{}", r));
  std::string text = fmt::format(
      ".visible .entry {}(.param .u64 matrix, .param .u64 dump)\n{{\n"
      "  .reg .b64 %m, %d, %o;\n  .reg .b32 %l, %s;\n  .reg {} %v<{}>;\n"
      "  ld.param.u64 %m, [matrix];\n  ld.param.u64 %d, [dump];\n"
      "  cvta.to.global.u64 %m, %m;\n  cvta.to.global.u64 %d, %d;\n"
      "  mov.u32 %l, %laneid;\n  mul.lo.u32 %l, %l, {};\n  cvt.u64.u32 %o, %l;\n"
      "  add.u64 %d, %d, %o;\n  mov.u32 %s, {};\n",
      kernel_name(key), type, count, count * bytes, tracer_stride(key));
  text += fmt::format("  wmma.load.{}.sync.aligned.{}.{}.global.{} {{{}}}, [%m], %s;\n",
                      static_cast<char>(std::tolower(to_letter(key.operand))),
                      key.column_major ? "col" : "row", to_text(key.shape), to_text(key.element),
                      fmt::join(registers, ", "));
  for (int r = 0; r < count; ++r) {
    text += fmt::format("  st.global{} [%d+{}], %v{};\n", wide ? ".f64" : ".b32", r * bytes, r);
  }
  return text + "  ret;\n}\n";
}

}  // namespace

std::string tracer_ptx(const std::vector<FragmentKey>& keys) {
  WL_CHECK(!keys.empty());
  const int arch = keys[0].arch;
  // The oldest version that knows the target and its wmma forms; ptxas of CUDA 12.9 reads 8.x.
  const char* version = arch < 80 ? "6.5" : arch < 90 ? "7.8" : arch < 100 ? "8.0" : "8.8";
  std::string text = fmt::format(".version {}\n.target sm_{}\n.address_size 64\n\n", version, arch);
  for (const FragmentKey& key : keys) text += kernel(key) + "\n";
  return text;
}

}  // namespace warpledger::derive
