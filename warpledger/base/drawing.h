// A Drawing is a plain value: shapes on a page, in points, y downwards, in painting order. Any
// folder can answer with one; render/ turns it into SVG, PNG or PDF.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace warpledger {

struct Point {
  double x = 0;
  double y = 0;
};

/// sRGB, each 0..255.
struct Color {
  int red = 0;
  int green = 0;
  int blue = 0;
  friend bool operator==(const Color&, const Color&) = default;
};

struct Stroke {
  Color color = {};
  double width = 1;
  std::vector<double> dash = {};  // lengths on, off, on ...; empty: solid
};

struct Polyline {
  std::vector<Point> points;
  Stroke stroke = {};
};

/// Width 0 in `stroke` means no outline.
struct Rectangle {
  Point corner;  // upper left
  double width = 0;
  double height = 0;
  Color fill = {255, 255, 255};
  Stroke stroke = {};
};

struct Circle {
  Point center;
  double radius = 0;
  Color fill = {};
};

enum class Anchor { kStart, kMiddle, kEnd };

/// `at` is the anchor on the baseline; `turned` reads from bottom to top.
struct Text {
  Point at;
  std::string words;
  double size = 11;
  Anchor anchor = Anchor::kStart;
  Color color = {};
  bool bold = false;
  bool turned = false;
};

using Shape = std::variant<Polyline, Rectangle, Circle, Text>;

struct Drawing {
  double width = 0;
  double height = 0;
  std::vector<Shape> shapes = {};
};

}  // namespace warpledger
