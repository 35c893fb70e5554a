// A Drawing as the bytes of a file. PNG and PDF are painted by cairo; SVG is written directly,
// because cairo's own SVG turns words into outlines and numbers its parts per process, so that the
// same drawing would not give the same bytes (docs/decisions/002-svg-by-hand.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "warpledger/base/drawing.h"
#include "warpledger/base/result.h"

namespace warpledger {

enum class PictureFormat { kSvg, kPng, kPdf };

/// By the ending of a file name: "x.svg" -> kSvg; nothing for any other ending.
[[nodiscard]] std::optional<PictureFormat> picture_format_of(std::string_view path);

/// PNG is drawn at twice the size, for screens with small pixels.
[[nodiscard]] Result<std::string> render(const Drawing& drawing, PictureFormat format);

}  // namespace warpledger
