#include "warpledger/launch/tensor_argument.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "warpledger/base/scanner.h"

namespace warpledger::exec {
namespace {

Diagnostic bad(std::string message) {
  return {.message = std::move(message), .code = "bad-argument"};
}

std::optional<TensorElement> tensor_element(const std::string& type) {
  using E = TensorElement;
  static const std::pair<const char*, E> kNames[] = {
      {"u8", E::kU8},   {"i8", E::kU8},   {"e4m3", E::kU8}, {"e5m2", E::kU8},  {"u16", E::kU16},
      {"i16", E::kU16}, {"u32", E::kU32}, {"i32", E::kS32}, {"u64", E::kU64},  {"i64", E::kS64},
      {"f16", E::kF16}, {"f32", E::kF32}, {"f64", E::kF64}, {"bf16", E::kBf16}};
  for (const auto& [name, element] : kNames) {
    if (type == name) return element;
  }
  return {};
}

Status set_box(const std::string& value, TensorMap& map) {
  const std::vector<uint64_t> box = parse_shape(value);
  if (box.empty() || box.size() > kMostDimensions)
    return bad(fmt::format("'{}' is not a box of 1 to 5 dimensions", value));
  map.rank = static_cast<uint32_t>(box.size());
  for (size_t d = 0; d < box.size(); ++d)
    map.box[d] = static_cast<uint32_t>(std::min<uint64_t>(box[box.size() - 1 - d], UINT32_MAX));
  return {};
}

Status set_option(const std::string& name, const std::string& value, TensorMap& map) {
  if (name == "box") return set_box(value, map);
  if (name == "fill" && (value == "nan" || value == "zero")) {
    map.fills_nan = value == "nan";
    return {};
  }
  if (name == "swizzle") {
    const auto mode = parse_shared_mode(value);
    if (!mode) return bad(fmt::format("'{}' is not a swizzle", value));
    map.swizzle = *mode;
    return {};
  }
  return bad(fmt::format("'{}={}' is not an option of a tensor map: use box, swizzle, fill=nan",
                         name, value));
}

}  // namespace

std::vector<uint64_t> parse_shape(const std::string& text) {
  std::vector<uint64_t> shape;
  uint64_t product = 1;
  const Source source("shape", text);
  Scanner scan(source, {.blanks = {}});
  do {
    const std::string word(scan.take_while([](char c) { return c != 'x'; }));
    char* stop = nullptr;
    const double extent = std::strtod(word.c_str(), &stop);
    if (word.empty() || *stop != '\0' || !(extent >= 1 && extent <= 1e12)) return {};
    shape.push_back(static_cast<uint64_t>(extent));
    product *= shape.back();
    if (product > (uint64_t{1} << 40)) return {};
  } while (scan.take("x"));
  return shape;
}

Status parse_tensor_map(const std::string& options, TensorMap& map) {
  const Source source("tensormap", options);
  Scanner scan(source, {.blanks = {}});
  while (!scan.at_end()) {
    const std::string name(scan.take_while([](char c) { return c != '=' && c != ','; }));
    scan.take("=");
    const std::string value(scan.take_while([](char c) { return c != ','; }));
    scan.take(",");
    WL_TRY_STATUS(set_option(name, value, map));
  }
  return {};
}

Status describe_buffer(const std::string& type, const std::vector<uint64_t>& shape,
                       TensorMap& map) {
  const auto element = tensor_element(type);
  if (!element) return bad(fmt::format("a tensor map cannot have elements of type {}", type));
  if (shape.size() != map.rank) {
    return bad(fmt::format("its box has {} dimensions, the buffer {}", map.rank, shape.size()));
  }
  map.element = *element;
  uint64_t stride = packing_of(*element).global_bytes;
  for (size_t d = 0; d < shape.size(); ++d) {
    map.size[d] = shape[shape.size() - 1 - d];
    stride *= map.size[d];
    if (d + 1 < shape.size()) map.stride[d] = stride;
  }
  return {};
}

}  // namespace warpledger::exec
