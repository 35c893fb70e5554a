// What the names of a kernel mean at the statement at hand: tiles, indices of the grid and of the
// loops around, and copies that have not landed. check_kernel.cpp has the rules of the statements.
// Private to tile/.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "warpledger/tile/check.h"

namespace warpledger::tile {

/// "[Br, d]".
[[nodiscard]] std::string shape_text(const TileType& type);

class Scope {
 public:
  explicit Scope(const Program& program) : program_(program) {}

  /// Faults from here on are at `span`.
  void go_to(Span span) { span_ = span; }
  [[nodiscard]] Span span() const { return span_; }
  [[nodiscard]] Diagnostic bad(std::string message, std::string hint, std::string code) const {
    return fault(program_, span_, std::move(message), std::move(hint), std::move(code));
  }

  [[nodiscard]] Status add_index(const std::string& variable, const Expression& count);
  void drop_index() { indices_.pop_back(); }

  /// The tiles that can be seen: what a loop's body defines is hidden again when it ends.
  [[nodiscard]] std::set<std::string> visible() const { return visible_; }
  void hide_but(std::set<std::string> outside) { visible_ = std::move(outside); }

  /// A new tile.
  [[nodiscard]] Status define(const std::string& name, TileType type);
  /// `name` becomes a tile of `type`, or is an accumulator of that shape and space.
  [[nodiscard]] Status assign(const std::string& name, const TileType& type, bool accumulates);
  [[nodiscard]] Result<TileType> use(const std::string& name) const;
  [[nodiscard]] Result<TileType> use_in_registers(const std::string& name) const;

  /// An asynchronous copy begins, and has landed; false: none was under way.
  void start_copy(const std::string& tile) { pending_.insert(tile); }
  [[nodiscard]] bool land(const std::string& tile) { return pending_.erase(tile) > 0; }

  /// What a slice of a tensor is as a tile.
  [[nodiscard]] Result<TileType> slice(const Place& place) const;

  /// A size or a scalar of the program.
  [[nodiscard]] bool is_scalar(const std::string& name) const;

  [[nodiscard]] TileTypes take_types() { return std::move(types_); }

 private:
  [[nodiscard]] bool is_taken(const std::string& name) const;
  /// The extent that one index leaves of a dimension; absent when it drops it.
  [[nodiscard]] Result<std::optional<Expression>> extent(const Index& index,
                                                         const Expression& dimension) const;

  const Program& program_;
  Span span_ = {};
  TileTypes types_;
  std::set<std::string> visible_;
  std::set<std::string> pending_;
  std::vector<std::pair<std::string, Expression>> indices_;
};

}  // namespace warpledger::tile
