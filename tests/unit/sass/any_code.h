// Hand-made machine code for tests: PTX, and SASS instructions each with the PTX line it came from.
#pragma once

#include <gtest/gtest.h>

#include "warpledger/ptx/parser.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::sass {

struct Line {
  std::string sass;   // "@P0 LDS.128 R4, [R2]"
  uint32_t line = 0;  // of the PTX, counted from 1
  std::optional<uint64_t> target = {};
};

/// As if ptxas had made `lines` of the first function of `ptx`, named `name`.
inline Assembly any_code(const std::string& ptx, const std::string& name,
                         const std::vector<Line>& lines, bool is_entry = true) {
  Assembly assembly;
  auto module = ptx::parse("test.ptx", ptx);
  EXPECT_TRUE(module.ok()) << to_text(module.error());
  assembly.module = *std::move(module);
  Cubin& cubin = assembly.binary.cubin;
  cubin.has_ptx_lines = true;
  const ptx::Function* function = assembly.module.find(name);
  cubin.functions.push_back({.name = function->name,
                             .section = 1,
                             .bytes = 16 * lines.size(),
                             .is_entry = is_entry,
                             .registers = 8});
  for (const Line& line : lines) {
    Instruction instruction = read_instruction(line.sass);
    instruction.address = 16 * assembly.binary.code[1].size();
    instruction.target = line.target;
    cubin.ptx_lines[1].push_back({.address = instruction.address, .file = 1, .line = line.line});
    assembly.binary.code[1].push_back(std::move(instruction));
  }
  return assembly;
}

/// A kernel k(.param .b64 p) whose body starts at line 11, with an address in %d1, a shared tile
/// and registers of each kind.
inline std::string kernel_of(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .b64 p)\n{\n"
         ".reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .f32 %f<20>;\n"
         ".reg .b64 %d<20>;\n.shared .align 16 .b8 tile[1024];\n" +
         body + "ret;\n}\n";
}
inline constexpr uint32_t kBrace = 5, kBody = 11;

inline KernelWitness witness_of(const std::string& body, const std::vector<Line>& lines) {
  auto told = witness(any_code(kernel_of(body), "k", lines));
  EXPECT_TRUE(told.ok());
  return told->kernels.at(0);
}

}  // namespace warpledger::sass
