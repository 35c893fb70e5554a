// A Space is an ordered list of named sizes: (register 8, lane 32), (row 16, col 16), (offset
// 4096). A point of it is one integer, packed in mixed radix with the first dimension fastest:
//   pack(x0, x1, ...) = x0 + size0 * (x1 + size1 * (...)).
// When every size is a power of two the packed point is a word of bits, and F2 algebra applies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpledger {

struct Dim {
  std::string name;
  int64_t size = 1;
  friend bool operator==(const Dim&, const Dim&) = default;
};

class Space {
 public:
  Space() = default;
  explicit Space(std::vector<Dim> dims);  // Pre: sizes >= 1, names distinct, product < 2^63

  [[nodiscard]] const std::vector<Dim>& dims() const { return dims_; }
  [[nodiscard]] int64_t size() const { return size_; }
  [[nodiscard]] std::optional<size_t> find(std::string_view name) const;
  /// The size of a dimension; 1 when there is none of that name.
  [[nodiscard]] int64_t size_of(std::string_view name) const;

  /// Post: unpack(pack(x)) == x for 0 <= x[d] < dims()[d].size.
  [[nodiscard]] uint64_t pack(const std::vector<int64_t>& coordinates) const;
  [[nodiscard]] std::vector<int64_t> unpack(uint64_t point) const;
  [[nodiscard]] bool contains(const std::vector<int64_t>& coordinates) const;

  /// True when every size is a power of two.
  [[nodiscard]] bool is_bits() const;
  /// Pre: is_bits(). Post: size() == 2^bits().
  [[nodiscard]] int bits() const;
  /// Pre: is_bits(). The lowest bit of dimension `d` in a packed point, and how many it has.
  [[nodiscard]] int first_bit(size_t d) const;
  [[nodiscard]] int bits_of(size_t d) const;
  /// Every size rounded up to a power of two.
  [[nodiscard]] Space padded() const;

  friend bool operator==(const Space&, const Space&) = default;

 private:
  std::vector<Dim> dims_;
  int64_t size_ = 1;
};

/// "(row 16, col 16)".
[[nodiscard]] std::string to_text(const Space& space);

}  // namespace warpledger
