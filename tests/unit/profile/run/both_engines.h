// One launch of a PTX text on an A100, as PTX and as machine code: the second is the first's
// oracle.
#pragma once

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/run/run.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::profile::testing {

inline bool has_tools() {
  return !toolchain::find_tools("ptxas").empty() && toolchain::find_tool("nvdisasm").ok();
}

/// PTX of a kernel of two arrays of 4-byte words, x and y: %rd3 and %rd4 point to the thread's own
/// word of each, %r0 is threadIdx.x. `directives` stand before the body.
inline std::string kernel_of_x_and_y(const std::string& name, const std::string& body,
                                     const std::string& directives = "") {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " + name +
         "(.param .u64 x, .param .u64 y)\n" + directives + R"(
{
  .reg .pred %p<4>;
  .reg .f32 %f<48>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd0, [x];
  ld.param.u64 %rd1, [y];
  mov.u32 %r0, %tid.x;
  mov.u32 %r13, %ctaid.x;
  mov.u32 %r14, %ntid.x;
  mad.lo.u32 %r15, %r13, %r14, %r0;
  mul.wide.u32 %rd2, %r15, 4;
  add.s64 %rd3, %rd0, %rd2;
  add.s64 %rd4, %rd1, %rd2;
)" + body +
         "  ret;\n}\n";
}

inline std::vector<exec::Argument> arguments_of(const std::vector<std::string>& texts) {
  std::vector<exec::Argument> arguments;
  for (const std::string& text : texts)
    arguments.push_back(*exec::parse_argument(text, static_cast<int>(arguments.size()) + 1));
  return arguments;
}

/// Pre: the text is PTX that holds `kernel`.
inline Profile run_with(exec::EngineChoice engine, const std::string& text,
                        const std::string& kernel, exec::Extent grid, exec::Extent block,
                        const std::vector<std::string>& arguments) {
  const auto module = ptx::parse(kernel + ".ptx", text);
  EXPECT_TRUE(module.ok());
  Request request{.module = *module, .file = kernel + ".ptx", .kernel = kernel};
  request.gpu = gpu_named("a100-40");
  request.gpu_request = "a100-40";
  request.grid = grid;
  request.block = block;
  request.arguments = arguments_of(arguments);
  request.engine.engine = engine;
  auto profile = run(request);
  EXPECT_TRUE(profile.ok()) << to_text(profile.error());
  return *std::move(profile);
}

}  // namespace warpledger::profile::testing
