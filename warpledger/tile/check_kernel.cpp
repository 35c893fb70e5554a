#include "warpledger/tile/check_kernel.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "warpledger/tile/matmul_unit.h"
#include "warpledger/tile/scope.h"

namespace warpledger::tile {
namespace {

class KernelChecker {
 public:
  KernelChecker(const Program& program, const Kernel& kernel)
      : program_(program), kernel_(kernel), unit_(*matmul_unit(program.target)), scope_(program) {}

  Result<TileTypes> run() {
    for (const GridAxis& axis : kernel_.grid) {
      scope_.go_to(kernel_.span);
      WL_TRY_STATUS(scope_.add_index(axis.variable, axis.count));
    }
    WL_TRY_STATUS(check_body(kernel_.body));
    return scope_.take_types();
  }

 private:
  Status check_body(const Body& body) {
    std::set<std::string> outside = scope_.visible();
    for (const Statement& statement : body) {
      scope_.go_to(statement.span);
      WL_TRY_STATUS(std::visit([this](const auto& s) { return visit(s); }, statement.node));
    }
    scope_.hide_but(std::move(outside));
    return {};
  }

  Status visit(const Load& s) {
    const bool is_global = program_.tensor(s.from.name) != nullptr;
    if (!is_global && !s.from.index.empty()) {
      return scope_.bad(
          fmt::format("'{}' is not a tensor, and only tensors have slices", s.from.name), "",
          "bad-slice");
    }
    WL_TRY(TileType type, is_global ? scope_.slice(s.from) : scope_.use(s.from.name));
    if (s.to == Space::kGlobal) {
      return scope_.bad("a tile cannot be copied to an unnamed place in global memory",
                        "write: copy x to T[...]", "unnamed-store");
    }
    if (s.is_async && !(is_global && s.to == Space::kShared)) {
      return scope_.bad("only a copy from global to shared memory can be asynchronous", "",
                        "bad-async");
    }
    type.space = s.to;
    type.is_accumulator = false;
    if (s.is_async) scope_.start_copy(s.result);
    return scope_.define(s.result, type);
  }

  Status visit(const Store& s) {
    const Tensor* tensor = program_.tensor(s.to.name);
    if (tensor == nullptr || tensor->role == Role::kInput) {
      return scope_.bad(fmt::format("'{}' is neither an output nor a scratch tensor", s.to.name),
                        "declare it: output or scratch", "bad-store");
    }
    WL_TRY(const TileType from, scope_.use(s.tile));
    WL_TRY(const TileType to, scope_.slice(s.to));
    if (!(from.rows == to.rows && from.cols == to.cols)) {
      return scope_.bad(
          fmt::format("'{}' is {}, the slice {}", s.tile, shape_text(from), shape_text(to)), "",
          "shape-mismatch");
    }
    if (from.type.bytes != to.type.bytes) {
      return scope_.bad(
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
      return scope_.bad(
          fmt::format("all blocks {} write the same place of {}", axis.variable, place.name),
          fmt::format("let the slice depend on {}", axis.variable), "racing-store");
    }
    return {};
  }

  Status visit(const Wait& s) {
    if (scope_.land(s.tile)) return {};
    return scope_.bad(fmt::format("no asynchronous copy of '{}' is in progress", s.tile), "",
                      "idle-wait");
  }

  Status visit(const Matmul& s) {
    WL_TRY(const TileType left, scope_.use(s.left));
    WL_TRY(const TileType right, scope_.use(s.right));
    WL_TRY_STATUS(check_operand(s.left, left, unit_.left, "left"));
    WL_TRY_STATUS(check_operand(s.right, right, unit_.right, "right"));
    if (!allows(unit_.result, s.to)) {
      return scope_.bad(fmt::format("{} leaves its result in {}, not in {}", unit_.name,
                                    to_text(unit_.result), to_text(s.to)),
                        fmt::format("write: {} = ... in {}", s.result, to_text(unit_.result)),
                        "bad-operand");
    }
    const Expression inner = s.is_transposed ? right.cols : right.rows;
    if (!(left.cols == inner)) {
      return scope_.bad(fmt::format("{} @ {}: {} columns meet {} rows", shape_text(left),
                                    shape_text(right) + (s.is_transposed ? "^T" : ""),
                                    left.cols.to_text(), inner.to_text()),
                        s.is_transposed ? "" : "a transposed operand is written B^T",
                        "shape-mismatch");
    }
    const Expression cols = s.is_transposed ? right.rows : right.cols;
    return scope_.assign(s.result, {left.rows, cols, {}, s.to}, s.accumulates);
  }

  Status check_operand(const std::string& name, const TileType& type,
                       const std::vector<Space>& allowed, std::string_view side) const {
    if (allows(allowed, type.space)) return {};
    return scope_.bad(fmt::format("{} takes its {} operand from {}, and '{}' is in {}", unit_.name,
                                  side, to_text(allowed), name, to_text(type.space)),
                      fmt::format("write: x = copy {} to {}", name, to_text(allowed.front())),
                      "bad-operand");
  }

  Status visit(const Elementwise& s) {
    std::vector<std::string> names;
    collect(s.formula, &names);
    std::optional<TileType> result;
    for (const std::string& name : names) {
      if (scope_.is_scalar(name)) continue;
      WL_TRY(const TileType type, scope_.use_in_registers(name));
      WL_TRY(result, joined(result, type, name));
    }
    if (!result) {
      return scope_.bad("a formula needs a tile", "declare an accumulator for a constant tile",
                        "no-tile");
    }
    if (s.type) result->type = *s.type;
    result->is_accumulator = false;
    return scope_.assign(s.result, *result, false);
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
      return scope_.bad(
          fmt::format("'{}' is {}, which does not match {}", name, shape_text(b), shape_text(*a)),
          "shapes are equal, or one is a column [rows, 1]", "shape-mismatch");
    }
    TileType both = *a;
    if (a->cols == one) both.cols = b.cols;
    if (b.type.bytes > a->type.bytes) both.type = b.type;
    return std::optional(both);
  }

  Status visit(const Reduce& s) {
    WL_TRY(const TileType source, scope_.use_in_registers(s.source));
    return scope_.assign(s.result, {source.rows, Expression(1), {}, Space::kRegisters},
                         s.accumulates);
  }

  Status visit(const Accumulator& s) {
    if (s.space != Space::kRegisters && s.space != Space::kTmem) {
      return scope_.bad("an accumulator lives in registers or tmem", "", "bad-operand");
    }
    for (const Expression& size : {s.rows, s.cols}) {
      WL_TRY_STATUS(check_size_names(program_, size, {}, scope_.span()));
      WL_TRY_STATUS(check_whole(program_, size, scope_.span()));
    }
    return scope_.define(s.name, {s.rows, s.cols, s.type, s.space, true});
  }

  Status visit(const Loop& s) {
    WL_TRY_STATUS(scope_.add_index(s.variable, s.count));
    WL_TRY_STATUS(check_body(s.body));
    scope_.drop_index();
    return {};
  }

  const Program& program_;
  const Kernel& kernel_;
  const MatmulUnit unit_;
  Scope scope_;
};

}  // namespace

Result<TileTypes> check_kernel(const Program& program, const Kernel& kernel) {
  return KernelChecker(program, kernel).run();
}

}  // namespace warpledger::tile
