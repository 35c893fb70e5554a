// How the machine moves a wmma fragment between memory and registers. PTX leaves it open; this is
// what ptxas 13 makes of wmma.load and wmma.store for sm_75, sm_80 and sm_90
// (tests/system/sass_toolkit reads it from the machine code):
//
//   16 bits      4 bytes a lane for 8 lines of 8 elements; where the two of a register do not lie
//                side by side, the block is moved turned and transposed in registers (MOVM)
//   A and B from .shared, 16 bits in any order, fewer where a register's lie side by side
//                ldmatrix: 16 bytes for each line of a block, 4 blocks a request (sm_75 and 8 bits:
//                2)
//   32, 64 bits  two registers at once where they lie side by side, else one
//   fewer bits   a register at once where its elements lie side by side, else each for itself
//
// A line is a row in memory, or a column of a column-major matrix.
#pragma once

#include "warpledger/exec/semantics/matrix.h"

namespace warpledger::exec {

struct FragmentMove {
  static constexpr uint32_t kNobody = UINT32_MAX;

  MatrixTransfer plan = {};
  uint8_t width = 4;     // bytes that a lane moves in one request
  bool by_rows = false;  // as ldmatrix: lane 8 m + r asks for line r of block m
  std::vector<PerLane<uint32_t>> requests = {};  // the element at which a lane's bytes begin
};

/// Fails as plan_transfer does.
[[nodiscard]] Result<FragmentMove> plan_move(const ptx::Spelling& spelling, int arch);

}  // namespace warpledger::exec
