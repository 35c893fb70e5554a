#include "warpledger/render/picture.h"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "warpledger/render/cairo.h"
#include "warpledger/render/svg.h"

namespace warpledger {
namespace {

constexpr double kPngScale = 2;

/// Pre: load_cairo() succeeded.
const Cairo& cairo() {
  static const Cairo& functions = **load_cairo();
  return functions;
}

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo().surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo().destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Context = std::unique_ptr<cairo_t, Destroy>;

cairo_status_t append(void* bytes, const unsigned char* chunk, unsigned length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(chunk), length);
  return CAIRO_STATUS_SUCCESS;
}

void set_color(cairo_t* c, Color color) {
  cairo().set_source_rgb(c, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
}

void stroke_path(cairo_t* c, const Stroke& stroke) {
  set_color(c, stroke.color);
  cairo().set_line_width(c, stroke.width);
  cairo().set_dash(c, stroke.dash.data(), static_cast<int>(stroke.dash.size()), 0);
  cairo().stroke(c);
}

void paint(cairo_t* c, const Polyline& line) {
  for (const Point& point : line.points) cairo().line_to(c, point.x, point.y);
  stroke_path(c, line.stroke);
}

void paint(cairo_t* c, const Rectangle& box) {
  cairo().rectangle(c, box.corner.x, box.corner.y, box.width, box.height);
  set_color(c, box.fill);
  cairo().fill_preserve(c);
  if (box.stroke.width > 0) stroke_path(c, box.stroke);
  cairo().new_path(c);
}

void paint(cairo_t* c, const Circle& circle) {
  cairo().arc(c, circle.center.x, circle.center.y, circle.radius, 0, 2 * std::numbers::pi);
  set_color(c, circle.fill);
  cairo().fill(c);
}

void paint(cairo_t* c, const Text& text) {
  cairo().select_font_face(c, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           text.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo().set_font_size(c, text.size);
  set_color(c, text.color);
  cairo_text_extents_t extents;
  cairo().text_extents(c, text.words.c_str(), &extents);
  const double shift = text.anchor == Anchor::kStart    ? 0
                       : text.anchor == Anchor::kMiddle ? extents.x_advance / 2
                                                        : extents.x_advance;
  cairo().save(c);
  cairo().translate(c, text.at.x, text.at.y);
  if (text.turned) cairo().rotate(c, -std::numbers::pi / 2);
  cairo().move_to(c, -shift, 0);
  cairo().show_text(c, text.words.c_str());
  cairo().restore(c);
}

Surface surface_for(const Drawing& drawing, PictureFormat format, std::string* bytes) {
  if (format == PictureFormat::kPdf) {
    Surface pdf(
        cairo().pdf_surface_create_for_stream(append, bytes, drawing.width, drawing.height));
    // The clock must not show in the bytes.
    cairo().pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                     "2026-01-01T00:00:00Z");
    return pdf;
  }
  return Surface(cairo().image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(drawing.width * kPngScale)),
      static_cast<int>(std::ceil(drawing.height * kPngScale))));
}

void paint_all(const Drawing& drawing, cairo_t* c) {
  set_color(c, {255, 255, 255});
  cairo().paint(c);
  for (const Shape& shape : drawing.shapes) {
    cairo().new_path(c);
    std::visit([&](const auto& one) { paint(c, one); }, shape);
  }
}

}  // namespace

std::optional<PictureFormat> picture_format_of(std::string_view path) {
  if (path.ends_with(".svg")) return PictureFormat::kSvg;
  if (path.ends_with(".png")) return PictureFormat::kPng;
  if (path.ends_with(".pdf")) return PictureFormat::kPdf;
  return std::nullopt;
}

Result<std::string> render(const Drawing& drawing, PictureFormat format) {
  if (format == PictureFormat::kSvg) return to_svg(drawing);
  WL_TRY([[maybe_unused]] const Cairo* found, load_cairo());
  std::string bytes;
  Surface surface = surface_for(drawing, format, &bytes);
  Context context(cairo().create(surface.get()));
  if (format == PictureFormat::kPng) cairo().scale(context.get(), kPngScale, kPngScale);
  paint_all(drawing, context.get());
  cairo_status_t status = cairo().status(context.get());
  context.reset();
  if (format == PictureFormat::kPng) {
    cairo().surface_write_to_png_stream(surface.get(), append, &bytes);
  } else {
    cairo().surface_finish(surface.get());
  }
  if (status == CAIRO_STATUS_SUCCESS) status = cairo().surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS) {
    return Diagnostic{.message = fmt::format("cannot draw: {}", cairo().status_to_string(status)),
                      .code = "drawing-failed"};
  }
  return bytes;
}

}  // namespace warpledger
