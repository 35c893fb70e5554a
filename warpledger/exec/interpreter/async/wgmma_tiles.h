// A warp's part of a wgmma of 16-bit floats as products of mma.m16n8k16: the accumulators of eight
// columns, and A in registers, are that instruction's fragments; operands in shared memory are read
// into such. Equal to semantics/dense_product.h bit for bit, or not done at all.
#pragma once

#include "warpledger/exec/interpreter/async/matrix_descriptor.h"
#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/numeric/tensor_core.h"

namespace warpledger::exec::reference {

/// An operand in shared memory: rows from `first` on are the warp's.
struct SharedSource {
  SharedOperand shape;
  std::span<const uint32_t> chunks;  // SharedOperand::chunks()
  uint32_t first = 0;
};

struct WgmmaTiles {
  uint32_t n = 0;
  bool bf16 = false;
  bool adds = true;  // to what D holds
  numeric::TensorCore core;
  const SharedSource* a = nullptr;  // null: in the registers of the step's second operand
  const SharedSource* b = nullptr;
};

/// False, and nothing written: the host has no such vectors, or they do not take a value.
/// Pre: K is 16, D is f32, nothing is negated.
[[nodiscard]] bool multiply_tiles(const Context& context, const Step& step,
                                  const WgmmaTiles& tiles);

}  // namespace warpledger::exec::reference
