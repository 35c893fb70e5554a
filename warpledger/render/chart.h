// Line charts: series over two axes, linear or logarithmic, as a Drawing. Series differ by dash and
// by a label at their end as well as by color, so that a gray print is still readable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpledger/base/drawing.h"

namespace warpledger {

/// `step`: ticks at multiples of it (linear axes only); chosen when absent.
struct Axis {
  std::string label;  // with the unit: "bytes moved"
  bool logarithmic = false;
  double base = 10;  // of a logarithmic axis: where its ticks stand
  std::optional<double> low = {}, high = {}, step = {};
};

struct Series {
  std::string label;
  std::vector<Point> points;
  bool steps = false;  // holds each value until the next point
};

/// A mark at one point, with words beside it, if any.
struct Annotation {
  Point at;
  std::string words;
  Point shift = {};  // of the words from their usual place, in points; a thin line leads to them
};

struct Chart {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
  std::vector<Annotation> annotations = {};
  std::string footnote = {};
  double width = 640, height = 400;
};

/// Points with a coordinate <= 0 on a logarithmic axis are left out.
[[nodiscard]] Drawing draw(const Chart& chart);

}  // namespace warpledger
