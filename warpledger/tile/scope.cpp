#include "warpledger/tile/scope.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/tile/check_kernel.h"
#include "warpledger/tile/parser.h"

namespace warpledger::tile {

std::string shape_text(const TileType& type) {
  return fmt::format("[{}, {}]", type.rows.to_text(), type.cols.to_text());
}

Status Scope::add_index(const std::string& variable, const Expression& count) {
  WL_TRY_STATUS(check_size_names(program_, count, {}, span_));
  WL_TRY_STATUS(check_whole(program_, count, span_));
  if (is_taken(variable)) {
    return bad(fmt::format("'{}' is already defined", variable), "choose another index",
               "declared-twice");
  }
  indices_.emplace_back(variable, count);
  return {};
}

bool Scope::is_taken(const std::string& name) const {
  const auto named = [&](const auto& pair) { return pair.first == name; };
  return types_.count(name) > 0 || program_.tensor(name) != nullptr || is_scalar(name) ||
         std::any_of(indices_.begin(), indices_.end(), named);
}

Status Scope::define(const std::string& name, TileType type) {
  if (is_taken(name)) {
    return bad(fmt::format("'{}' is already defined", name),
               "a tile is assigned once; declare an accumulator to assign it again",
               "declared-twice");
  }
  types_.emplace(name, std::move(type));
  visible_.insert(name);
  return {};
}

Result<TileType> Scope::use(const std::string& name) const {
  if (visible_.count(name) == 0) {
    const std::vector<std::string> known(visible_.begin(), visible_.end());
    std::string hint = did_you_mean(name, known);
    if (types_.count(name) > 0) hint = "it was defined in a loop that has ended";
    if (program_.tensor(name) != nullptr) hint = fmt::format("copy {} to a tile first", name);
    return bad(fmt::format("there is no tile '{}' here", name), hint, "unknown-tile");
  }
  if (pending_.count(name) > 0) {
    return bad(fmt::format("'{}' is used before its asynchronous copy has completed", name),
               fmt::format("write: wait {}", name), "used-before-wait");
  }
  return types_.at(name);
}

Result<TileType> Scope::use_in_registers(const std::string& name) const {
  WL_TRY(TileType type, use(name));
  if (type.space == Space::kRegisters) return type;
  return bad(
      fmt::format("'{}' is in {}, and arithmetic needs registers", name, to_text(type.space)),
      fmt::format("write: x = copy {} to registers", name), "not-in-registers");
}

Status Scope::assign(const std::string& name, const TileType& type, bool accumulates) {
  const auto found = types_.find(name);
  const bool updates = found != types_.end() && found->second.is_accumulator;
  if (!updates && !accumulates) return define(name, type);
  WL_TRY(const TileType old, use(name));
  if (!old.is_accumulator) {
    return bad(fmt::format("'{}' is not an accumulator", name),
               fmt::format("declare it before the loop: accumulator {}{} {} = 0", name,
                           shape_text(type), type.type.name),
               "no-accumulator");
  }
  if (old.rows == type.rows && old.cols == type.cols && old.space == type.space) return {};
  return bad(fmt::format("'{}' is {} in {}, the new value {} in {}", name, shape_text(old),
                         to_text(old.space), shape_text(type), to_text(type.space)),
             "", "shape-mismatch");
}

Result<std::optional<Expression>> Scope::extent(const Index& index,
                                                const Expression& dimension) const {
  if (index.kind == Index::Kind::kWhole) return std::optional(dimension);
  std::vector<std::string> names;
  for (const auto& [name, count] : indices_) names.push_back(name);
  WL_TRY_STATUS(check_size_names(program_, index.at, names, span_));
  const bool drops = index.kind == Index::Kind::kAt;
  const Expression step = drops ? Expression(1) : index.extent;
  WL_TRY_STATUS(check_size_names(program_, step, {}, span_));
  WL_TRY_STATUS(check_whole(program_, step, span_));
  for (const auto& [name, count] : indices_) {
    if (!(index.at == Expression::size(name)) || count * step == dimension) continue;
    return bad(fmt::format("{} counts {} blocks of {}, which is not {}", name, count.to_text(),
                           step.to_text(), dimension.to_text()),
               fmt::format("it should count {}", (dimension / step).to_text()), "bad-block");
  }
  return drops ? std::optional<Expression>() : std::optional(step);
}

Result<TileType> Scope::slice(const Place& place) const {
  const Tensor& tensor = *program_.tensor(place.name);
  if (place.index.size() != tensor.shape.size()) {
    return bad(fmt::format("{} has {} dimensions, the slice {}", tensor.name, tensor.shape.size(),
                           place.index.size()),
               "write ':' for a whole dimension", "bad-rank");
  }
  std::vector<Expression> extents;
  for (size_t i = 0; i < place.index.size(); ++i) {
    WL_TRY(const auto kept, extent(place.index[i], tensor.shape[i]));
    if (kept) extents.push_back(*kept);
  }
  if (extents.size() != 2) {
    return bad(fmt::format("the slice {} has {} dimensions", to_text(place), extents.size()),
               "a tile has rows and columns", "bad-rank");
  }
  return TileType{extents[0], extents[1], tensor.type, Space::kGlobal};
}

bool Scope::is_scalar(const std::string& name) const {
  const auto& scalars = program_.scalars;
  const auto sized = [&](const Size& size) { return size.name == name; };
  return std::find(scalars.begin(), scalars.end(), name) != scalars.end() ||
         std::any_of(program_.sizes.begin(), program_.sizes.end(), sized);
}

}  // namespace warpledger::tile
