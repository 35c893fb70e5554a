// Protocol buffers on the wire: (field number, value) pairs, without a schema. Private to ncu/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpledger::ncu {

struct WireField {
  uint32_t number = 0;
  uint64_t value = 0;           // a varint, or the bits of a fixed 32 or 64 bit number
  std::string_view bytes = {};  // a string or a message
  bool is_bytes = false;
};

/// The fields of one message, in its order.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// Nothing at the end of the message, or where it breaks off: see broken().
  [[nodiscard]] std::optional<WireField> next();
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  [[nodiscard]] std::optional<uint64_t> varint();
  [[nodiscard]] std::optional<uint64_t> fixed(size_t size);
  [[nodiscard]] std::optional<WireField> fail();

  std::string_view rest_;
  bool broken_ = false;
};

}  // namespace warpledger::ncu
