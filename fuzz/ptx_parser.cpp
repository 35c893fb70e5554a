// Any bytes: either a Diagnostic, or a module whose printed text parses again to the same text and
// whose control flow can be asked for.
#include "warpledger/base/check.h"
#include "warpledger/ptx/cfg.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/ptx/printer.h"
#include "warpledger/ptx/summary.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const auto module =
      ptx::parse("fuzz.ptx", std::string(reinterpret_cast<const char*>(data), size));
  if (!module) {
    WL_CHECK(!to_text(module.error()).empty());
    return 0;
  }
  const std::string printed = ptx::print(*module);
  const auto again = ptx::parse("printed.ptx", printed);
  WL_CHECK(again.ok());
  WL_CHECK(ptx::print(*again) == printed);
  WL_CHECK(ptx::summarize(*module).size() == 2);
  for (const ptx::Function& function : module->functions) {
    const ptx::Cfg cfg = ptx::build_cfg(*module, function);
    WL_CHECK(ptx::reconvergence_points(cfg, function).size() == cfg.blocks.size());
    WL_CHECK(ptx::immediate_post_dominators(cfg, ptx::EarlyExits::kIgnore).size() ==
             cfg.blocks.size());
  }
  return 0;
}
