// ldmatrix, stmatrix, movmatrix and tcgen05.ld/st: instructions that move a matrix between
// registers and shared or tensor memory. Their maps end in (row, col, matrix) or, for tensor
// memory, in (lane_row, column) of the warp's window.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/layout/linear_map.h"

namespace warpledger {

struct MatrixMove {
  std::string name;
  LinearMap map;  // (register, lane) -> (row, col[, matrix]); register counts elements
  int element_bits = 0;
  int first_arch = 0;
  std::string source;
};

/// "ldmatrix.x4", "ldmatrix.x4.trans", "stmatrix.x2", "movmatrix" (its source fragment),
/// "movmatrix.trans" (what it leaves), "tcgen05.ld.16x256b.x4", "tcgen05.st.32x32b.x8".
[[nodiscard]] Result<MatrixMove> find_matrix_move(std::string_view name);
[[nodiscard]] std::vector<std::string> matrix_move_names();

/// Where tcgen05.mma puts element (row, col) of D: (row m, col n) -> (lane 128, column). The
/// letters are those of PTX ISA 9.1, 9.7.16.10.5: A, D full lanes; B, E two column halves; C, F
/// half of the lanes; G four column quarters. `n` is a power of two.
[[nodiscard]] Result<LinearMap> accumulator_placement(char letter, int n);

}  // namespace warpledger
