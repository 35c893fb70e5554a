#include "warpledger/render/grid_picture.h"

#include <algorithm>
#include <array>

namespace warpledger {
namespace {

constexpr Color kInk{30, 30, 30}, kSoft{105, 112, 120}, kLine{222, 226, 230}, kWrong{180, 35, 25};
// Okabe and Ito's palette.
constexpr std::array<Color, 6> kTones{Color{0, 114, 178}, {213, 94, 0},  {0, 158, 115},
                                      {204, 121, 167},    {230, 159, 0}, {86, 180, 233}};
constexpr double kTop = 34, kText = 9.5, kLetter = 6.0;

double longest(const std::vector<GridRow>& rows, std::string GridRow::*field) {
  size_t most = 0;
  for (const GridRow& row : rows) most = std::max(most, (row.*field).size());
  return kLetter * static_cast<double>(most);
}

struct Plan {
  double left = 0, cell = 0, height = 0, right = 0;
};

Plan plan_of(const GridPicture& picture, double width) {
  Plan plan;
  plan.left = std::max(longest(picture.rows, &GridRow::name),
                       kLetter * static_cast<double>(picture.rows_label.size())) +
              10;
  const double remarks = longest(picture.rows, &GridRow::remark) + 12;
  const auto columns = static_cast<double>(std::max<size_t>(1, picture.columns));
  plan.cell = std::max(3.0, (width - plan.left - remarks) / columns);
  plan.height = std::clamp(plan.cell, 11.0, 15.0);
  plan.right = plan.left + plan.cell * columns;
  return plan;
}

void write(Drawing& drawing, Point at, std::string words, Anchor anchor, Color color) {
  drawing.shapes.push_back(
      Text{.at = at, .words = std::move(words), .size = kText, .anchor = anchor, .color = color});
}

void paint_frame(const GridPicture& picture, const Plan& plan, Drawing& drawing) {
  const double bottom = kTop + plan.height * static_cast<double>(picture.rows.size());
  write(drawing, {(plan.left + plan.right) / 2, 12}, picture.columns_label, Anchor::kMiddle, kSoft);
  write(drawing, {plan.left - 6, kTop - 6}, picture.rows_label, Anchor::kEnd, kSoft);
  for (size_t i = 0; i <= picture.columns; ++i) {
    const double x = plan.left + plan.cell * static_cast<double>(i);
    drawing.shapes.push_back(Polyline{{{x, kTop}, {x, bottom}}, {kLine, 0.7, {}}});
    if (i < picture.columns && (i % 4 == 0 || i + 1 == picture.columns)) {
      write(drawing, {x + plan.cell / 2, kTop - 6}, std::to_string(i), Anchor::kMiddle, kSoft);
    }
  }
  for (size_t i = 0; i <= picture.rows.size(); ++i) {
    const double y = kTop + plan.height * static_cast<double>(i);
    drawing.shapes.push_back(Polyline{{{plan.left, y}, {plan.right, y}}, {kLine, 0.7, {}}});
  }
}

void paint_rows(const GridPicture& picture, const Plan& plan, Drawing& drawing) {
  for (size_t i = 0; i < picture.rows.size(); ++i) {
    const GridRow& row = picture.rows[i];
    const double y = kTop + plan.height * (static_cast<double>(i) + 0.5) + kText * 0.36;
    write(drawing, {plan.left - 6, y}, row.name, Anchor::kEnd, kInk);
    if (row.remark.empty()) continue;
    write(drawing, {plan.right + 7, y}, row.remark, Anchor::kStart,
          row.stands_out ? kWrong : kSoft);
  }
}

}  // namespace

Drawing draw(const GridPicture& picture, double width) {
  const Plan plan = plan_of(picture, width);
  Drawing drawing{.width = width,
                  .height = kTop + plan.height * static_cast<double>(picture.rows.size()) + 8};
  paint_frame(picture, plan, drawing);
  for (const GridCell& cell : picture.cells) {
    drawing.shapes.push_back(
        Rectangle{{plan.left + plan.cell * static_cast<double>(cell.column) + 0.8,
                   kTop + plan.height * static_cast<double>(cell.row) + 0.8},
                  plan.cell - 1.6,
                  plan.height - 1.6,
                  kTones[cell.tone % kTones.size()],
                  {kInk, 0, {}}});
  }
  paint_rows(picture, plan, drawing);
  return drawing;
}

}  // namespace warpledger
