#include "warpledger/algebra/sizes.h"

#include <fmt/core.h>

#include "warpledger/base/scanner.h"

namespace warpledger {
namespace {

constexpr std::string_view kBlanks = " \t";

Status add_pair(const Scanner& scan, std::string_view pair, Sizes& sizes) {
  const auto wrong = [&](std::string_view part, std::string message) {
    return scan.error_at(scan.span_of(part), std::move(message));
  };
  const size_t equals = pair.find('=');
  if (equals == std::string_view::npos) return wrong(pair, "expected NAME=INTEGER");
  const std::string_view name = trimmed(pair.substr(0, equals), kBlanks);
  const std::string_view digits = trimmed(pair.substr(equals + 1), kBlanks);
  if (!is_size_name(name)) return wrong(pair, fmt::format("'{}' is not a valid name", name));
  const std::optional<int64_t> value = read_number<int64_t>(digits);
  if (!value || *value < 1) {
    return wrong(digits, fmt::format("'{}' is not a positive integer", digits));
  }
  if (sizes.emplace(name, *value).second) return {};
  return wrong(name, fmt::format("'{}' is given twice", name));
}

}  // namespace

Result<Sizes> parse_sizes(const Source& source) {
  Scanner scan(source, {.code = "bad-sizes", .hint = "write e.g. N=8192,d=128"});
  Sizes sizes;
  do {
    const std::string_view pair = scan.take_while([](char c) { return c != ','; });
    WL_TRY_STATUS(add_pair(scan, trimmed(pair, kBlanks), sizes));
  } while (scan.take(","));
  return sizes;
}

}  // namespace warpledger
