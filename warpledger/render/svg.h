// A Drawing as SVG text: words stay words, numbers have at most two decimals.
#pragma once

#include <functional>
#include <string>

#include "warpledger/base/drawing.h"

namespace warpledger {

/// A file of its own.
[[nodiscard]] std::string to_svg(const Drawing& drawing);

/// How a drawing is written inside a page that has colors of its own: without ground or namespace,
/// each color by its name there.
struct SvgStyle {
  std::function<std::string(Color)> color;
  std::string attributes = {};  // of the svg element, each after a space
};
[[nodiscard]] std::string to_svg(const Drawing& drawing, const SvgStyle& style);

}  // namespace warpledger
