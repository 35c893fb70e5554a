#include "warpledger/wire/wire.h"

#include <fmt/core.h>

#include <bit>
#include <optional>

namespace warpledger::wire {
namespace {

constexpr uint64_t kMore = 0x80;  // the bit of a varint's byte that says so
constexpr int kVarintBits = 7, kKindBits = 3;
constexpr uint32_t kLastNumber = (1u << 29) - 1;

void put_varint(uint64_t value, std::string& bytes) {
  for (; value >= kMore; value >>= kVarintBits) bytes += static_cast<char>(value | kMore);
  bytes += static_cast<char>(value);
}

void put_fixed(uint64_t bits, int size, std::string& bytes) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(bits >> (8 * i));
}

/// What is left of a message that is being read.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : left_(bytes) {}

  [[nodiscard]] bool at_end() const { return left_.empty(); }

  std::optional<uint64_t> take_varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !left_.empty(); shift += kVarintBits) {
      const auto byte = static_cast<uint8_t>(left_.front());
      left_.remove_prefix(1);
      value |= (byte & (kMore - 1)) << shift;
      if (byte < kMore) return value;
    }
    return {};
  }

  std::optional<uint64_t> take_fixed(size_t size) {
    const auto bytes = take(size);
    if (!bytes) return {};
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value |= uint64_t{static_cast<uint8_t>((*bytes)[i])} << 8 * i;
    return value;
  }

  std::optional<std::string_view> take(uint64_t size) {
    if (size > left_.size()) return {};
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

 private:
  std::string_view left_;
};

std::optional<Field> take_field(Cursor& cursor) {
  const auto tag = cursor.take_varint();
  if (!tag || *tag >> kKindBits == 0 || *tag >> kKindBits > kLastNumber) return {};
  Field field{.number = static_cast<uint32_t>(*tag >> kKindBits),
              .kind = static_cast<Kind>(*tag & ((1u << kKindBits) - 1))};
  std::optional<uint64_t> value;
  if (field.kind == Kind::kFixed64) value = cursor.take_fixed(sizeof(double));
  if (field.kind == Kind::kFixed32) value = cursor.take_fixed(sizeof(float));
  if (field.kind == Kind::kVarint || field.kind == Kind::kBytes) value = cursor.take_varint();
  if (!value) return {};
  if (field.kind != Kind::kBytes) return field.value = *value, field;
  const auto bytes = cursor.take(*value);
  if (!bytes) return {};
  return field.bytes = *bytes, field;
}

}  // namespace

double Field::as_double() const { return std::bit_cast<double>(value); }

float Field::as_float() const { return std::bit_cast<float>(static_cast<uint32_t>(value)); }

double Field::number_value() const {
  if (kind == Kind::kFixed64) return as_double();
  return kind == Kind::kFixed32 ? as_float() : static_cast<double>(value);
}

Result<Fields> read_message(std::string_view bytes) {
  Fields fields;
  Cursor cursor(bytes);
  while (!cursor.at_end()) {
    const auto field = take_field(cursor);
    if (!field) {
      return Diagnostic{
          .message = fmt::format("a message ends after {} of its fields", fields.size()),
          .code = "bad-message"};
    }
    fields.push_back(*field);
  }
  return fields;
}

const Field* find(const Fields& fields, uint32_t number) {
  const Field* found = nullptr;
  for (const Field& field : fields) {
    if (field.number == number) found = &field;
  }
  return found;
}

uint64_t value_of(const Fields& fields, uint32_t number) {
  const Field* field = find(fields, number);
  return field == nullptr ? 0 : field->value;
}

std::string_view bytes_of(const Fields& fields, uint32_t number) {
  const Field* field = find(fields, number);
  return field == nullptr ? std::string_view() : field->bytes;
}

void Message::add_tag(uint32_t number, Kind kind) {
  WL_CHECK(number > 0 && number <= kLastNumber);
  put_varint(uint64_t{number} << kKindBits | static_cast<uint64_t>(kind), bytes_);
}

Message& Message::add(uint32_t number, uint64_t value) {
  add_tag(number, Kind::kVarint);
  put_varint(value, bytes_);
  return *this;
}

Message& Message::add_double(uint32_t number, double value) {
  add_tag(number, Kind::kFixed64);
  put_fixed(std::bit_cast<uint64_t>(value), sizeof value, bytes_);
  return *this;
}

Message& Message::add_float(uint32_t number, float value) {
  add_tag(number, Kind::kFixed32);
  put_fixed(std::bit_cast<uint32_t>(value), sizeof value, bytes_);
  return *this;
}

Message& Message::add(uint32_t number, std::string_view bytes) {
  add_tag(number, Kind::kBytes);
  put_varint(bytes.size(), bytes_);
  bytes_ += bytes;
  return *this;
}

Message& Message::add(uint32_t number, const Message& inner) {
  return add(number, std::string_view(inner.bytes()));
}

Message& Message::add_if(uint32_t number, std::string_view bytes) {
  return bytes.empty() ? *this : add(number, bytes);
}

}  // namespace warpledger::wire
