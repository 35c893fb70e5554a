// A flow chart: boxes on a grid and arrows both ways between neighboring columns, colored by how
// busy they are, as ncu draws its memory chart. Words stand on every arrow, so that a gray print is
// still readable. On a narrow page the same chart runs from top to bottom.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpledger/base/drawing.h"

namespace warpledger {

struct FlowBox {
  std::string title;
  std::vector<std::string> lines = {};
  std::optional<double> busy = {};  // 0..1; nothing: not known or not a unit
  size_t column = 0, row = 0, rows = 1;
};

/// What flows one way. An empty text: no arrow.
struct Flow {
  std::string text;
  std::string unit = {};    // of the text: "inst"; on a line of its own where there is no room
  std::string note = {};    // "12.3 %"
  std::string detail = {};  // "524 k requests"; left out where there is no room
  std::optional<double> busy = {};
};

/// Between boxes of neighboring columns; `left` stands in the smaller column.
struct FlowLink {
  size_t left = 0, right = 0;
  Flow onward, back;  // from left to right, and from right to left
};

struct FlowChart {
  std::vector<FlowBox> boxes;
  std::vector<FlowLink> links;
  std::string scale = {};  // what the colors mean: "share of peak"
};

enum class Direction { kAcross, kDown };
[[nodiscard]] Drawing draw(const FlowChart& chart, Direction direction);

/// The color of something busy to this share, clamped to 0..1.
[[nodiscard]] Color color_of_share(double share);

}  // namespace warpledger
