// What a buffer should hold, as an expression of its element number i and of the arguments before
// the launch: for `warpledger run --check`.
//
//   2 * x + y              x and y are element i of those buffers, or scalars
//   x[n - 1 - i]           another element
//   sum(k, 0, n, a[i // n * n + k] * b[k * n + i % n])
// Operators + - * / // (rounded down) % and comparisons < <= > >= == !=; functions abs sqrt exp log
// floor min max if(condition, a, b).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "warpledger/launch/argument.h"

namespace warpledger::exec {

class Expression {
 public:
  /// Fails with the place of the fault. Names must be arguments, i, or bound by sum().
  [[nodiscard]] static Result<Expression> parse(const std::string& text,
                                                const std::vector<Argument>& arguments);
  [[nodiscard]] double operator()(uint64_t i) const;

  /// Values of i and of the variables that sums bind, innermost last.
  using Scope = std::vector<double>;
  using Node = std::function<double(Scope&)>;

 private:
  explicit Expression(Node node) : node_(std::move(node)) {}
  Node node_;
};

struct Mismatch {
  uint64_t index = 0;
  double expected = 0, actual = 0;
};
struct Comparison {
  uint64_t compared = 0, different = 0;
  double largest_error = 0;  // |actual - expected| / max(1, |expected|)
  std::optional<Mismatch> first;
};
/// Elements differ when |actual - expected| > tolerance * max(1, |expected|), or only one is NaN.
[[nodiscard]] Comparison compare_elements(uint64_t count, double tolerance,
                                          const std::function<double(uint64_t)>& expected,
                                          const std::function<double(uint64_t)>& actual);

}  // namespace warpledger::exec
