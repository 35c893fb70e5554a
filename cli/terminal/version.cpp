#include "cli/terminal/version.h"

#include <fmt/core.h>

#include "warpledger/exec/jit/runtime/compiler.h"
#include "warpledger/toolchain/toolchain.h"

#ifndef WL_LLVM_VERSION
#define WL_LLVM_VERSION "none"
#endif

namespace warpledger::cli {
namespace {

std::string found(const char* tool) {
  const Result<std::string> path = toolchain::find_tool(tool);
  return path ? *path : "not found";
}

std::string jit() {
  const auto compiler = exec::jit::load_compiler();
  return compiler ? exec::jit::find_plugin() : compiler.error().message;
}

}  // namespace

std::string provenance() {
  std::string text;
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("  {:<18} {}\n", what, value);
  };
  line("revision", revision());
  line("compiler", __VERSION__);
  line("LLVM of the JIT", WL_LLVM_VERSION);
  line("JIT", jit());
  line("code of the JIT", std::string(exec::jit::code_version()).substr(0, 16));
  for (const char* tool : {"nvcc", "ptxas", "nvdisasm"}) line(tool, found(tool));
  return text;
}

}  // namespace warpledger::cli
