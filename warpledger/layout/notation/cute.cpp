// CuTe's (shape):(stride): a point is an integer, taken apart in mixed radix by the nested shape,
// first mode fastest, and mapped to the inner product with the stride.
#include <fmt/core.h>

#include <bit>

#include "warpledger/layout/notation/notation.h"
#include "warpledger/layout/notation/scanner.h"
#include "warpledger/layout/notation/swizzle.h"

namespace warpledger::notation {
namespace {

constexpr int64_t kMaxPoints = 1 << 20;
constexpr int64_t kMaxOffset = int64_t{1} << 31;

/// A nested tuple of integers; a leaf has no children.
struct Tuple {
  int64_t value = 0;
  std::vector<Tuple> children = {};
  bool is_leaf = true;
  Span span = {};
};

Result<Tuple> read_tuple(Scanner& scan, int depth) {
  if (depth > 16) return scan.error("nested too deeply");
  Tuple tuple;
  if (scan.at_end()) return scan.error("expected a shape or stride");
  const uint32_t begin = scan.position();
  if (scan.take("(")) {
    tuple.is_leaf = false;
    do {
      WL_TRY(Tuple child, read_tuple(scan, depth + 1));
      tuple.children.push_back(std::move(child));
    } while (scan.take(","));
    WL_TRY_STATUS(scan.expect(")"));
  } else {
    WL_TRY(tuple.value, scan.number());
  }
  tuple.span = {begin, scan.position()};
  return tuple;
}

struct Mode {
  int64_t shape = 1;
  int64_t stride = 0;
};

std::string rank_text(const Tuple& tuple) {
  return tuple.is_leaf ? "an integer" : fmt::format("a tuple of {}", tuple.children.size());
}

/// The leaves of a shape with their strides. Fails unless the two are nested alike.
Status flatten(const Scanner& scan, const Tuple& shape, const Tuple& stride,
               std::vector<Mode>& modes) {
  if (shape.is_leaf != stride.is_leaf || shape.children.size() != stride.children.size()) {
    return scan.error_at(
        stride.span,
        fmt::format("mismatched ranks: {} in the stride corresponds to {} in the shape",
                    rank_text(stride), rank_text(shape)),
        "shape and stride must be nested alike");
  }
  if (shape.is_leaf) {
    if (shape.value < 1) return scan.error_at(shape.span, "a size must be at least 1");
    modes.push_back({shape.value, stride.value});
  }
  for (size_t c = 0; c < shape.children.size(); ++c) {
    WL_TRY_STATUS(flatten(scan, shape.children[c], stride.children[c], modes));
  }
  return {};
}

Result<std::optional<Swizzle>> read_swizzle(Scanner& scan) {
  if (!scan.take("Swizzle<") && !scan.take("Sw<")) return std::optional<Swizzle>();
  WL_TRY(const int64_t bits, scan.number());
  WL_TRY_STATUS(scan.expect(","));
  WL_TRY(const int64_t base, scan.number());
  WL_TRY_STATUS(scan.expect(","));
  const bool negative = scan.take("-");
  WL_TRY(const int64_t shift, scan.number());
  WL_TRY_STATUS(scan.expect(">"));
  if (bits > 8 || base > 20 || shift > 20 || shift < bits) {
    return scan.error("a swizzle needs B <= 8, M <= 20 and B <= |S| <= 20");
  }
  if (scan.take("o") && scan.next() == '0') {
    WL_TRY(const int64_t offset, scan.number());
    if (offset != 0) return scan.error("only offset 0 is supported");
    WL_TRY_STATUS(scan.expect("o"));
  }
  return std::optional<Swizzle>(Swizzle{static_cast<int>(bits), static_cast<int>(base),
                                        static_cast<int>(negative ? -shift : shift)});
}

/// One top-level mode: how many points, and the offset of each.
std::vector<int64_t> offsets_of(const std::vector<Mode>& modes) {
  std::vector<int64_t> offsets = {0};
  for (const Mode& mode : modes) {
    const size_t below = offsets.size();
    for (int64_t step = 1; step < mode.shape; ++step) {
      for (size_t x = 0; x < below; ++x) offsets.push_back(offsets[x] + step * mode.stride);
    }
  }
  return offsets;
}

struct Parsed {
  std::vector<std::vector<Mode>> modes;  // per top-level mode
  std::optional<Swizzle> swizzle;
};

Result<Parsed> parse(Scanner& scan) {
  Parsed parsed;
  WL_TRY(parsed.swizzle, read_swizzle(scan));
  WL_TRY(const Tuple shape, read_tuple(scan, 0));
  WL_TRY_STATUS(scan.expect(":"));
  WL_TRY(const Tuple stride, read_tuple(scan, 0));
  if (!scan.at_end()) return scan.error("unexpected text after the layout");
  std::vector<Mode> all;
  WL_TRY_STATUS(flatten(scan, shape, stride, all));
  int64_t points = 1, reach = 0;
  for (const Mode& mode : all) {
    if (mode.shape > kMaxPoints / points) return scan.error("more than 2^20 points");
    points *= mode.shape;
    reach += (mode.shape - 1) * mode.stride;  // at most 2^20 * 2^40 a mode, and few have shape > 1
    if (reach >= kMaxOffset) return scan.error("the layout reaches offset 2^31");
  }
  if (shape.is_leaf) {
    parsed.modes = {all};
    return parsed;
  }
  for (size_t c = 0; c < shape.children.size(); ++c) {
    parsed.modes.emplace_back();
    WL_TRY_STATUS(flatten(scan, shape.children[c], stride.children[c], parsed.modes.back()));
  }
  return parsed;
}

}  // namespace

Result<Layout> read_cute(const Source& source, const Reading& reading) {
  Scanner scan(source);
  WL_TRY(const Parsed parsed, parse(scan));
  std::vector<int64_t> offsets = {0};
  std::vector<Dim> dims;
  for (size_t m = 0; m < parsed.modes.size(); ++m) {
    const std::vector<int64_t> mode = offsets_of(parsed.modes[m]);
    dims.push_back({m < reading.modes.size() ? reading.modes[m] : fmt::format("mode{}", m),
                    static_cast<int64_t>(mode.size())});
    std::vector<int64_t> wider;
    for (const int64_t outer : mode) {
      for (const int64_t inner : offsets) wider.push_back(inner + outer);
    }
    offsets = std::move(wider);
  }
  uint64_t last = 0;
  std::vector<uint64_t> values;
  for (const int64_t offset : offsets) {
    values.push_back(parsed.swizzle ? (*parsed.swizzle)(static_cast<uint64_t>(offset))
                                    : static_cast<uint64_t>(offset));
    last = std::max(last, values.back());
  }
  const Space to = reading.to ? *reading.to : Space({{"offset", static_cast<int64_t>(last) + 1}});
  if (last >= static_cast<uint64_t>(to.size())) {
    return scan.error_at(
        {0, static_cast<uint32_t>(source.text().size())},
        fmt::format("the layout reaches offset {}, outside {}", last, to_text(to)));
  }
  const Layout table(Space(std::move(dims)), to, std::move(values));
  const Fit found = fit(table);
  if (found.map && found.offset == 0 && found.map->from() == table.from() &&
      found.map->to() == table.to()) {
    return Layout(*found.map);
  }
  return table;
}

namespace {

/// Consecutive bits whose offsets double are one (shape):(stride) mode.
std::vector<Mode> modes_of(const std::vector<uint64_t>& bases) {
  std::vector<Mode> modes;
  uint64_t last = 0;
  for (const uint64_t base : bases) {
    if (!modes.empty() && base == last * 2) {
      modes.back().shape *= 2;
    } else {
      modes.push_back({2, static_cast<int64_t>(base)});
    }
    last = base;
  }
  if (modes.empty()) modes.push_back({1, 0});
  return modes;
}

/// True when sums and exclusive ors of the bases agree: no two share a bit.
bool never_carries(const std::vector<uint64_t>& bases) {
  uint64_t seen = 0;
  for (const uint64_t base : bases) {
    if (seen & base) return false;
    seen |= base;
  }
  return true;
}

std::string print_strided(const LinearMap& map) {
  std::string shape, stride;
  for (const Dim& dim : map.from().dims()) {
    const std::vector<Mode> modes = modes_of(map.bases_of(dim.name));
    std::string shapes, strides;
    for (const Mode& mode : modes) {
      shapes += fmt::format("{}{}", shapes.empty() ? "" : ",", mode.shape);
      strides += fmt::format("{}{}", strides.empty() ? "" : ",", mode.stride);
    }
    const bool nested = modes.size() > 1;
    const std::string comma = shape.empty() ? "" : ",";
    shape += comma + (nested ? "(" + shapes + ")" : shapes);
    stride += comma + (nested ? "(" + strides + ")" : strides);
  }
  return fmt::format("({}):({})", shape, stride);
}

}  // namespace

std::optional<std::string> print_cute(const LinearMap& map) {
  if (never_carries(map.bases())) return print_strided(map);
  const int64_t size = map.to().size();
  const Space flat({{"offset", size}});
  for (int bits = 1; bits <= 4; ++bits) {
    for (int base = 0; base + bits < map.to().bits(); ++base) {
      for (int shift = bits; base + shift + bits <= map.to().bits(); ++shift) {
        const Swizzle swizzle{bits, base, shift};
        const auto rest = compose(swizzle_map(swizzle, size), reshape_outputs(map, flat));
        if (!never_carries(rest->bases())) continue;
        return to_text(swizzle) + " o " + print_strided(*rest);
      }
    }
  }
  return std::nullopt;
}

}  // namespace warpledger::notation
