#include "warpledger/algebra/sizes.h"

#include <fmt/format.h>

#include <charconv>

namespace warpledger {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Diagnostic wrong(const Source& source, std::string_view part, std::string message) {
  const auto begin = static_cast<uint32_t>(part.data() - source.text().data());
  return {.message = std::move(message),
          .hint = "write e.g. N=8192,d=128",
          .code = "bad-sizes",
          .at = source.locate({begin, begin + static_cast<uint32_t>(part.size())})};
}

Status add_pair(const Source& source, std::string_view pair, Sizes& sizes) {
  const size_t equals = pair.find('=');
  if (equals == std::string_view::npos) return wrong(source, pair, "expected NAME=INTEGER");
  const std::string_view name = trimmed(pair.substr(0, equals));
  const std::string_view digits = trimmed(pair.substr(equals + 1));
  if (!is_size_name(name)) return wrong(source, pair, fmt::format("'{}' is no name", name));
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 1) {
    return wrong(source, digits, fmt::format("'{}' is no whole number above 0", digits));
  }
  if (sizes.emplace(name, value).second) return {};
  return wrong(source, name, fmt::format("'{}' is given twice", name));
}

}  // namespace

Result<Sizes> parse_sizes(const Source& source) {
  Sizes sizes;
  std::string_view rest = source.text();
  for (;;) {
    const size_t comma = rest.find(',');
    WL_TRY_STATUS(add_pair(source, trimmed(rest.substr(0, comma)), sizes));
    if (comma == std::string_view::npos) return sizes;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace warpledger
