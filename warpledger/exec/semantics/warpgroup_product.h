// A warp's part of a wgmma: 16 of the 64 rows that its warpgroup multiplies. Registers are given
// and taken as words, [register * 32 + lane].
//
// Products of 16-bit floats are made as those of mma.m16n8k16: the accumulators of eight columns,
// and A in registers, are that instruction's fragments; operands in shared memory are read into
// such. Equal to dense_product.h bit for bit, or not done that way.
#pragma once

#include <cstddef>

#include "warpledger/exec/numeric/tensor_core.h"
#include "warpledger/exec/semantics/matrix_descriptor.h"
#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {

inline constexpr uint32_t kWarpgroupRows = 16;  // of each of the four warps

/// An operand in shared memory: rows from `first` on are the warp's.
struct SharedSource {
  SharedOperand shape;
  std::span<const uint32_t> chunks;  // SharedOperand::chunks()
  uint32_t first = 0;
};

/// The type of an operand's elements as wgmma takes them: tf32 in 32 bits, b1 in one.
[[nodiscard]] TypeInfo warpgroup_type(ptx::Type type);

/// What an instruction says.
struct WarpgroupProduct {
  uint32_t n = 0, k = 0;
  TypeInfo d, a, b;
  bool a_in_registers = false;
  bool adds = true;  // to what D holds
  bool negates_a = false, negates_b = false;
  bool a_mn_major = false, b_mn_major = false;
  bool satfinite = false;

  /// Registers of D.
  [[nodiscard]] uint32_t results() const { return n / (d.bits == 16 ? 4 : 2); }
  [[nodiscard]] SharedOperand shape_of_a() const;
  [[nodiscard]] SharedOperand shape_of_b() const;

  struct Sources {
    std::span<const std::byte> shared;    // memory of the block
    const SharedSource* a = nullptr;      // null: in registers
    std::span<const uint32_t> registers;  // of A: four
    const SharedSource* b = nullptr;
  };
  /// `accumulators`: results() registers, read if it adds, and written. `arch`: 90.
  void operator()(const Sources& sources, int arch, std::span<uint32_t> accumulators) const;
};

}  // namespace warpledger::exec
