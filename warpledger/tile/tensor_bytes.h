// What each tensor of a program has moved in and out of global memory: the rows of the ledger that
// touch global memory, added up by tensor. Formulas in the sizes, whether or not these have values.
#pragma once

#include "warpledger/tile/check.h"

namespace warpledger::tile {

struct TensorBytes {
  std::string tensor;
  Expression size;              // of the tensor, in bytes
  Expression read, written;     // by the whole grid of every kernel
  Expression readers, writers;  // blocks of the kernels that read or write it
};

/// In the order of declaration.
/// Post: the sum of read + written over all tensors == cost_of(program).global.
[[nodiscard]] std::vector<TensorBytes> tensor_bytes(const CheckedProgram& program);

}  // namespace warpledger::tile
