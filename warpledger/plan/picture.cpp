// Addresses over time: one rectangle for each lifetime of each slot. Names are in the rectangles
// that have room for them; color only helps the eye to follow a buffer from moment to moment.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "warpledger/base/number.h"
#include "warpledger/plan/report.h"
#include "warpledger/plan/timeline.h"

namespace warpledger::plan {
namespace {

constexpr double kLeft = 70, kTop = 46, kPlotWidth = 640, kPlotHeight = 360, kGap = 64;
constexpr double kLeastHeight = 1.5;  // so that barriers are visible next to tiles
constexpr double kTextSize = 10, kCharacterWidth = 5.6;

// Light enough for black words; neighbors differ in brightness too.
constexpr std::array<Color, 8> kFills = {{{166, 206, 227},
                                          {251, 225, 155},
                                          {178, 223, 138},
                                          {247, 190, 185},
                                          {202, 178, 214},
                                          {222, 222, 222},
                                          {253, 205, 150},
                                          {190, 230, 220}}};

class Panel {
 public:
  Panel(const Plan& plan, const Region& region, double top, const char* title)
      : plan_(plan), region_(region), time_(plan, region.slots), top_(top), title_(title) {}

  void paint(Drawing& drawing) const {
    drawing.shapes.push_back(Text{{kLeft, top_ - 28}, title_, 12, Anchor::kStart, {}, true});
    for (int c = 0; c < time_.count(); ++c) {
      const double x = x_of(c);
      if (column_width() < kCharacterWidth * 4) continue;
      drawing.shapes.push_back(
          Text{{x + 3, top_ - 8}, fitting(time_.names()[c], column_width()), kTextSize});
    }
    for (size_t item = 0; item < region_.slots.size(); ++item) paint_slot(drawing, item);
    paint_axis(drawing);
  }

 private:
  [[nodiscard]] double column_width() const { return kPlotWidth / std::max(1, time_.count()); }
  [[nodiscard]] double x_of(int column) const { return kLeft + column * column_width(); }
  [[nodiscard]] double y_of(int64_t offset) const {
    const double whole = static_cast<double>(std::max<int64_t>(1, region_.packing.total));
    return top_ + kPlotHeight * static_cast<double>(offset) / whole;
  }
  [[nodiscard]] static std::string fitting(const std::string& words, double width) {
    const size_t room = static_cast<size_t>(std::max(0.0, width / kCharacterWidth - 1));
    if (words.size() <= room) return words;
    return room < 3 ? "" : words.substr(0, room - 1) + ".";
  }

  void paint_slot(Drawing& drawing, size_t item) const {
    const SlotName name = region_.slots[item];
    const Slot& slot = slot_of(plan_, name);
    const int64_t start = region_.packing.offsets[item];
    const double y = y_of(start);
    const double height =
        std::max(kLeastHeight, y_of(start + plan_.buffers[name.buffer].size_of(slot)) - y);
    for (const Lifetime& life : slot.lives) {
      const Columns columns = time_.columns(life);
      const double x = x_of(columns.first), width = x_of(columns.last) - x;
      drawing.shapes.push_back(Rectangle{{x, y},
                                         width,
                                         height,
                                         kFills[static_cast<size_t>(name.buffer) % kFills.size()],
                                         {{90, 90, 90}, 0.5}});
      if (height < kTextSize + 2) continue;
      const std::string words = fitting(name_of(plan_, name), width);
      drawing.shapes.push_back(
          Text{{x + width / 2, y + height / 2 + kTextSize / 3}, words, kTextSize, Anchor::kMiddle});
    }
  }

  void paint_axis(Drawing& drawing) const {
    const double bottom = top_ + kPlotHeight;
    drawing.shapes.push_back(Polyline{{{kLeft, top_}, {kLeft, bottom}}, {}});
    double last = -100;
    std::vector<int64_t> edges = region_.packing.offsets;
    edges.push_back(region_.packing.total);
    std::sort(edges.begin(), edges.end());
    for (int64_t edge : edges) {
      const double y = y_of(edge);
      if (y - last < kTextSize + 1) continue;
      last = y;
      drawing.shapes.push_back(Polyline{{{kLeft - 4, y}, {kLeft, y}}, {}});
      drawing.shapes.push_back(
          Text{{kLeft - 6, y + kTextSize / 3}, group_thousands(edge), kTextSize, Anchor::kEnd});
    }
  }

  const Plan& plan_;
  const Region& region_;
  Timeline time_;
  double top_;
  std::string title_;
};

}  // namespace

Drawing draw(const Plan& plan, const Placement& placement) {
  Drawing drawing{kLeft + kPlotWidth + 20, kTop - kGap + 20, {}};
  const auto add = [&](const Region& region, const char* title) {
    if (region.slots.empty()) return;
    Panel(plan, region, drawing.height + kGap - 20, title).paint(drawing);
    drawing.height += kPlotHeight + kGap;
  };
  drawing.shapes.push_back(
      Rectangle{{0, 0}, drawing.width, 0, {255, 255, 255}, {{255, 255, 255}, 0}});
  add(placement.shared, "shared memory: bytes downward, time to the right");
  add(placement.tensor, "tensor memory: columns downward, time to the right");
  std::get<Rectangle>(drawing.shapes.front()).height = drawing.height;
  return drawing;
}

}  // namespace warpledger::plan
