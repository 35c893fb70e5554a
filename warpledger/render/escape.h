// Words made safe for HTML, XML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace warpledger {

/// Words that can stand between tags and in quotes: markup characters become entities; control
/// characters and broken UTF-8 become U+FFFD.
[[nodiscard]] std::string html_escaped(std::string_view words);

}  // namespace warpledger
