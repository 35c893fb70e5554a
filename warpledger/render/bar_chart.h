// Groups of bars over a logarithmic axis: several amounts for each of several things. Every bar has
// its number above it.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/drawing.h"

namespace warpledger {

struct BarGroup {
  std::string name;
  std::vector<double> values;  // beside BarChart::series; 0: no bar
};

struct BarChart {
  std::string title, value_label;
  std::vector<std::string> series;
  std::vector<BarGroup> groups;
  double width = 900, height = 380;
};

[[nodiscard]] Drawing draw(const BarChart& chart);

}  // namespace warpledger
