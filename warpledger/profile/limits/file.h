// Budgets as people write them, a TOML file; docs/check.md is its manual.
//
//   schema = 1
//   [[budget]]
//   name = "tiled matmul"
//   file = "matmul.cu"            # or report = "app.wlrep"
//   kernel = "matmul_tiled"       # as -k of `profile`; a regex: may match several
//   gpu = ["a100", "rtx3090"]
//   grid = [4, 4]
//   block = [16, 16]
//   args = ["A=f32[64x64]", "B=f32[64x64]", "C=f32[64x64]", "i32:64", "i32:64", "i32:64"]
//   options = ["--regs", "38"]    # further options of `profile`
//   limits = ["shared.bank_conflicts = 0", "dram.bytes <= 1.02 * ideal"]
#pragma once

#include "warpledger/profile/limits/limit.h"

namespace warpledger::profile::budget {

struct PlacedLimit {
  Limit limit;
  Location at;  // in the file
};

struct Budget {
  std::string name = {};
  std::string file = {};    // of the kernel, as written; or
  std::string report = {};  // what `profile -o` wrote
  std::string kernel = {};
  std::vector<std::string> gpus = {};
  std::vector<int64_t> grid = {}, block = {};
  int64_t shared_bytes = 0;
  std::vector<std::string> arguments = {};
  std::vector<std::string> options = {};
  std::vector<PlacedLimit> limits = {};
  Location at = {};
};

/// Every fault of the file at once: the first, the others attached.
[[nodiscard]] Result<std::vector<Budget>> parse_budgets(const Source& source);

}  // namespace warpledger::profile::budget
