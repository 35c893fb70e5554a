// A plan against a kernel: what a tile program moves of each tensor beside what a profile or a
// report says of the kernel's array. A tile program knows no caches; the kernel's bytes are told at
// three places (traffic.h), so that one sees where they part:
//
//   plan: global -> shared or registers     kernel: what threads ask for
//                                                   what goes between L2 and L1
//                                                   what goes between DRAM and L2
//
// A sentence about a cause is written only where the numbers leave no other: an array that is read
// from DRAM in more bytes than it has was evicted from the L2 in between (caches start empty).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "warpledger/base/table.h"
#include "warpledger/compare/traffic.h"
#include "warpledger/tile/check.h"

namespace warpledger::match {

/// Names of the plan -> names of the kernel.
using NameMap = std::map<std::string, std::string>;

/// "K=keys": one pair. Fails with "bad-map".
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_pair(const std::string& text);

struct PlanTensor {
  std::string name;
  int64_t bytes = 0;  // its size
  int64_t read = 0, written = 0;
  // How often it is moved as a whole: "N/Br = 32 times (once per block)".
  std::string read_times = {}, written_times = {};
};

struct Plan {
  std::string title;
  std::vector<PlanTensor> tensors = {};
  Figure shared_read = {}, shared_written = {};  // smem -> reg and the units; anything -> smem
};

/// Fails with "missing-size" when a size of the program has no value.
[[nodiscard]] Result<Plan> plan_of(const tile::CheckedProgram& program);

struct PlanComparison {
  std::vector<std::string> sentences = {};  // one for each tensor and direction, then the caches
  std::vector<Table> tables = {};           // arrays, edges
};

/// Tensors and arrays are matched by `names`, else by equal names, else by names that differ in
/// upper and lower case alone. What has no partner stands in the table alone.
/// Fails with "bad-map" when a name of `names` is unknown.
[[nodiscard]] Result<PlanComparison> compare_plan(const Plan& plan, const KernelTraffic& kernel,
                                                  const NameMap& names);

}  // namespace warpledger::match
