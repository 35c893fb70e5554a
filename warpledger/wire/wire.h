// wire/: messages as Protocol Buffers encode them (protobuf.dev/programming-guides/encoding): a
// message is a list of fields, each with a number and a value. The room knows bytes and numbers; it
// must not know what any message means, and it needs no library of protobuf and no .proto file.
//
//   tag      varint of (number << 3 | wire type)
//   varint   7 bits a byte, the lowest first, the top bit set where more follow
//   bytes    varint of the length, then the bytes: texts, byte strings, messages in messages
//   fixed    4 or 8 bytes, little endian: float and double
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::wire {

enum class Kind : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// One field as it stands in a message. `bytes` points into the text that was read.
struct Field {
  uint32_t number = 0;
  Kind kind = Kind::kVarint;
  uint64_t value = 0;           // of kVarint; the bits of kFixed64 and kFixed32
  std::string_view bytes = {};  // of kBytes

  [[nodiscard]] double as_double() const;  // of kFixed64
  [[nodiscard]] float as_float() const;    // of kFixed32
  /// The number, whatever its encoding.
  [[nodiscard]] double number_value() const;
};
using Fields = std::vector<Field>;

/// All fields, in their order, unknown ones too. Fails with "bad-message" where the bytes end too
/// early, a field has the number 0, or a group begins (proto2's, which nobody writes).
[[nodiscard]] Result<Fields> read_message(std::string_view bytes);

/// The last field of that number, as protobuf reads a field that may stand once; null: none.
[[nodiscard]] const Field* find(const Fields& fields, uint32_t number);
/// find(), as a number or as bytes; 0 and "" where there is none.
[[nodiscard]] uint64_t value_of(const Fields& fields, uint32_t number);
[[nodiscard]] std::string_view bytes_of(const Fields& fields, uint32_t number);

/// Post: read_message(bytes()) gives back what was added, in order.
class Message {
 public:
  Message& add(uint32_t number, uint64_t value);  // uint32, uint64, bool, enum
  Message& add_double(uint32_t number, double value);
  Message& add_float(uint32_t number, float value);
  Message& add(uint32_t number, std::string_view bytes);
  Message& add(uint32_t number, const Message& inner);
  /// Only where it says something.
  Message& add_if(uint32_t number, std::string_view bytes);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void add_tag(uint32_t number, Kind kind);
  std::string bytes_;
};

}  // namespace warpledger::wire
