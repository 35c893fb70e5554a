// The text of CUDA's sample deviceQuery: one "label: value" a line.
#include <fmt/core.h>

#include <charconv>
#include <map>

#include "warpledger/base/scanner.h"
#include "warpledger/gpu/own_file.h"

namespace warpledger {
namespace {

/// The number that the text begins with: "1695 MHz (1.70 GHz)" -> 1695.
std::optional<int64_t> leading_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number > 0 ? std::optional(number) : std::nullopt;
}

/// The labels of the first device; its name is under "".
std::map<std::string, std::string_view> first_device(std::string_view text) {
  std::map<std::string, std::string_view> labels;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (!line.starts_with("Device ")) {
      if (labels.contains("")) labels.emplace(trimmed(line.substr(0, colon)), value);
      continue;
    }
    const bool quoted = value.size() > 2 && value.front() == '"' && value.back() == '"';
    if (quoted && !labels.emplace("", value.substr(1, value.size() - 2)).second) break;
  }
  return labels;
}

/// "(082) Multiprocessors, (128) CUDA Cores/MP" is a label with its number.
std::optional<int64_t> multiprocessors(const std::map<std::string, std::string_view>& labels) {
  for (const auto& [label, unused] : labels) {
    if (!label.starts_with("(") || label.find("Multiprocessors") == std::string::npos) continue;
    return leading_number(trimmed(std::string_view(label).substr(1)));
  }
  return std::nullopt;
}

}  // namespace

Result<DeviceDescription> parse_device_query(const Source& source) {
  const auto labels = first_device(source.text());
  const auto value = [&](const char* label) -> std::optional<int64_t> {
    const auto found = labels.find(label);
    return found == labels.end() ? std::nullopt : leading_number(found->second);
  };
  const auto capability = labels.find("CUDA Capability Major/Minor version number");
  if (!labels.contains("") || capability == labels.end() || capability->second.size() < 3) {
    return Diagnostic{
        .message = fmt::format("'{}' is not the output of deviceQuery: it has no device with a "
                               "compute capability",
                               source.name()),
        .hint =
            "CUDA's sample deviceQuery prints one; an ncu report (.ncu-rep, or --csv --page "
            "raw) works too",
        .code = "bad-device-query"};
  }
  const std::string_view version = capability->second;
  const size_t dot = std::min(version.find('.'), version.size() - 1);
  return DeviceDescription{
      .name = std::string(labels.at("")),
      .source = fmt::format("deviceQuery ({})", source.name()),
      .major = static_cast<int>(leading_number(version).value_or(0) % 1000),
      .minor = static_cast<int>(leading_number(version.substr(dot + 1)).value_or(0) % 1000),
      .sms = multiprocessors(labels),
      .boost_mhz = value("GPU Max Clock rate"),
      .dram_mhz = value("Memory Clock rate"),
      .bus_bits = value("Memory Bus Width"),
      .l2_bytes = value("L2 Cache Size")};
}

}  // namespace warpledger
