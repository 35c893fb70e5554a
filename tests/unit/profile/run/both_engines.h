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
