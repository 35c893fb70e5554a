#include "warpledger/ncu/wire.h"

namespace warpledger::ncu {

std::optional<uint64_t> WireReader::varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<uint64_t> WireReader::fixed(size_t size) {
  if (rest_.size() < size) return std::nullopt;
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
  rest_.remove_prefix(size);
  return value;
}

std::optional<WireField> WireReader::fail() {
  broken_ = true;
  rest_ = {};
  return std::nullopt;
}

std::optional<WireField> WireReader::next() {
  if (rest_.empty()) return std::nullopt;
  const auto tag = varint();
  if (!tag) return fail();
  WireField field{.number = static_cast<uint32_t>(*tag >> 3)};
  const auto kind = *tag & 7;
  if (kind == 2) {
    const auto size = varint();
    if (!size || *size > rest_.size()) return fail();
    field.is_bytes = true;
    field.bytes = rest_.substr(0, *size);
    rest_.remove_prefix(*size);
    return field;
  }
  if (kind != 0 && kind != 1 && kind != 5) return fail();
  const auto value = kind == 0 ? varint() : fixed(kind == 1 ? 8 : 4);
  if (!value) return fail();
  field.value = *value;
  return field;
}

}  // namespace warpledger::ncu
