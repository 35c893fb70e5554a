// sweep: any grid of parameters x GPUs of one kernel, from a TOML file:
//
//   file = "transpose.cu"                       # .cu or .ptx, beside the TOML file
//   kernel = "transpose_{variant}"              # {…} is replaced, here and below
//   gpus = ["a100", "rtx3090"]
//   grid = ["{n/32}", "{n/32}"]
//   block = ["32", "32"]
//   arguments = ["in=f32[{n*n}]", "out=f32[{n*n}]", "i32:{n}"]
//   metrics = ["dram__bytes_read.sum"]          # ncu's names; a standard choice when absent
//   registers = 32                              # instead of ptxas's; may be absent
//   [parameters]
//   n = [256, 512]                              # every combination is run
//   variant = ["square_conflict", "square_padded"]
//
// {expression} is an exact formula over the whole-number parameters and must come out whole;
// {name} of a parameter of words is that word.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "warpledger/base/source.h"
#include "warpledger/base/table.h"
#include "warpledger/sweep/profiled.h"

namespace warpledger::study {

using Setting = std::variant<int64_t, std::string>;
using Settings = std::map<std::string, Setting>;

struct Sweep {
  std::string file, kernel;
  std::vector<std::string> gpus, grid, block, arguments, metrics;
  std::optional<int64_t> registers = {};
  std::vector<std::pair<std::string, std::vector<Setting>>> parameters;  // by name
};

[[nodiscard]] Result<Sweep> parse_sweep(const Source& source);

/// Every combination, the last parameter running fastest.
[[nodiscard]] std::vector<Settings> combinations(const Sweep& sweep);

/// The text with its {…} replaced.
[[nodiscard]] Result<std::string> fill_in(const std::string& text, const Settings& settings);

[[nodiscard]] Result<KernelCase> case_of(const Sweep& sweep, const Settings& settings);

/// How the command reads a kernel's file for an architecture ("sm_80"); nvcc is not this room's.
using LoadPtx = std::function<Result<std::string>(const std::string& architecture)>;

/// One row for each combination and GPU.
[[nodiscard]] Result<Table> run_sweep(const Sweep& sweep, const LoadPtx& load,
                                      const RunOptions& options);

}  // namespace warpledger::study
