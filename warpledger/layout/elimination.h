// Gaussian elimination over F2 on vectors packed in 64-bit words: the one place that does it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace warpledger {

/// The span of the vectors added so far, kept in echelon form with a record of which inputs make
/// each row, so that membership questions also answer "as the sum of which vectors".
class Elimination {
 public:
  Elimination() = default;
  explicit Elimination(const std::vector<uint64_t>& vectors);

  /// Adds a vector as the next input. Returns true when it was independent of those before; when
  /// not, the combination of inputs that sums to zero is appended to kernel().
  bool add(uint64_t vector);
  [[nodiscard]] int rank() const { return static_cast<int>(rows_.size()); }
  [[nodiscard]] bool contains(uint64_t vector) const { return combination(vector).has_value(); }
  /// The mask of inputs whose sum is `vector`, or nothing when it is outside the span. Only inputs
  /// that were independent when added take part.
  [[nodiscard]] std::optional<uint64_t> combination(uint64_t vector) const;
  /// Masks of inputs; together they span every combination that sums to zero.
  [[nodiscard]] const std::vector<uint64_t>& kernel() const { return kernel_; }

 private:
  struct Reduced {
    uint64_t rest;     // what no row explains
    uint64_t sources;  // the inputs used on the way
  };
  struct Line {
    uint64_t vector;
    uint64_t sources;
  };
  [[nodiscard]] Reduced reduce(uint64_t vector) const;

  std::vector<Line> rows_;
  std::vector<uint64_t> kernel_;
  int inputs_ = 0;
};

[[nodiscard]] int rank_of(const std::vector<uint64_t>& vectors);

}  // namespace warpledger
