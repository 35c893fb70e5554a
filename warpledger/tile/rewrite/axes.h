// Which dimensions of a kernel are one dimension? The rows of Q are the rows of the scores and of
// the output; the rows of K are the columns of the scores and the rows of V. Statements that need
// equal extents join axes into classes; a class can be split into blocks as a whole.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "warpledger/tile/check.h"

namespace warpledger::tile {

/// 0: rows, 1: columns of a tile.
struct TileAxis {
  std::string tile;
  int axis = 0;
  friend auto operator<=>(const TileAxis&, const TileAxis&) = default;
};

class AxisClasses {
 public:
  /// Pre: the body holds no loop.
  AxisClasses(const Program& program, const TileTypes& types, const Body& body);

  /// The classes by number, in order of first appearance; columns of extent 1 belong to none.
  [[nodiscard]] int count() const { return count_; }
  /// -1 for an axis that belongs to none.
  [[nodiscard]] int class_of(const std::string& tile, int axis) const;
  /// The class of dimension `dimension` of the slice that statement `at` loads or stores; -1: none.
  [[nodiscard]] int class_of_slice(size_t at, size_t dimension) const;
  [[nodiscard]] const Expression& extent(int number) const;
  /// Statement `at` sums or takes the maximum over this class.
  [[nodiscard]] bool is_reduced_by(int number, size_t at) const;
  [[nodiscard]] bool is_reduced(int number) const;
  /// Rows and columns of one tile are the same class: it cannot be split.
  [[nodiscard]] bool is_twisted(int number) const;

 private:
  void join_statement(const Program& program, const Statement& statement, size_t at);
  void join(TileAxis a, TileAxis b);
  TileAxis root(TileAxis axis) const;
  void number_classes(const Body& body);

  const TileTypes& types_;
  std::map<TileAxis, TileAxis> parent_;
  std::map<TileAxis, int> numbers_;                      // by root
  std::map<size_t, TileAxis> reduced_;                   // statement -> axis
  std::map<std::pair<size_t, size_t>, TileAxis> slice_;  // (statement, dimension) -> axis
  std::vector<Expression> extents_;
  int count_ = 0;
};

}  // namespace warpledger::tile
