// layout/: which lane and register holds which element, and what follows from it.
//
// The room knows linear maps over F2 and their algebra (linear_map.h), the three notations people
// write layouts in (notation/), the register maps of every tensor-core instruction (catalog/),
// shared-memory banks (banks/), conversions between layouts (convert/), reductions (reduce.h), and
// how to re-derive a map from the installed compiler (derive/, which alone runs a tool).
// It must not know kernels, counters, GPUs' sizes or how an answer is printed.
//
// Layout is the value behind every question: a LinearMap where the layout is linear over F2, a
// table of all its values where it is not (padding, offsets that carry, sizes that are no power of
// two).
#pragma once

#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "warpledger/layout/linear_map.h"

namespace warpledger {

class Layout {
 public:
  Layout() = default;
  Layout(LinearMap map) : from_(map.from()), to_(map.to()), values_(std::move(map)) {}
  /// values[x] is the image of the packed point x. Pre: values.size() == from.size().
  Layout(Space from, Space to, std::vector<uint64_t> values);
  /// The layout of a function on coordinates.
  [[nodiscard]] static Layout tabulate(
      const Space& from, const Space& to,
      const std::function<std::vector<int64_t>(const std::vector<int64_t>&)>& function);

  [[nodiscard]] const Space& from() const { return from_; }
  [[nodiscard]] const Space& to() const { return to_; }
  [[nodiscard]] uint64_t operator()(uint64_t x) const;
  [[nodiscard]] std::vector<int64_t> at(const std::vector<int64_t>& coordinates) const;
  /// The map, when the layout was given as one (fit() finds it when it was given as a table).
  [[nodiscard]] const LinearMap* linear() const { return std::get_if<LinearMap>(&values_); }

  /// Every input that holds `point`, in ascending order.
  [[nodiscard]] std::vector<uint64_t> holders(uint64_t point) const;
  [[nodiscard]] bool is_injective() const;

 private:
  Space from_;
  Space to_;
  std::variant<LinearMap, std::vector<uint64_t>> values_;
};

/// f(x) ^ f(y) ^ f(x ^ y) ^ f(0) != 0: proof that f is not linear, up to an offset, over F2.
struct NonLinearity {
  uint64_t x = 0;
  uint64_t y = 0;
};

/// What a layout looks like over F2: f(x) == map(x) ^ offset, or a witness that it is not so.
/// Inputs that are no power of two are padded; only points of the layout are tested.
struct Fit {
  std::optional<LinearMap> map;
  uint64_t offset = 0;
  std::optional<NonLinearity> witness;
};
[[nodiscard]] Fit fit(const Layout& layout);

/// The same layout as a LinearMap; fails with the witness in words.
[[nodiscard]] Result<LinearMap> require_linear(const Layout& layout);

/// "(register 3, lane 5)" for a point of a space.
[[nodiscard]] std::string point_text(const Space& space, uint64_t point);

}  // namespace warpledger
