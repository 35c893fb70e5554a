// Pictures of a fragment in words, tables and drawings: who holds which element.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/drawing.h"
#include "warpledger/base/table.h"
#include "warpledger/layout/catalog/fragment.h"

namespace warpledger {

struct Holder {
  int warp = 0;
  int lane = 0;
  int element = 0;
};

/// Every thread and element that holds (row, col), lanes ascending. Fails outside the matrix.
[[nodiscard]] Result<std::vector<Holder>> holders_of(const Fragment& fragment, int row, int col);
[[nodiscard]] Table holder_table(const Fragment& fragment, const std::vector<Holder>& holders);

/// The lane of every element, one row of the matrix a line, blocks of 8 x 8 ruled off. At most
/// `columns` columns; a last line counts those left out.
[[nodiscard]] std::string ownership_text(const Fragment& fragment, int columns = 32);
/// The same as a table with columns C00, C01, ...
[[nodiscard]] Table ownership_table(const Fragment& fragment);
[[nodiscard]] Drawing ownership_drawing(const Fragment& fragment);

/// What one lane holds: element, register and half, row, column.
[[nodiscard]] Table lane_table(const Fragment& fragment, int lane);
/// Its registers before and after grouping by row: the grouping is a choice of names.
[[nodiscard]] std::string lane_text(const Fragment& fragment, int lane);

}  // namespace warpledger
