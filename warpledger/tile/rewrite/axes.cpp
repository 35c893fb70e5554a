#include "warpledger/tile/rewrite/axes.h"

#include "warpledger/tile/statements.h"

namespace warpledger::tile {

AxisClasses::AxisClasses(const Program& program, const TileTypes& types, const Body& body)
    : types_(types) {
  for (size_t at = 0; at < body.size(); ++at) join_statement(program, body[at], at);
  number_classes(body);
}

TileAxis AxisClasses::root(TileAxis axis) const {
  for (auto found = parent_.find(axis); found != parent_.end(); found = parent_.find(axis)) {
    axis = found->second;
  }
  return axis;
}

void AxisClasses::join(TileAxis a, TileAxis b) {
  a = root(a);
  b = root(b);
  if (a != b) parent_[b] = a;
}

void AxisClasses::join_statement(const Program& program, const Statement& statement, size_t at) {
  const auto slices = [&](const Place& place, const std::string& tile) {
    int axis = 0;
    for (size_t i = 0; i < place.index.size(); ++i) {
      if (place.index[i].kind != Index::Kind::kAt) slice_[{at, i}] = {tile, axis++};
    }
  };
  if (const auto* load = std::get_if<Load>(&statement.node)) {
    if (program.tensor(load->from.name) != nullptr) return slices(load->from, load->result);
    join({load->from.name, 0}, {load->result, 0});
    join({load->from.name, 1}, {load->result, 1});
  } else if (const auto* store = std::get_if<Store>(&statement.node)) {
    slices(store->to, store->tile);
  } else if (const auto* product = std::get_if<Matmul>(&statement.node)) {
    const int inner = product->is_transposed ? 1 : 0;
    join({product->left, 0}, {product->result, 0});
    join({product->right, 1 - inner}, {product->result, 1});
    join({product->left, 1}, {product->right, inner});
    reduced_[at] = {product->left, 1};
  } else if (const auto* reduce = std::get_if<Reduce>(&statement.node)) {
    join({reduce->source, 0}, {reduce->result, 0});
    reduced_[at] = {reduce->source, 1};
  } else if (const auto* each = std::get_if<Elementwise>(&statement.node)) {
    for (const std::string& name : names_in(each->formula)) {
      if (types_.count(name) == 0) continue;
      join({name, 0}, {each->result, 0});
      if (types_.at(name).cols == types_.at(each->result).cols) join({name, 1}, {each->result, 1});
    }
  }
}

void AxisClasses::number_classes(const Body& body) {
  for (const Statement& statement : body) {
    const auto tile = tile_written(statement);
    if (!tile) continue;
    for (const int axis : {0, 1}) {
      const TileType& type = types_.at(*tile);
      if (axis == 1 && type.cols == Expression(1)) continue;
      if (!numbers_.emplace(root({*tile, axis}), count_).second) continue;
      extents_.push_back(axis == 0 ? type.rows : type.cols);
      ++count_;
    }
  }
}

int AxisClasses::class_of(const std::string& tile, int axis) const {
  if (axis == 1 && types_.at(tile).cols == Expression(1)) return -1;
  const auto found = numbers_.find(root({tile, axis}));
  return found == numbers_.end() ? -1 : found->second;
}

int AxisClasses::class_of_slice(size_t at, size_t dimension) const {
  const auto found = slice_.find({at, dimension});
  return found == slice_.end() ? -1 : class_of(found->second.tile, found->second.axis);
}

const Expression& AxisClasses::extent(int number) const {
  return extents_[static_cast<size_t>(number)];
}

bool AxisClasses::is_reduced_by(int number, size_t at) const {
  const auto found = reduced_.find(at);
  return found != reduced_.end() && class_of(found->second.tile, found->second.axis) == number;
}

bool AxisClasses::is_reduced(int number) const {
  for (const auto& [at, axis] : reduced_) {
    if (is_reduced_by(number, at)) return true;
  }
  return false;
}

bool AxisClasses::is_twisted(int number) const {
  for (const auto& [name, type] : types_) {
    if (class_of(name, 0) == number && class_of(name, 1) == number) return true;
  }
  return false;
}

}  // namespace warpledger::tile
