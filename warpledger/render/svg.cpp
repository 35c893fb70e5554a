#include "warpledger/render/svg.h"

#include <fmt/core.h>

#include "warpledger/render/escape.h"

namespace warpledger {
namespace {

std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

using Name = std::function<std::string(Color)>;

std::string hexadecimal(Color c) {
  return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
}

std::string stroke_of(const Stroke& stroke, const Name& color) {
  if (stroke.width <= 0) return "";
  std::string text =
      fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", color(stroke.color), number(stroke.width));
  if (stroke.dash.empty()) return text;
  std::string dashes;
  for (const double length : stroke.dash) dashes += (dashes.empty() ? "" : ",") + number(length);
  return text + fmt::format(" stroke-dasharray=\"{}\"", dashes);
}

std::string element(const Polyline& line, const Name& color) {
  std::string points;
  for (const Point& p : line.points) {
    points += fmt::format("{}{},{}", points.empty() ? "" : " ", number(p.x), number(p.y));
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\"{}/>\n", points,
                     stroke_of(line.stroke, color));
}

std::string element(const Rectangle& box, const Name& color) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"{}/>\n",
                     number(box.corner.x), number(box.corner.y), number(box.width),
                     number(box.height), color(box.fill), stroke_of(box.stroke, color));
}

std::string element(const Circle& circle, const Name& color) {
  return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n",
                     number(circle.center.x), number(circle.center.y), number(circle.radius),
                     color(circle.fill));
}

std::string element(const Text& text, const Name& color) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  const std::string x = number(text.at.x), y = number(text.at.y);
  return fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}{}>{}</text>\n", x,
      y, number(text.size), kAnchors[static_cast<int>(text.anchor)], color(text.color),
      text.bold ? " font-weight=\"bold\"" : "",
      text.turned ? fmt::format(" transform=\"rotate(-90 {} {})\"", x, y) : "",
      html_escaped(text.words));
}

std::string elements(const Drawing& drawing, const Name& color) {
  std::string text;
  for (const Shape& shape : drawing.shapes) {
    text += std::visit([&](const auto& one) { return element(one, color); }, shape);
  }
  return text;
}

constexpr const char* kFont = "DejaVu Sans, Verdana, sans-serif";

}  // namespace

std::string to_svg(const Drawing& drawing) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"{2}\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"#ffffff\"/>\n{3}</svg>\n",
      number(drawing.width), number(drawing.height), kFont, elements(drawing, hexadecimal));
}

std::string to_svg(const Drawing& drawing, const SvgStyle& style) {
  return fmt::format(
      "<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"{2}\"{3}>\n{4}</svg>\n",
      number(drawing.width), number(drawing.height), kFont, style.attributes,
      elements(drawing, style.color));
}

}  // namespace warpledger
