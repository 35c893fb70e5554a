#include "warpledger/exec/decode/tensor_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace warpledger::exec {
namespace {

constexpr uint32_t kMagic = 0x4d544c57;  // "WLTM"

// As in memory: 4 + 4 + 8 + 8 + 40 + 32 + 20 + 8 bytes of the 128.
struct Encoded {
  uint32_t magic = kMagic;
  uint8_t element = 0, rank = 0, swizzle = 0, fills_nan = 0;
  // CUTLASS and Triton clear a bit here, of maps of small tensors, against a fault of old drivers.
  uint64_t not_ours = 0;
  uint64_t address = 0;
  uint64_t size[kMostDimensions] = {};
  uint64_t stride[kMostDimensions - 1] = {};
  uint32_t box[kMostDimensions] = {};
  uint8_t element_stride[8] = {};
};
static_assert(sizeof(Encoded) <= kTensorMapBytes);

Diagnostic bad(std::string message) {
  return {.message = "tensor map: " + std::move(message), .code = "bad-tensor-map"};
}

Status check_dimension(const TensorMap& map, size_t d) {
  if (map.size[d] == 0 || map.size[d] > uint64_t{1} << 32)
    return bad(fmt::format("dimension {} has {} elements; 1 to 2^32 are allowed", d, map.size[d]));
  if (map.box[d] == 0 || map.box[d] > 256)
    return bad(fmt::format("the box spans {} elements of dimension {}; 1 to 256 are allowed",
                           map.box[d], d));
  if (map.element_stride[d] == 0 || map.element_stride[d] > 8)
    return bad(fmt::format("element stride {} of dimension {}; 1 to 8 are allowed",
                           map.element_stride[d], d));
  if (d > 0 && (map.stride[d - 1] % 16 != 0 || map.stride[d - 1] >= uint64_t{1} << 40))
    return bad(fmt::format("stride {} of dimension {} is not a multiple of 16 below 2^40",
                           map.stride[d - 1], d));
  return {};
}

/// So many elements of a row, in shared memory.
uint32_t shared_bytes(const TensorMap& map, uint32_t elements) {
  const Packing packing = packing_of(map.element);
  return elements / packing.elements * packing.shared_bytes;
}

uint32_t row_bytes(const TensorMap& map) { return shared_bytes(map, map.count(0)); }

uint32_t pitch_of(const TensorMap& map) {
  return map.swizzle == SharedMode::kNone ? row_bytes(map)
         : map.swizzle == SharedMode::k128Atom32
             ? 128
             : static_cast<uint32_t>(facts_of(map.swizzle).row_bytes);
}

/// What the driver asks of maps of 4-bit and 6-bit elements.
Status check_packing(const TensorMap& map) {
  const Packing packing = packing_of(map.element);
  if (packing.elements == 1) return {};
  const uint32_t multiple = packing.is_padded() ? 128 : 2;
  if (map.size[0] % multiple != 0)
    return bad(fmt::format("dimension 0 has {} packed elements; it must be a multiple of {}",
                           map.size[0], multiple));
  if (map.element_stride[0] != 1 || map.fills_nan)
    return bad("packed elements require element stride 1 and zero fill");
  if (!packing.is_padded()) return {};
  if (map.box[0] != 128)
    return bad(fmt::format("the box spans {} padded elements, not 128", map.box[0]));
  const bool is_aligned =
      map.address % 32 == 0 && std::all_of(map.stride.begin(), map.stride.begin() + (map.rank - 1),
                                           [](uint64_t stride) { return stride % 32 == 0; });
  return is_aligned
             ? Status{}
             : bad("padded elements require an address and strides that are multiples of 32 bytes");
}

/// One row of a box: where it begins, and which of its elements are inside the tensor.
struct Row {
  int64_t first = 0;    // index of its first element in dimension 0
  uint64_t global = 0;  // address of element 0 of dimension 0
  bool inside = true;   // in the other dimensions
  uint32_t shared = 0;  // before the swizzle
};

class BoxMaker {
 public:
  BoxMaker(const TensorMap& map, Box& box)
      : map_(map),
        box_(box),
        packing_(packing_of(map.element)),
        swizzle_(facts_of(map.swizzle).swizzle) {}

  void add(const Row& row) {
    const uint32_t n = map_.count(0) / packing_.elements, step = map_.element_stride[0];
    const int64_t first = row.first / packing_.elements;
    const auto size = static_cast<int64_t>(map_.size[0] / packing_.elements);
    const auto is_inside = [&](uint32_t i) {
      const int64_t at = first + int64_t{i} * step;
      return row.inside && at >= 0 && at < size;
    };
    for (uint32_t i = 0; i < n;) {
      const bool inside = is_inside(i);
      uint32_t end = i + 1;
      while (end < n && is_inside(end) == inside && (step == 1 || !inside)) ++end;
      const uint64_t global =
          row.global + static_cast<uint64_t>(first + int64_t{i} * step) * packing_.global_bytes;
      if (inside) add_run(global, (end - i) * packing_.global_bytes);
      add_units(global, row.shared + i * packing_.shared_bytes, end - i, inside);
      i = end;
    }
  }

 private:
  void add_run(uint64_t global, uint32_t bytes) {
    if (!box_.runs.empty() && box_.runs.back().global + box_.runs.back().bytes == global &&
        map_.element_stride[0] == 1 && map_.rank == 1) {
      box_.runs.back().bytes += bytes;
    } else {
      box_.runs.push_back({global, bytes});
    }
  }
  void add_units(uint64_t global, uint32_t shared, uint32_t units, bool inside) {
    if (!packing_.is_padded())
      return add_pieces(global, shared, units * packing_.shared_bytes, inside);
    for (uint32_t i = 0; i < units; ++i) {
      add_pieces(global + i * packing_.global_bytes, shared + i * packing_.shared_bytes,
                 packing_.global_bytes, inside);
    }
  }
  // A swizzle moves pieces of 16 bytes.
  void add_pieces(uint64_t global, uint32_t shared, uint32_t bytes, bool inside) {
    const bool whole = map_.swizzle == SharedMode::kNone;
    while (bytes != 0) {
      const uint32_t piece = whole ? bytes : std::min(bytes, 16 - shared % 16);
      const auto at = static_cast<uint32_t>(whole ? shared : swizzle_(shared));
      box_.pieces.push_back({inside ? global : 0, at, piece, inside});
      global += piece, shared += piece, bytes -= piece;
    }
  }

  const TensorMap& map_;
  Box& box_;
  Packing packing_;
  Swizzle swizzle_;
};

}  // namespace

Packing packing_of(TensorElement element) {
  switch (element) {
    case TensorElement::kU8:
      return {1, 1, 1};
    case TensorElement::kU16:
    case TensorElement::kF16:
    case TensorElement::kBf16:
      return {1, 2, 2};
    case TensorElement::kU64:
    case TensorElement::kS64:
    case TensorElement::kF64:
      return {1, 8, 8};
    case TensorElement::k4Bit:
      return {2, 1, 1};
    case TensorElement::k4BitPadded:
      return {16, 8, 16};
    case TensorElement::k6BitPadded:
      return {16, 12, 16};
    default:
      return {1, 4, 4};
  }
}

uint32_t TensorMap::box_bytes() const {
  uint32_t bytes = shared_bytes(*this, count(0));
  for (size_t d = 1; d < rank; ++d) bytes *= count(d);
  return bytes;
}

uint64_t TensorMap::last_row() const {
  uint64_t rows = 1;
  for (size_t d = 1; d < rank; ++d) rows *= count(d);
  return (rows - 1) * pitch_of(*this);
}

uint32_t TensorMap::moved_bytes() const {
  const Packing packing = packing_of(element);
  return box_bytes() / packing.shared_bytes * packing.global_bytes;
}

Status check(const TensorMap& map) {
  if (map.rank == 0 || map.rank > kMostDimensions)
    return bad(fmt::format("{} dimensions; 1 to 5 are allowed", map.rank));
  if (map.address % 16 != 0) return bad("the address is not a multiple of 16");
  for (size_t d = 0; d < map.rank; ++d) WL_TRY_STATUS(check_dimension(map, d));
  if (map.element > kLastTensorElement)
    return bad(fmt::format("unknown element type {}", static_cast<int>(map.element)));
  WL_TRY_STATUS(check_packing(map));
  const uint32_t inner = shared_bytes(map, map.box[0]);
  if (inner % 16 != 0)
    return bad(fmt::format(
        "the box's innermost dimension has {} bytes, which is not a multiple of 16", inner));
  if (map.swizzle != SharedMode::kNone && inner > pitch_of(map)) {
    return bad(fmt::format("the box's innermost dimension has {} bytes, more than the swizzle's {}",
                           inner, pitch_of(map)));
  }
  return {};
}

TensorMapBytes encode_unchecked(const TensorMap& map) {
  Encoded encoded{.element = static_cast<uint8_t>(map.element),
                  .rank = static_cast<uint8_t>(map.rank),
                  .swizzle = static_cast<uint8_t>(map.swizzle),
                  .fills_nan = static_cast<uint8_t>(map.fills_nan ? 1 : 0),
                  .address = map.address};
  for (size_t d = 0; d < kMostDimensions; ++d) {
    encoded.size[d] = map.size[d];
    encoded.box[d] = map.box[d];
    encoded.element_stride[d] = static_cast<uint8_t>(map.element_stride[d]);
    if (d > 0) encoded.stride[d - 1] = map.stride[d - 1];
  }
  TensorMapBytes bytes = {};
  std::memcpy(bytes.data(), &encoded, sizeof encoded);
  return bytes;
}

Result<TensorMapBytes> encode(const TensorMap& map) {
  WL_TRY_STATUS(check(map));
  return encode_unchecked(map);
}

Result<TensorMap> decode_tensor_map(std::span<const std::byte> bytes) {
  Encoded encoded;
  if (bytes.size() < kTensorMapBytes) return bad("fewer than 128 bytes");
  std::memcpy(&encoded, bytes.data(), sizeof encoded);
  if (encoded.magic != kMagic) {
    return Diagnostic{.message = "the 128 bytes are not a tensor map",
                      .hint = "make it with cuTensorMapEncodeTiled",
                      .code = "bad-tensor-map"};
  }
  if (encoded.swizzle >= shared_modes().size())
    return bad(fmt::format("unknown swizzle {}", encoded.swizzle));
  TensorMap map{.element = static_cast<TensorElement>(encoded.element),
                .rank = encoded.rank,
                .address = encoded.address,
                .swizzle = static_cast<SharedMode>(encoded.swizzle),
                .fills_nan = encoded.fills_nan != 0};
  for (size_t d = 0; d < kMostDimensions; ++d) {
    map.size[d] = encoded.size[d];
    map.box[d] = encoded.box[d];
    map.element_stride[d] = encoded.element_stride[d];
    if (d > 0) map.stride[d - 1] = encoded.stride[d - 1];
  }
  return map;
}

Box box_of(const TensorMap& map, std::span<const int32_t> corner, uint32_t shared) {
  Box box;
  BoxMaker maker(map, box);
  uint32_t rows = 1;
  for (size_t d = 1; d < map.rank; ++d) rows *= map.count(d);
  for (uint32_t number = 0; number < rows; ++number) {
    Row row{.first = corner[0], .global = map.address, .shared = shared + number * pitch_of(map)};
    uint32_t left = number;
    for (size_t d = 1; d < map.rank; ++d) {
      const int64_t at = int64_t{corner[d]} + int64_t{left % map.count(d)} * map.element_stride[d];
      left /= map.count(d);
      row.inside = row.inside && at >= 0 && at < static_cast<int64_t>(map.size[d]);
      row.global += static_cast<uint64_t>(at) * map.stride[d - 1];
    }
    maker.add(row);
  }
  return box;
}

}  // namespace warpledger::exec
