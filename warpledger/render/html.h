// A Document as one HTML file that needs nothing else: style and script stand inside, pictures are
// SVG, nothing is fetched (a Content-Security-Policy says so to the browser). Light and dark follow
// the reader's system. Without script everything is shown; the script sorts tables, shows one page
// at a time and colors listings.
#pragma once

#include <string>

#include "warpledger/render/document.h"

namespace warpledger {

/// The largest file that to_html makes.
inline constexpr size_t kMostHtmlBytes = 2'000'000;

/// Pages that would make the file larger than kMostHtmlBytes lose their listings, then the last of
/// them are left out; what is missing is said at the top.
[[nodiscard]] std::string to_html(const Document& document);

}  // namespace warpledger
