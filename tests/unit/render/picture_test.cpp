#include "warpledger/render/picture.h"

#include <gtest/gtest.h>

#include "warpledger/render/chart.h"

namespace warpledger {
namespace {

Chart sample() {
  return {.title = "Bytes",
          .x = {.label = "N", .logarithmic = true, .base = 2},
          .y = {.label = "bytes moved", .logarithmic = true},
          .series = {{.label = "naive", .points = {{256, 1e6}, {512, 4e6}, {0, 5}}}},
          .annotations = {{{512, 4e6}, "here"}}};
}

TEST(Picture, IsTheSameBytesEveryTime) {
  const Drawing drawing = draw(sample());
  for (const PictureFormat format :
       {PictureFormat::kSvg, PictureFormat::kPng, PictureFormat::kPdf}) {
    EXPECT_EQ(*render(drawing, format), *render(drawing, format));
  }
}

TEST(Picture, FollowsTheEndingOfTheFile) {
  EXPECT_EQ(picture_format_of("a/b.svg"), PictureFormat::kSvg);
  EXPECT_EQ(picture_format_of("b.png"), PictureFormat::kPng);
  EXPECT_FALSE(picture_format_of("svg").has_value());
}

TEST(Picture, PngStartsWithItsSignature) {
  EXPECT_EQ(render(draw(sample()), PictureFormat::kPng)->substr(1, 3), "PNG");
}

TEST(Picture, SvgEscapesWords) {
  const Drawing drawing{10, 10, {Text{.at = {1, 1}, .words = "a<b & c"}}};
  EXPECT_NE(render(drawing, PictureFormat::kSvg)->find(">a&lt;b &amp; c</text>"),
            std::string::npos);
}

TEST(Chart, KeepsEveryShapeOnThePage) {
  const Drawing drawing = draw(sample());
  for (const Shape& shape : drawing.shapes) {
    const auto* line = std::get_if<Polyline>(&shape);
    if (line == nullptr) continue;
    for (const Point& point : line->points) {
      EXPECT_GE(point.x, 0);
      EXPECT_LE(point.x, drawing.width);
      EXPECT_GE(point.y, 0);
      EXPECT_LE(point.y, drawing.height);
    }
  }
}

TEST(Chart, LeavesOutWhatALogarithmicAxisCannotShow) {
  Chart chart = sample();
  chart.series = {{.label = "none", .points = {{-1, 0}}}};
  EXPECT_TRUE(render(draw(chart), PictureFormat::kSvg));
}

}  // namespace
}  // namespace warpledger
