// cairo, found when the first picture is drawn: it brings two dozen libraries along (X11 among
// them), which a command that draws nothing need not load and a machine without pictures need not
// have. Private to render/.
#pragma once

#include <cairo-pdf.h>
#include <cairo.h>

#include "warpledger/base/result.h"

// Every function that render/ calls.
#define WL_CAIRO_FUNCTIONS(each)       \
  each(arc);                           \
  each(create);                        \
  each(destroy);                       \
  each(fill);                          \
  each(fill_preserve);                 \
  each(image_surface_create);          \
  each(line_to);                       \
  each(move_to);                       \
  each(new_path);                      \
  each(paint);                         \
  each(pdf_surface_create_for_stream); \
  each(pdf_surface_set_metadata);      \
  each(rectangle);                     \
  each(restore);                       \
  each(rotate);                        \
  each(save);                          \
  each(scale);                         \
  each(select_font_face);              \
  each(set_dash);                      \
  each(set_font_size);                 \
  each(set_line_width);                \
  each(set_source_rgb);                \
  each(show_text);                     \
  each(status);                        \
  each(status_to_string);              \
  each(stroke);                        \
  each(surface_destroy);               \
  each(surface_finish);                \
  each(surface_status);                \
  each(surface_write_to_png_stream);   \
  each(text_extents);                  \
  each(translate)

namespace warpledger {

struct Cairo {
#define WL_CAIRO_MEMBER(name) decltype(&::cairo_##name) name = nullptr
  WL_CAIRO_FUNCTIONS(WL_CAIRO_MEMBER);
#undef WL_CAIRO_MEMBER
};

/// Fails with code "no-cairo" where the library is not installed. Loaded once.
[[nodiscard]] Result<const Cairo*> load_cairo();

}  // namespace warpledger
