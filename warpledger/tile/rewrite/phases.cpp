#include "warpledger/tile/rewrite/phases.h"

#include <algorithm>
#include <limits>

#include "warpledger/tile/rewrite/site.h"

namespace warpledger::tile {

const Place* slice_of(const Statement& statement) {
  if (const auto* load = std::get_if<Load>(&statement.node)) return &load->from;
  return global_written(statement);
}

void take_block(const AxisClasses& axes, SplitAt split, const Block& block, Statement& statement) {
  auto* place = const_cast<Place*>(slice_of(statement));
  if (place == nullptr) return;
  for (size_t i = 0; i < place->index.size(); ++i) {
    if (axes.class_of_slice(split.at, i) != split.number) continue;
    place->index[i] = {Index::Kind::kBlock, Expression::size(block.index),
                       Expression::size(block.size)};
  }
}

/// Some tile or slice of the statement has an axis in the class.
bool Phases::is_streamed(size_t at) const {
  const Statement& statement = kernel_.body[at];
  std::vector<std::string> tiles = tiles_read(statement);
  if (const auto made = tile_written(statement)) tiles.push_back(*made);
  return std::any_of(tiles.begin(), tiles.end(), [&](const std::string& tile) {
    return types_.count(tile) > 0 &&
           (axes_.class_of(tile, 0) == number_ || axes_.class_of(tile, 1) == number_);
  });
}

/// What a loop is there for: reductions over the class, and stores of its blocks.
bool Phases::is_root(size_t at) const {
  return is_streamed(at) &&
         (axes_.is_reduced_by(number_, at) || std::holds_alternative<Store>(kernel_.body[at].node));
}

void Phases::classify() {
  phase_.assign(kernel_.body.size(), 0);
  for (size_t at = 0; at < kernel_.body.size(); ++at) {
    for (const std::string& tile : tiles_read(kernel_.body[at])) {
      const auto made = maker_.find(tile);
      if (made == maker_.end()) continue;
      const auto ready = available_.find(tile);
      phase_[at] =
          std::max(phase_[at], ready != available_.end() ? ready->second : phase_[made->second]);
    }
    const auto tile = tile_written(kernel_.body[at]);
    if (!tile) continue;
    maker_[*tile] = at;
    if (axes_.is_reduced_by(number_, at))
      available_[*tile] = phase_[at] + 1;
    else if (!is_streamed(at))
      available_[*tile] = phase_[at];
  }
}

/// The roots of the phase and, transitively, the block statements they read.
std::set<size_t> Phases::needed_in(int phase) const {
  std::set<size_t> needed;
  for (size_t at = kernel_.body.size(); at-- > 0;) {
    if (is_root(at) && phase_[at] == phase) needed.insert(at);
    if (needed.count(at) == 0) continue;
    for (const std::string& tile : tiles_read(kernel_.body[at])) {
      const auto made = maker_.find(tile);
      if (made != maker_.end() && available_.count(tile) == 0) needed.insert(made->second);
    }
  }
  return needed;
}

void Phases::add_accumulator(size_t at, Body* body) const {
  const Statement& statement = kernel_.body[at];
  const std::string name = *tile_written(statement);
  const TileType& type = types_.at(name);
  const auto* reduce = std::get_if<Reduce>(&statement.node);
  const bool is_max = reduce != nullptr && reduce->kind == Reduction::kMax;
  const double first = is_max ? -std::numeric_limits<double>::infinity() : 0;
  body->push_back({Accumulator{name, type.rows, type.cols, type.type, first, type.space}});
}

Statement Phases::in_loop(size_t at, const Block& block) const {
  Statement statement = kernel_.body[at];
  take_block(axes_, {number_, at}, block, statement);
  if (!axes_.is_reduced_by(number_, at)) return statement;
  if (auto* product = std::get_if<Matmul>(&statement.node)) product->accumulates = true;
  if (auto* reduce = std::get_if<Reduce>(&statement.node)) reduce->accumulates = true;
  return statement;
}

Body Phases::loop_of(int phase, const Block& block, const Expression& count) {
  Body out;
  Renaming again;
  Loop loop{block.index, count, {}};
  for (const size_t at : needed_in(phase)) {
    if (axes_.is_reduced_by(number_, at)) add_accumulator(at, &out);
    Statement statement = in_loop(at, block);
    const auto tile = tile_written(statement);
    if (tile && !emitted_.insert(at).second) {
      again[*tile] = free_name(program_, names_, *tile);
      names_.body.push_back({Accumulator{again[*tile], 1, 1, {}, 0}});
    }
    loop.body.push_back(renamed(std::move(statement), again));
  }
  out.push_back({std::move(loop)});
  return out;
}

Body Phases::loops_over(int number, const std::string& block, const Expression& count) {
  number_ = number;
  names_ = kernel_;
  classify();
  int last = 0;
  for (size_t at = 0; at < kernel_.body.size(); ++at) {
    if (is_root(at)) last = std::max(last, phase_[at]);
  }
  const Block walked{free_name(program_, kernel_, "j"), block};
  Body out;
  for (int phase = 0; phase <= last + 1; ++phase) {
    for (size_t at = 0; at < kernel_.body.size(); ++at) {
      if (!is_streamed(at) && phase_[at] == phase) out.push_back(kernel_.body[at]);
    }
    if (phase > last) break;
    const Body loop = loop_of(phase, walked, count);
    out.insert(out.end(), loop.begin(), loop.end());
  }
  return out;
}

}  // namespace warpledger::tile
