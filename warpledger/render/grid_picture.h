// A picture of which column touches which row: lanes against sectors, lanes against banks. Each row
// has a name on the left and a remark on the right.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/drawing.h"

namespace warpledger {

struct GridRow {
  std::string name;
  std::string remark = {};
  bool stands_out = false;  // its remark is what is wrong
};

/// `tone` chooses the color; cells of one tone belong together.
struct GridCell {
  size_t row = 0, column = 0;
  size_t tone = 0;
};

struct GridPicture {
  std::string columns_label, rows_label;
  size_t columns = 0;
  std::vector<GridRow> rows;
  std::vector<GridCell> cells;
};

/// `width` is that of the whole drawing.
[[nodiscard]] Drawing draw(const GridPicture& picture, double width);

}  // namespace warpledger
