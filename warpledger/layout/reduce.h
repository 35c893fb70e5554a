// Reductions of a fragment over its rows or columns, synthesised from the bases: input vectors that
// leave the kept coordinate unchanged are combined, within a thread where they touch registers
// alone, by shfl_xor where they touch lanes. Replicated bits are never combined twice.
#pragma once

#include <string>
#include <vector>

#include "warpledger/layout/catalog/fragment.h"
#include "warpledger/layout/convert/program.h"

namespace warpledger {

enum class ReduceOver { kCol, kRow };  // kCol: one value per row remains

struct Reduction {
  convert::Program program;
  std::vector<int> lane_masks;   // the shfl_xor masks, in order
  std::vector<int> output_rows;  // the kept coordinate of each output in lane 0
  LinearMap kept;                // (register, lane) -> the kept coordinate
  int in_thread = 0;             // combines before the first shuffle
};

/// Fails when the reduction crosses warps: that needs shared memory.
[[nodiscard]] Result<Reduction> synthesise_reduction(const Fragment& fragment, ReduceOver over);

}  // namespace warpledger
