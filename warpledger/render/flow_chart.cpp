#include "warpledger/render/flow_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warpledger {
namespace {

constexpr Color kInk{30, 30, 30}, kSoft{105, 112, 120}, kIdle{200, 206, 212}, kBox{244, 246, 248};

/// Where things stand, in points. Along: in the direction of the flow.
struct Measures {
  double margin, box_along, gap_along, box_across, gap_across, title_size, text_size;
};
constexpr Measures kWide{14, 118, 140, 96, 18, 12.5, 11};
constexpr Measures kTall{6, 64, 68, 112, 8, 11.5, 10};

struct Frame {
  double x = 0, y = 0, width = 0, height = 0;
};

class Painter {
 public:
  Painter(const FlowChart& chart, Direction direction)
      : chart_(chart), down_(direction == Direction::kDown), m_(down_ ? kTall : kWide) {
    size_t columns = 0, rows = 0;
    for (const FlowBox& box : chart.boxes) {
      columns = std::max(columns, box.column + 1);
      rows = std::max(rows, box.row + box.rows);
    }
    const double along = extent(columns, m_.box_along, m_.gap_along);
    const double across = extent(rows, m_.box_across, m_.gap_across);
    drawing_.width = down_ ? across : along;
    drawing_.height = (down_ ? along : across) + kScaleHeight;
  }

  Drawing paint() {
    for (const FlowLink& link : chart_.links) paint_link(link);
    for (const FlowBox& box : chart_.boxes) paint_box(box);
    paint_scale();
    return std::move(drawing_);
  }

 private:
  static constexpr double kScaleHeight = 34;

  [[nodiscard]] double extent(size_t count, double box, double gap) const {
    const auto n = static_cast<double>(std::max<size_t>(count, 1));
    return 2 * m_.margin + n * box + (n - 1) * gap;
  }
  [[nodiscard]] Frame frame_of(const FlowBox& box) const {
    const double along =
        m_.margin + static_cast<double>(box.column) * (m_.box_along + m_.gap_along);
    const double across =
        m_.margin + static_cast<double>(box.row) * (m_.box_across + m_.gap_across);
    const auto rows = static_cast<double>(box.rows);
    const double wide = rows * m_.box_across + (rows - 1) * m_.gap_across;
    return down_ ? Frame{across, along, wide, m_.box_along}
                 : Frame{along, across, m_.box_along, wide};
  }
  void add(Shape shape) { drawing_.shapes.push_back(std::move(shape)); }
  void write(Point at, std::string words, double size, Anchor anchor, Color color,
             bool bold = false) {
    add(Text{.at = at,
             .words = std::move(words),
             .size = size,
             .anchor = anchor,
             .color = color,
             .bold = bold});
  }

  void paint_box(const FlowBox& box) {
    const Frame f = frame_of(box);
    const Color edge = box.busy ? color_of_share(*box.busy) : kSoft;
    add(Rectangle{{f.x, f.y}, f.width, f.height, kBox, {edge, box.busy ? 2.5 : 1.0, {}}});
    const double step = m_.text_size + 3.5;
    const double all = m_.title_size + step * static_cast<double>(box.lines.size());
    double y = f.y + (f.height - all) / 2 + m_.title_size * 0.85;
    write({f.x + f.width / 2, y}, box.title, m_.title_size, Anchor::kMiddle, kInk, true);
    for (const std::string& line : box.lines) {
      y += step;
      write({f.x + f.width / 2, y}, line, m_.text_size, Anchor::kMiddle, kInk);
    }
  }

  /// Lines right of a point, around its height; those without words take no room.
  void write_beside(Point at, std::vector<std::pair<std::string, Color>> lines) {
    std::erase_if(lines, [](const auto& line) { return line.first.empty(); });
    const double step = m_.text_size + 2.5;
    double y = at.y - step * (static_cast<double>(lines.size()) - 1) / 2 + m_.text_size * 0.35;
    for (auto& [words, color] : lines) {
      write({at.x + 6, y}, std::move(words), m_.text_size, Anchor::kStart, color);
      y += step;
    }
  }

  /// The arrow from `a` to `b` (along one axis), with its words over or beside it.
  void paint_flow(const Flow& flow, Point a, Point b) {
    const bool idle = flow.busy.value_or(0) <= 0;
    const Color color = flow.busy ? color_of_share(*flow.busy) : kSoft;
    const Stroke stroke{idle ? kIdle : color, idle ? 1.5 : 3, {}};
    add(Polyline{{a, b}, stroke});
    const double ux = b.x > a.x ? 1 : b.x < a.x ? -1 : 0, uy = b.y > a.y ? 1 : b.y < a.y ? -1 : 0;
    const double size = 7;
    add(Polyline{{{b.x - size * ux - size * 0.6 * uy, b.y - size * uy - size * 0.6 * ux},
                  b,
                  {b.x - size * ux + size * 0.6 * uy, b.y - size * uy + size * 0.6 * ux}},
                 stroke});
    const Point middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
    if (down_) {
      write_beside(middle, {{flow.text, kInk}, {flow.unit, kInk}, {flow.note, kSoft}});
      return;
    }
    const std::string above = flow.text + (flow.unit.empty() ? "" : " ") + flow.unit;
    write({middle.x, middle.y - 5}, above, m_.text_size, Anchor::kMiddle, kInk);
    const bool both = !flow.note.empty() && !flow.detail.empty();
    const std::string below = flow.detail + (both ? ", " : "") + flow.note;
    if (!below.empty()) {
      write({middle.x, middle.y + 13}, below, m_.text_size - 1, Anchor::kMiddle, kSoft);
    }
  }

  void paint_link(const FlowLink& link) {
    const Frame a = frame_of(chart_.boxes[link.left]), b = frame_of(chart_.boxes[link.right]);
    const double gap = 5;
    if (down_) {
      const double low = std::max(a.x, b.x), high = std::min(a.x + a.width, b.x + b.width);
      const double top = a.y + a.height + gap, bottom = b.y - gap;
      const double x1 = low + (high - low) * 0.05, x2 = low + (high - low) * 0.55;
      if (!link.onward.text.empty()) paint_flow(link.onward, {x1, top}, {x1, bottom});
      if (!link.back.text.empty()) paint_flow(link.back, {x2, bottom}, {x2, top});
      return;
    }
    const double low = std::max(a.y, b.y), high = std::min(a.y + a.height, b.y + b.height);
    const double left = a.x + a.width + gap, right = b.x - gap, middle = (low + high) / 2;
    if (!link.onward.text.empty())
      paint_flow(link.onward, {left, middle - 20}, {right, middle - 20});
    if (!link.back.text.empty()) paint_flow(link.back, {right, middle + 26}, {left, middle + 26});
  }

  void paint_scale() {
    constexpr int kSteps = 40;
    const double y = drawing_.height - 22, width = std::min(220.0, drawing_.width / 2.4);
    const double words = 6.2 * static_cast<double>(chart_.scale.size());
    double x = std::max(m_.margin, (drawing_.width - width - words - 60) / 2);
    write({x, y + 9}, chart_.scale, 10, Anchor::kStart, kSoft);
    x += words + 10;
    for (int i = 0; i < kSteps; ++i) {
      add(Rectangle{{x + width * i / kSteps, y},
                    width / kSteps + 0.5,
                    10,
                    color_of_share((i + 0.5) / kSteps),
                    {kInk, 0, {}}});
    }
    write({x, y + 20}, "0 %", 9, Anchor::kStart, kSoft);
    write({x + width, y + 20}, "100 %", 9, Anchor::kEnd, kSoft);
  }

  const FlowChart& chart_;
  bool down_;
  Measures m_;
  Drawing drawing_;
};

}  // namespace

Color color_of_share(double share) {
  constexpr std::array<Color, 5> kStops{
      Color{120, 160, 200}, {70, 160, 110}, {205, 165, 30}, {225, 115, 30}, {195, 40, 40}};
  const double at = std::clamp(share, 0.0, 1.0) * (kStops.size() - 1);
  const auto i = std::min<size_t>(static_cast<size_t>(at), kStops.size() - 2);
  const double part = at - static_cast<double>(i);
  const auto mix = [&](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * part)); };
  return {mix(kStops[i].red, kStops[i + 1].red), mix(kStops[i].green, kStops[i + 1].green),
          mix(kStops[i].blue, kStops[i + 1].blue)};
}

Drawing draw(const FlowChart& chart, Direction direction) {
  return Painter(chart, direction).paint();
}

}  // namespace warpledger
