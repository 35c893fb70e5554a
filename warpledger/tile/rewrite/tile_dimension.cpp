// Rules that split a whole dimension into blocks: among the blocks of the grid where nothing
// reduces it, or into the turns of loops where something does.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/tile/rewrite/axes.h"
#include "warpledger/tile/rewrite/phases.h"
#include "warpledger/tile/rewrite/rule.h"
#include "warpledger/tile/rewrite/site.h"

namespace warpledger::tile {
namespace {

/// No loops, nothing asynchronous, and nothing read back from memory that the kernel itself writes:
/// its statements may be put into another order.
bool is_straight_line(const Program& program, const Body& body) {
  const auto stored = tensors_stored(body);
  for (const std::string& name : tensors_loaded(program, body)) {
    if (stored.count(name) > 0) return false;
  }
  return std::none_of(body.begin(), body.end(), [](const Statement& s) {
    const auto* load = std::get_if<Load>(&s.node);
    return std::holds_alternative<Loop>(s.node) || std::holds_alternative<Wait>(s.node) ||
           std::holds_alternative<Accumulator>(s.node) || (load != nullptr && load->is_async);
  });
}

/// Every slice that meets the class takes its dimension whole.
bool is_taken_whole(const Body& body, const AxisClasses& axes, int number) {
  for (size_t at = 0; at < body.size(); ++at) {
    const Place* place = slice_of(body[at]);
    if (place == nullptr) continue;
    for (size_t i = 0; i < place->index.size(); ++i) {
      if (axes.class_of_slice(at, i) == number && place->index[i].kind != Index::Kind::kWhole) {
        return false;
      }
    }
  }
  return true;
}

/// Every store writes a slice that meets the class, so that each block writes a place of its own.
bool is_in_every_store(const Body& body, const AxisClasses& axes, int number) {
  for (size_t at = 0; at < body.size(); ++at) {
    const auto* store = std::get_if<Store>(&body[at].node);
    if (store == nullptr) continue;
    bool met = false;
    for (size_t i = 0; i < store->to.index.size(); ++i) {
      met = met || axes.class_of_slice(at, i) == number;
    }
    if (!met) return false;
  }
  return true;
}

struct Splitting {
  int number = 0;     // of the class
  std::string block;  // the size of a block
  Expression count;
};

/// The classes that an assumption allows to split: `Br divides N`, and the class has extent N.
std::vector<Splitting> splittings(const Program& program, const Body& body,
                                  const AxisClasses& axes) {
  std::vector<Splitting> all;
  for (int number = 0; number < axes.count(); ++number) {
    if (axes.is_twisted(number) || !is_taken_whole(body, axes, number)) continue;
    for (const Divides& d : program.assumptions) {
      const Expression whole = Expression::size(d.dividend);
      if (!(axes.extent(number) == whole)) continue;
      all.push_back({number, d.divisor, whole / Expression::size(d.divisor)});
    }
  }
  return all;
}

std::string split_text(const Kernel& kernel, const AxisClasses& axes, const Splitting& split) {
  return fmt::format("{}: {} by {}", kernel.name, axes.extent(split.number).to_text(), split.block);
}

/// What `tile(k, axes, split)` makes of every splitting of every kernel k; nothing where it may not
/// be tiled so.
template <class Tile>
Rewritings tiled_everywhere(const Program& program, const Types& types, Tile tile) {
  Rewritings made;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    if (!is_straight_line(program, kernel.body)) continue;
    const AxisClasses axes(program, types[k], kernel.body);
    for (const Splitting& split : splittings(program, kernel.body, axes)) {
      std::optional<Program> next = tile(k, axes, split);
      if (next) made.push_back({split_text(kernel, axes, split), *std::move(next)});
    }
  }
  return made;
}

}  // namespace

Rewritings tile_over_grid(const Program& program, const Types& types) {
  const auto tile = [&](size_t k, const AxisClasses& axes,
                        const Splitting& split) -> std::optional<Program> {
    const Kernel& kernel = program.kernels[k];
    if (axes.is_reduced(split.number) || !is_in_every_store(kernel.body, axes, split.number)) {
      return std::nullopt;
    }
    const std::string index = free_name(program, kernel, "i");
    Program next = program;
    Kernel& tiled = next.kernels[k];
    tiled.grid.push_back({index, split.count});
    for (size_t at = 0; at < tiled.body.size(); ++at) {
      take_block(axes, {split.number, at}, {index, split.block}, tiled.body[at]);
    }
    return next;
  };
  return tiled_everywhere(program, types, tile);
}

Rewritings tile_into_loop(const Program& program, const Types& types) {
  const auto tile = [&](size_t k, const AxisClasses& axes,
                        const Splitting& split) -> std::optional<Program> {
    if (!axes.is_reduced(split.number)) return std::nullopt;
    Program next = program;
    next.kernels[k].body = Phases(program, program.kernels[k], types[k], axes)
                               .loops_over(split.number, split.block, split.count);
    return next;
  };
  return tiled_everywhere(program, types, tile);
}

}  // namespace warpledger::tile
