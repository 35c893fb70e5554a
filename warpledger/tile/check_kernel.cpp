#include "warpledger/tile/check_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "warpledger/tile/matmul_unit.h"
#include "warpledger/tile/parser.h"

namespace warpledger::tile {
namespace {

std::string shape_text(const TileType& type) {
  return fmt::format("[{}, {}]", type.rows.to_text(), type.cols.to_text());
}

class KernelChecker {
 public:
  KernelChecker(const Program& program, const Kernel& kernel)
      : program_(program), kernel_(kernel), unit_(*matmul_unit(program.target)) {}

  Result<TileTypes> run() {
    for (const GridAxis& axis : kernel_.grid) {
      span_ = kernel_.span;
      WL_TRY_STATUS(add_index(axis.variable, axis.count));
    }
    WL_TRY_STATUS(check_body(kernel_.body));
    return std::move(types_);
  }

 private:
  [[nodiscard]] Diagnostic bad(std::string message, std::string hint, std::string code) const {
    return fault(program_, span_, std::move(message), std::move(hint), std::move(code));
  }

  Status check_body(const Body& body) {
    const std::set<std::string> outside = visible_;
    for (const Statement& statement : body) {
      span_ = statement.span;
      WL_TRY_STATUS(std::visit([this](const auto& s) { return visit(s); }, statement.node));
    }
    visible_ = outside;
    return {};
  }

  Status add_index(const std::string& variable, const Expression& count) {
    WL_TRY_STATUS(check_size_names(program_, count, {}, span_));
    WL_TRY_STATUS(check_whole(program_, count, span_));
    if (is_taken(variable)) {
      return bad(fmt::format("'{}' already has a meaning", variable), "choose another index",
                 "declared-twice");
    }
    indices_.emplace_back(variable, count);
    return {};
  }

  [[nodiscard]] bool is_taken(const std::string& name) const {
    const auto named = [&](const auto& pair) { return pair.first == name; };
    const auto sized = [&](const Size& size) { return size.name == name; };
    const auto& scalars = program_.scalars;
    return types_.count(name) > 0 || program_.tensor(name) != nullptr ||
           std::any_of(indices_.begin(), indices_.end(), named) ||
           std::any_of(program_.sizes.begin(), program_.sizes.end(), sized) ||
           std::find(scalars.begin(), scalars.end(), name) != scalars.end();
  }

  Status define(const std::string& name, TileType type) {
    if (is_taken(name)) {
      return bad(fmt::format("'{}' already has a meaning", name),
                 "a tile is assigned once; declare an accumulator to assign it again",
                 "declared-twice");
    }
    types_.emplace(name, std::move(type));
    visible_.insert(name);
    return {};
  }

  Result<TileType> use(const std::string& name) {
    if (visible_.count(name) == 0) {
      const std::vector<std::string> known(visible_.begin(), visible_.end());
      std::string hint = did_you_mean(name, known);
      if (types_.count(name) > 0) hint = "it lives in a loop that has ended";
      if (program_.tensor(name) != nullptr) hint = fmt::format("copy {} to a tile first", name);
      return bad(fmt::format("there is no tile '{}' here", name), hint, "unknown-tile");
    }
    if (pending_.count(name) > 0) {
      return bad(fmt::format("'{}' is used before its asynchronous copy has landed", name),
                 fmt::format("write: wait {}", name), "used-before-wait");
    }
    return types_.at(name);
  }

  Result<TileType> use_in_registers(const std::string& name) {
    WL_TRY(TileType type, use(name));
    if (type.space == Space::kRegisters) return type;
    return bad(
        fmt::format("'{}' is in {}, and arithmetic needs registers", name, to_text(type.space)),
        fmt::format("write: x = copy {} to registers", name), "not-in-registers");
  }

  /// `name` becomes a tile of `type`, or is an accumulator of that shape and space.
  Status assign(const std::string& name, const TileType& type, bool accumulates) {
    const auto found = types_.find(name);
    const bool updates = found != types_.end() && found->second.is_accumulator;
    if (!updates && !accumulates) return define(name, type);
    WL_TRY(const TileType old, use(name));
    if (!old.is_accumulator) {
      return bad(fmt::format("'{}' is no accumulator", name),
                 fmt::format("declare it before the loop: accumulator {}{} {} = 0", name,
                             shape_text(type), type.type.name),
                 "no-accumulator");
    }
    if (old.rows == type.rows && old.cols == type.cols && old.space == type.space) return {};
    return bad(fmt::format("'{}' is {} in {}, the new value {} in {}", name, shape_text(old),
                           to_text(old.space), shape_text(type), to_text(type.space)),
               "", "shape-mismatch");
  }

  /// The extent that one index leaves of a dimension; absent when it drops it.
  Result<std::optional<Expression>> extent(const Index& index, const Expression& dimension) {
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

  Result<TileType> slice(const Place& place) {
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

  Status visit(const Load& s) {
    const bool is_global = program_.tensor(s.from.name) != nullptr;
    if (!is_global && !s.from.index.empty()) {
      return bad(fmt::format("'{}' is no tensor, only tensors have slices", s.from.name), "",
                 "bad-slice");
    }
    WL_TRY(TileType type, is_global ? slice(s.from) : use(s.from.name));
    if (s.to == Space::kGlobal) {
      return bad("a tile cannot be copied to an unnamed place in global memory",
                 "write: copy x to T[...]", "unnamed-store");
    }
    if (s.is_async && !(is_global && s.to == Space::kShared)) {
      return bad("only a copy from global to shared memory can be asynchronous", "", "bad-async");
    }
    type.space = s.to;
    type.is_accumulator = false;
    if (s.is_async) pending_.insert(s.result);
    return define(s.result, type);
  }

  Status visit(const Store& s) {
    const Tensor* tensor = program_.tensor(s.to.name);
    if (tensor == nullptr || tensor->role == Role::kInput) {
      return bad(fmt::format("'{}' is no output and no scratch tensor", s.to.name),
                 "declare it: output or scratch", "bad-store");
    }
    WL_TRY(const TileType from, use(s.tile));
    WL_TRY(const TileType to, slice(s.to));
    if (!(from.rows == to.rows && from.cols == to.cols)) {
      return bad(fmt::format("'{}' is {}, the slice {}", s.tile, shape_text(from), shape_text(to)),
                 "", "shape-mismatch");
    }
    if (from.type.bytes != to.type.bytes) {
      return bad(
          fmt::format("'{}' is {}, {} is {}", s.tile, from.type.name, s.to.name, to.type.name),
          fmt::format("convert it: y = {} as {}", s.tile, to.type.name), "type-mismatch");
    }
    return check_race(s.to);
  }

  /// Each block of the grid must write a place of its own.
  Status check_race(const Place& place) {
    for (const GridAxis& axis : kernel_.grid) {
      const auto mentions = [&](const Index& index) {
        const auto names = index.at.sizes();
        return index.kind != Index::Kind::kWhole &&
               std::find(names.begin(), names.end(), axis.variable) != names.end();
      };
      if (axis.count == Expression(1)) continue;
      if (std::any_of(place.index.begin(), place.index.end(), mentions)) continue;
      return bad(fmt::format("all blocks {} write the same place of {}", axis.variable, place.name),
                 fmt::format("let the slice depend on {}", axis.variable), "racing-store");
    }
    return {};
  }

  Status visit(const Wait& s) {
    if (pending_.erase(s.tile) > 0) return {};
    return bad(fmt::format("no asynchronous copy of '{}' is under way", s.tile), "", "idle-wait");
  }

  Status visit(const Matmul& s) {
    WL_TRY(const TileType left, use(s.left));
    WL_TRY(const TileType right, use(s.right));
    WL_TRY_STATUS(check_operand(s.left, left, unit_.left, "left"));
    WL_TRY_STATUS(check_operand(s.right, right, unit_.right, "right"));
    if (!allows(unit_.result, s.to)) {
      return bad(fmt::format("{} leaves its result in {}, not in {}", unit_.name,
                             to_text(unit_.result), to_text(s.to)),
                 fmt::format("write: {} = ... in {}", s.result, to_text(unit_.result)),
                 "bad-operand");
    }
    const Expression inner = s.is_transposed ? right.cols : right.rows;
    if (!(left.cols == inner)) {
      return bad(fmt::format("{} @ {}: {} columns meet {} rows", shape_text(left),
                             shape_text(right) + (s.is_transposed ? "^T" : ""), left.cols.to_text(),
                             inner.to_text()),
                 s.is_transposed ? "" : "a transposed operand is written B^T", "shape-mismatch");
    }
    const Expression cols = s.is_transposed ? right.rows : right.cols;
    return assign(s.result, {left.rows, cols, {}, s.to}, s.accumulates);
  }

  Status check_operand(const std::string& name, const TileType& type,
                       const std::vector<Space>& allowed, std::string_view side) const {
    if (allows(allowed, type.space)) return {};
    return bad(fmt::format("{} takes its {} operand from {}, and '{}' is in {}", unit_.name, side,
                           to_text(allowed), name, to_text(type.space)),
               fmt::format("write: x = copy {} to {}", name, to_text(allowed.front())),
               "bad-operand");
  }

  Status visit(const Elementwise& s) {
    std::vector<std::string> names;
    collect(s.formula, &names);
    std::optional<TileType> result;
    for (const std::string& name : names) {
      if (is_scalar(name)) continue;
      WL_TRY(const TileType type, use_in_registers(name));
      WL_TRY(result, joined(result, type, name));
    }
    if (!result) {
      return bad("a formula needs a tile", "declare an accumulator for a constant tile", "no-tile");
    }
    if (s.type) result->type = *s.type;
    result->is_accumulator = false;
    return assign(s.result, *result, false);
  }

  [[nodiscard]] bool is_scalar(const std::string& name) const {
    const auto& scalars = program_.scalars;
    const auto sized = [&](const Size& size) { return size.name == name; };
    return std::find(scalars.begin(), scalars.end(), name) != scalars.end() ||
           std::any_of(program_.sizes.begin(), program_.sizes.end(), sized);
  }

  static void collect(const Formula& formula, std::vector<std::string>* names) {
    if (!formula.number && formula.args.empty()) names->push_back(formula.head);
    for (const Formula& arg : formula.args) collect(arg, names);
  }

  /// The shape of both together: a column is spread over the columns of the other.
  Result<std::optional<TileType>> joined(const std::optional<TileType>& a, const TileType& b,
                                         const std::string& name) const {
    if (!a) return std::optional(b);
    const Expression one(1);
    if (!(a->rows == b.rows) || !(a->cols == b.cols || a->cols == one || b.cols == one)) {
      return bad(
          fmt::format("'{}' is {}, which does not go with {}", name, shape_text(b), shape_text(*a)),
          "shapes are equal, or one is a column [rows, 1]", "shape-mismatch");
    }
    TileType both = *a;
    if (a->cols == one) both.cols = b.cols;
    if (b.type.bytes > a->type.bytes) both.type = b.type;
    return std::optional(both);
  }

  Status visit(const Reduce& s) {
    WL_TRY(const TileType source, use_in_registers(s.source));
    return assign(s.result, {source.rows, Expression(1), {}, Space::kRegisters}, s.accumulates);
  }

  Status visit(const Accumulator& s) {
    if (s.space != Space::kRegisters && s.space != Space::kTmem) {
      return bad("an accumulator lives in registers or tmem", "", "bad-operand");
    }
    for (const Expression& size : {s.rows, s.cols}) {
      WL_TRY_STATUS(check_size_names(program_, size, {}, span_));
      WL_TRY_STATUS(check_whole(program_, size, span_));
    }
    return define(s.name, {s.rows, s.cols, s.type, s.space, true});
  }

  Status visit(const Loop& s) {
    WL_TRY_STATUS(add_index(s.variable, s.count));
    WL_TRY_STATUS(check_body(s.body));
    indices_.pop_back();
    return {};
  }

  const Program& program_;
  const Kernel& kernel_;
  const MatmulUnit unit_;
  TileTypes types_;
  std::set<std::string> visible_;
  std::set<std::string> pending_;
  std::vector<std::pair<std::string, Expression>> indices_;
  Span span_;
};

}  // namespace

Result<TileTypes> check_kernel(const Program& program, const Kernel& kernel) {
  return KernelChecker(program, kernel).run();
}

}  // namespace warpledger::tile
