#include "warpledger/render/bar_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warpledger {
namespace {

constexpr double kLeft = 64, kRight = 12, kTop = 66, kBottom = 34;
constexpr Color kInk{30, 30, 30}, kGrid{225, 225, 225};
constexpr std::array<Color, 5> kFills{
    Color{0, 90, 160}, {213, 94, 0}, {0, 130, 95}, {130, 60, 130}, {90, 90, 90}};

std::string short_number(double value) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      std::pair{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const auto& [unit, name] : kUnits) {
    if (value >= unit) return fmt::format("{:.3g}{}", value / unit, name);
  }
  return fmt::format("{:.3g}", value);
}

class Painter {
 public:
  explicit Painter(const BarChart& chart) : chart_(chart) {
    double low = 1e300, high = 1;
    for (const BarGroup& group : chart.groups) {
      for (const double value : group.values) {
        if (value > 0) low = std::min(low, value);
        high = std::max(high, value);
      }
    }
    low_ = std::floor(std::log10(std::min(low, high)) - 0.2);
    high_ = std::max(low_ + 1, std::ceil(std::log10(high)));
    drawing_.width = chart.width;
    drawing_.height = chart.height;
  }

  Drawing paint() {
    for (double e = low_; e <= high_; ++e) {
      const double y = place(std::pow(10, e));
      add(Polyline{{{kLeft, y}, {right(), y}}, {kGrid, 1, {}}});
      write({kLeft - 6, y + 3.5}, short_number(std::pow(10, e)), 10, Anchor::kEnd);
    }
    for (size_t i = 0; i < chart_.groups.size(); ++i) paint_group(i);
    add(Polyline{{{kLeft, bottom()}, {right(), bottom()}}, {kInk, 1, {}}});
    add(Text{.at = {kLeft, 20}, .words = chart_.title, .size = 13, .color = kInk, .bold = true});
    add(Text{.at = {14, (kTop + bottom()) / 2},
             .words = chart_.value_label,
             .size = 10.5,
             .anchor = Anchor::kMiddle,
             .color = kInk,
             .turned = true});
    paint_legend();
    return std::move(drawing_);
  }

 private:
  [[nodiscard]] double right() const { return chart_.width - kRight; }
  [[nodiscard]] double bottom() const { return chart_.height - kBottom; }
  [[nodiscard]] double place(double value) const {
    return bottom() - (std::log10(value) - low_) / (high_ - low_) * (bottom() - kTop);
  }
  void add(Shape shape) { drawing_.shapes.push_back(std::move(shape)); }
  void write(Point at, std::string words, double size, Anchor anchor) {
    add(Text{.at = at, .words = std::move(words), .size = size, .anchor = anchor, .color = kInk});
  }

  void paint_group(size_t index) {
    const BarGroup& group = chart_.groups[index];
    const double room = (right() - kLeft) / static_cast<double>(chart_.groups.size());
    const double left = kLeft + room * static_cast<double>(index) + room * 0.06;
    const double bar = room * 0.88 / static_cast<double>(std::max<size_t>(1, chart_.series.size()));
    for (size_t i = 0; i < group.values.size(); ++i) {
      if (group.values[i] <= 0) continue;
      const double x = left + bar * static_cast<double>(i), y = place(group.values[i]);
      add(Rectangle{{x, y}, bar * 0.9, bottom() - y, kFills[i % kFills.size()], {kInk, 0, {}}});
      write({x + bar * 0.45, y - 4}, short_number(group.values[i]), 8.5, Anchor::kMiddle);
    }
    write({left + room * 0.44, bottom() + 18}, group.name, 11, Anchor::kMiddle);
  }

  void paint_legend() {
    double x = kLeft;
    for (size_t i = 0; i < chart_.series.size(); ++i) {
      add(Rectangle{{x, 34}, 12, 12, kFills[i % kFills.size()], {kInk, 0, {}}});
      write({x + 17, 44}, chart_.series[i], 10.5, Anchor::kStart);
      x += 34 + 6.6 * static_cast<double>(chart_.series[i].size());
    }
  }

  const BarChart& chart_;
  double low_ = 0, high_ = 1;
  Drawing drawing_;
};

}  // namespace

Drawing draw(const BarChart& chart) { return Painter(chart).paint(); }

}  // namespace warpledger
