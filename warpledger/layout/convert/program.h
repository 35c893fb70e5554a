// A Program is what a warp does to turn one register layout into another, or to reduce it: a list
// of operations on 32-bit variables of every lane. One value is printed as CUDA (emit.h) and run
// lane by lane with tokens (emulate()), so that what is printed is what was checked.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "warpledger/layout/linear_map.h"

namespace warpledger::convert {

using Variable = int;

/// to = the same variable of lane ^ mask.
struct ShuffleXor {
  Variable to, from;
  int mask;
};
/// to = `from` of lane source(lane) ^ flip; `source` maps (lane 32) to (lane 32).
struct Shuffle {
  Variable to, from;
  LinearMap source;
  int flip;
};
/// to = an odd number of the lane's bits in `mask` is set ? if_odd : if_even.
struct Select {
  Variable to, if_odd, if_even;
  int mask;
};
/// The 8 x 8 halves of one register of the warp, transposed (movmatrix, sm_75 on).
struct Transpose {
  Variable to, from;
};
/// Bytes of (low, high) by selector, as PTX prmt.
struct PickBytes {
  Variable to, low, high;
  int selector;
};
/// Consecutive variables to or from shared memory at byte address(lane) ^ flip; the address map
/// goes from (lane 32) to (offset). Less than 4 bytes are the low bytes of one variable.
struct StoreShared {
  std::vector<Variable> from;
  LinearMap address;
  uint64_t flip;
  int bytes = 4;
};
struct LoadShared {
  std::vector<Variable> to;
  LinearMap address;
  uint64_t flip;
  int bytes = 4;
};
/// stmatrix and ldmatrix of one, two or four 8 x 8 matrices of halves: lane 8m + r names the 16
/// bytes of row r of matrix m.
struct StoreMatrix {
  std::vector<Variable> from;
  LinearMap address;
  uint64_t flip;
  bool transposed;
};
struct LoadMatrix {
  std::vector<Variable> to;
  LinearMap address;
  uint64_t flip;
  bool transposed;
};
struct WarpBarrier {};
/// to = a (+) b for the program's reduction operator.
struct Combine {
  Variable to, a, b;
};

using Operation = std::variant<ShuffleXor, Shuffle, Select, Transpose, PickBytes, StoreShared,
                               LoadShared, StoreMatrix, LoadMatrix, WarpBarrier, Combine>;

/// Variables 0 .. inputs-1 hold the input; `outputs` names the variables that hold the result.
struct Program {
  int inputs = 0;
  int variables = 0;
  std::vector<Operation> operations = {};
  std::vector<Variable> outputs = {};
  int64_t shared_bytes = 0;

  Variable fresh() { return variables++; }
};

/// The same program without operations whose result nothing reads.
[[nodiscard]] Program without_dead_operations(Program program);

/// What a warp issues, and the wavefronts of its shuffles and shared accesses. A shuffle uses the
/// shared-memory crossbar and is counted as one wavefront; movmatrix likewise.
struct Price {
  int instructions = 0;
  int shuffles = 0;
  int wavefronts = 0;
  int64_t shared_bytes = 0;
  int barriers = 0;
};
[[nodiscard]] Price price_of(const Program& program);

/// Runs the program on 32 lanes of tokens: input[lane][variable] in, [lane][output] out. The bytes
/// of a 32-bit variable are four tokens; Combine makes a token that stands for the set of its
/// inputs.
using Tokens = std::vector<std::vector<std::vector<int64_t>>>;  // [lane][variable][byte]
[[nodiscard]] Tokens emulate(const Program& program, const Tokens& input);

/// The same with numbers and an operator, for reductions.
using Values = std::vector<std::vector<double>>;  // [lane][variable]
[[nodiscard]] Values emulate_reduction(const Program& program, const Values& input,
                                       double (*combine)(double, double));

}  // namespace warpledger::convert
