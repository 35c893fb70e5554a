#include "warpledger/render/chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "warpledger/base/check.h"
#include "warpledger/base/number.h"

namespace warpledger {
namespace {

constexpr double kLeft = 78, kRight = 24, kTop = 62, kBottom = 52;
constexpr Color kInk{30, 30, 30}, kGrid{225, 225, 225}, kMark{170, 30, 30};

struct Pen {
  Color color;
  std::vector<double> dash;
};
// Okabe and Ito's palette in an order whose greys differ; each color has its own dash.
const std::array<Pen, 5>& pens() {
  static const std::array<Pen, 5> all{Pen{{0, 90, 160}, {}}, Pen{{213, 94, 0}, {7, 3}},
                                      Pen{{0, 130, 95}, {2, 3}}, Pen{{130, 60, 130}, {9, 3, 2, 3}},
                                      Pen{{90, 90, 90}, {4, 2}}};
  return all;
}

// One axis fitted to its data: where a value stands between 0 and 1, and where the ticks are.
struct Scale {
  bool logarithmic = false;
  double low = 0, high = 1;
  std::vector<double> ticks;

  [[nodiscard]] bool shows(double value) const { return !logarithmic || value > 0; }
  [[nodiscard]] double place(double value) const {
    if (logarithmic) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
    return (value - low) / (high - low);
  }
};

double nice_step(double width) {
  const double rough = width / 6;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

Scale logarithmic_scale(const Axis& axis, double low, double high) {
  const auto exponent = [&](double value) { return std::log(value) / std::log(axis.base); };
  const double slack = 1e-9;
  Scale scale{.logarithmic = true};
  scale.low = std::pow(axis.base, std::floor(exponent(low) + slack));
  scale.high = std::pow(axis.base, std::ceil(exponent(high) - slack));
  if (scale.high <= scale.low) scale.high = scale.low * axis.base;
  if (axis.low) scale.low = *axis.low;
  if (axis.high) scale.high = *axis.high;
  const double first = std::ceil(exponent(scale.low) - slack);
  for (double e = first; e <= exponent(scale.high) + slack; ++e) {
    scale.ticks.push_back(std::pow(axis.base, e));
  }
  return scale;
}

Scale linear_scale(const Axis& axis, double low, double high) {
  Scale scale;
  low = axis.low.value_or(std::min(low, 0.0));
  if (high <= low) high = low + 1;
  const double step = axis.step.value_or(nice_step(axis.high.value_or(high) - low));
  scale.low = low;
  scale.high = axis.high.value_or(step * std::ceil(high / step - 1e-9));
  for (double n = std::ceil(low / step - 1e-9) + 0.0; n * step <= scale.high * (1 + 1e-9); ++n) {
    scale.ticks.push_back(n * step);
  }
  return scale;
}

template <class Coordinate>
Scale fit(const Axis& axis, const Chart& chart, Coordinate coordinate) {
  std::vector<double> values;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      const double value = coordinate(point);
      if (!axis.logarithmic || value > 0) values.push_back(value);
    }
  }
  if (values.empty()) values.push_back(1);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return axis.logarithmic ? logarithmic_scale(axis, *low, *high) : linear_scale(axis, *low, *high);
}

std::string tick_label(double value) {
  constexpr std::array<std::pair<double, std::string_view>, 4> kUnits{
      std::pair{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  if (value >= 1e5) {
    for (const auto& [unit, name] : kUnits) {
      if (value >= unit) return fmt::format("{:.4g} {}", value / unit, name);
    }
  }
  return group_thousands(fmt::format("{:.6g}", value));
}

class Painter {
 public:
  explicit Painter(const Chart& chart)
      : chart_(chart),
        x_(fit(chart.x, chart, [](Point p) { return p.x; })),
        y_(fit(chart.y, chart, [](Point p) { return p.y; })) {
    drawing_.width = chart.width;
    drawing_.height = chart.height;
  }

  Drawing paint() {
    paint_grid();
    for (size_t i = 0; i < chart_.series.size(); ++i) paint_series(i);
    paint_frame();
    paint_legend();
    for (const Annotation& annotation : chart_.annotations) paint_annotation(annotation);
    return std::move(drawing_);
  }

 private:
  [[nodiscard]] double right() const { return chart_.width - kRight; }
  [[nodiscard]] double bottom() const {
    return chart_.height - kBottom - (chart_.footnote.empty() ? 0 : 16);
  }
  [[nodiscard]] Point on_page(Point p) const {
    return {kLeft + x_.place(p.x) * (right() - kLeft),
            bottom() - y_.place(p.y) * (bottom() - kTop)};
  }
  void add(Shape shape) { drawing_.shapes.push_back(std::move(shape)); }
  void add_text(Point at, std::string words, double size, Anchor anchor) {
    add(Text{.at = at, .words = std::move(words), .size = size, .anchor = anchor, .color = kInk});
  }

  void paint_grid() {
    for (const double tick : x_.ticks) {
      const double x = on_page({tick, y_.low}).x;
      add(Polyline{{{x, kTop}, {x, bottom()}}, {kGrid, 1, {}}});
      add_text({x, bottom() + 16}, tick_label(tick), 10, Anchor::kMiddle);
    }
    for (const double tick : y_.ticks) {
      const double y = on_page({x_.low, tick}).y;
      add(Polyline{{{kLeft, y}, {right(), y}}, {kGrid, 1, {}}});
      add_text({kLeft - 6, y + 3.5}, tick_label(tick), 10, Anchor::kEnd);
    }
  }

  void paint_frame() {
    add(Polyline{{{kLeft, kTop}, {kLeft, bottom()}, {right(), bottom()}}, {kInk, 1, {}}});
    add(Text{.at = {kLeft, 22}, .words = chart_.title, .size = 13, .color = kInk, .bold = true});
    add_text({(kLeft + right()) / 2, bottom() + 36}, chart_.x.label, 11, Anchor::kMiddle);
    add(Text{.at = {18, (kTop + bottom()) / 2},
             .words = chart_.y.label,
             .anchor = Anchor::kMiddle,
             .color = kInk,
             .turned = true});
    if (!chart_.footnote.empty()) {
      add_text({kLeft, chart_.height - 10}, chart_.footnote, 9, Anchor::kStart);
    }
  }

  void paint_series(size_t index) {
    const Series& series = chart_.series[index];
    const Pen& pen = pens()[index % pens().size()];
    std::vector<Point> line;
    for (const Point& point : series.points) {
      if (!x_.shows(point.x) || !y_.shows(point.y)) continue;
      const Point next = on_page(point);
      if (series.steps && !line.empty()) line.push_back({next.x, line.back().y});
      line.push_back(next);
    }
    add(Polyline{std::move(line), {pen.color, 2, pen.dash}});
  }

  // Cells of equal width under the title: words in the plot could cover a line.
  void paint_legend() {
    const double room =
        (right() - kLeft) / static_cast<double>(std::max<size_t>(1, chart_.series.size()));
    for (size_t i = 0; i < chart_.series.size(); ++i) {
      const double x = kLeft + room * static_cast<double>(i);
      const Pen& pen = pens()[i % pens().size()];
      add(Polyline{{{x, 43}, {x + 26, 43}}, {pen.color, 2, pen.dash}});
      add_text({x + 32, 46.5}, chart_.series[i].label, 10.5, Anchor::kStart);
    }
  }

  void paint_annotation(const Annotation& annotation) {
    if (!x_.shows(annotation.at.x) || !y_.shows(annotation.at.y)) return;
    const Point at = on_page(annotation.at);
    if (annotation.words.empty()) return add(Circle{at, 4, kMark});
    const bool to_left = at.x > (kLeft + right()) / 2;
    const bool below = at.y < kTop + 24;
    const Point shift = annotation.shift;
    const bool is_shifted = shift.x != 0 || shift.y != 0;
    const double y = (below ? at.y + 20 : at.y - 10) + shift.y;
    const double width = 5.7 * static_cast<double>(annotation.words.size());
    const double x = at.x + (to_left ? -8 : 8) + shift.x;
    add(Rectangle{
        {to_left ? x - width - 2 : x - 2, y - 10}, width + 4, 14, {255, 255, 255}, {kInk, 0, {}}});
    if (is_shifted) {
      const double left = to_left ? x - width * 0.85 : x,
                   lead = std::clamp(at.x, left, left + width * 0.85);
      add(Polyline{{at, {lead, y + (shift.y < 0 ? 4 : -10)}}, {kMark, 0.7, {}}});
    }
    add(Circle{at, 4, kMark});
    add(Text{.at = {x, y},
             .words = annotation.words,
             .size = 10,
             .anchor = to_left ? Anchor::kEnd : Anchor::kStart,
             .color = kMark});
  }

  const Chart& chart_;
  Scale x_, y_;
  Drawing drawing_;
};

}  // namespace

Drawing draw(const Chart& chart) { return Painter(chart).paint(); }

}  // namespace warpledger
