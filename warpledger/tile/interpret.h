// What a program means: it is run on real numbers, block by block and statement by statement, as
// slowly and plainly as possible. While it runs it counts every byte that crosses an edge, element
// by element; those counts are the «measured» column beside a ledger's formulas.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "warpledger/tile/check.h"

namespace warpledger::tile {

/// Elements in row-major order.
using Values = std::vector<double>;
using Tensors = std::map<std::string, Values, std::less<>>;

struct Run {
  Tensors tensors;  // outputs and scratch as the program left them; a summed output as its sum
  std::map<std::pair<Space, Space>, int64_t> bytes;    // over the whole grid, by (from, to)
  std::map<std::string, int64_t, std::less<>> loaded;  // bytes read from each tensor
  std::map<std::string, int64_t, std::less<>> stored;  // bytes written to each tensor

  [[nodiscard]] int64_t global_bytes() const;
};

struct RunInput {
  Sizes sizes;  // every size of the program
  Tensors tensors;
  std::map<std::string, double, std::less<>> scalars;
};

/// Fails when a size or an input is missing, when a size breaks an assumption, and when a slice
/// leaves its tensor.
[[nodiscard]] Result<Run> interpret(const CheckedProgram& program, const RunInput& input);

/// Inputs and scalars in [-1, 1] from a seed, the same on every machine.
[[nodiscard]] Result<RunInput> random_input(const Program& program, const Sizes& sizes,
                                            uint64_t seed);

/// The largest |a - b| / max(1, |a|, |b|) over all outputs of two runs.
[[nodiscard]] double difference(const Program& program, const Run& a, const Run& b);

}  // namespace warpledger::tile
