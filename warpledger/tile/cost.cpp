#include "warpledger/tile/cost.h"

#include <fmt/format.h>

#include "warpledger/base/number.h"
#include "warpledger/ledger/difference.h"
#include "warpledger/ledger/table.h"
#include "warpledger/tile/matmul_unit.h"

namespace warpledger::tile {
namespace {

std::string_view operation_of(Space from, Space to) {
  if (to == Space::kGlobal) return "STG";
  if (to == Space::kTmem) return "STT";
  if (from == Space::kTmem) return "LDT";
  if (to == Space::kShared) return from == Space::kGlobal ? "LDS" : "STS";
  return from == Space::kGlobal ? "LDG" : "LDR";
}

/// Walks the statements of a kernel with the number of times that each runs.
class CostWalk {
 public:
  CostWalk(const Program& program, const TileTypes& types, Expression runs, bool by_tensor = false)
      : program_(program),
        types_(types),
        unit_(*matmul_unit(program.target)),
        runs_(std::move(runs)),
        by_tensor_(by_tensor) {}

  void walk(const Body& body) {
    for (const Statement& statement : body) {
      std::visit([this](const auto& s) { add(s); }, statement.node);
    }
  }

  std::vector<Movement> rows;
  Expression arithmetic = 0;
  Expression output_writes = 0;
  Expression product_flops = 0;

 private:
  void add(const Load& s) {
    const Tensor* tensor = program_.tensor(s.from.name);
    const Space from = tensor != nullptr ? Space::kGlobal : types_.find(s.from.name)->second.space;
    const TileType& type = types_.find(s.result)->second;
    roots_[s.result] = tensor != nullptr && !by_tensor_ ? s.result : root(s.from.name);
    std::string note = fmt::format("{} -> {}", to_text(from), to_text(s.to));
    if (s.is_async) note += ", asynchronous";
    move(operation_of(from, s.to), by_tensor_ ? root(s.from.name) : s.from.name, {from, s.to},
         type.bytes(), note);
  }

  void add(const Store& s) {
    const TileType& type = types_.find(s.tile)->second;
    if (program_.tensor(s.to.name)->role == Role::kOutput) output_writes += type.bytes() * runs_;
    move("STG", root(s.tile), {type.space, Space::kGlobal}, type.bytes(),
         fmt::format("{} -> global", to_text(type.space)));
  }

  void add(const Wait&) {}
  void add(const Accumulator&) {}

  void add(const Matmul& s) {
    const TileType& left = types_.find(s.left)->second;
    const TileType& right = types_.find(s.right)->second;
    const Expression cols = s.is_transposed ? right.rows : right.cols;
    product_flops += 2 * left.rows * left.cols * cols * runs_;
    const std::string subject = fmt::format("{}, {}", s.left, s.right);
    const bool loads_left = left.space != Space::kRegisters;
    const bool loads_right = right.space != Space::kRegisters;
    if (by_tensor_) {
      if (loads_left) implicit(root(s.left), left.space, left.bytes(), s.left);
      if (loads_right) implicit(root(s.right), right.space, right.bytes(), s.right);
      return;
    }
    if (loads_left && loads_right && left.space == right.space) {
      implicit(subject, left.space, left.bytes() + right.bytes(), "both operands");
      return;
    }
    if (loads_left) implicit(subject, left.space, left.bytes(), only(s.left, s.right, right));
    if (loads_right) implicit(subject, right.space, right.bytes(), only(s.right, s.left, left));
    if (!loads_left && !loads_right) {
      move(unit_.name, subject, {Space::kRegisters, Space::kRegisters}, 0,
           "both operands are in registers");
    }
  }

  static std::string only(const std::string& name, const std::string& other, const TileType& type) {
    return fmt::format("{} only ({} is in {})", name, other, to_text(type.space));
  }

  void implicit(const std::string& subject, Space from, const Expression& bytes,
                const std::string& what) {
    move(unit_.name, subject, {from, Space::kRegisters}, bytes,
         fmt::format("implicit {}->reg for {}", from == Space::kShared ? "smem" : to_text(from),
                     what));
  }

  void add(const Elementwise& s) {
    const TileType& type = types_.find(s.result)->second;
    arithmetic += type.rows * type.cols * runs_;
    move("Elementwise", first_tile(s.formula), {Space::kRegisters, Space::kRegisters}, 0,
         "pure compute");
  }

  void add(const Reduce& s) {
    const TileType& type = types_.find(s.source)->second;
    arithmetic += type.rows * type.cols * runs_;
    move(s.kind == Reduction::kMax ? "Rowmax" : "Rowsum", s.source,
         {Space::kRegisters, Space::kRegisters}, 0, "pure compute");
  }

  void add(const Loop& s) {
    const Expression outside = runs_;
    runs_ = runs_ * s.count;
    walk(s.body);
    runs_ = outside;
  }

  struct Spaces {
    Space from, to;
  };
  void move(std::string_view operation, const std::string& subject, Spaces spaces,
            const Expression& bytes, const std::string& note) {
    Movement row;
    row.operation = operation;
    row.subject = subject;
    row.edge = {level_of(spaces.from), level_of(spaces.to)};
    row.bytes_per_iteration = bytes;
    row.iterations = runs_;
    row.note = note;
    rows.push_back(std::move(row));
  }

  [[nodiscard]] std::string first_tile(const Formula& formula) const {
    if (!formula.number && formula.args.empty() && types_.count(formula.head) > 0) {
      return formula.head;
    }
    for (const Formula& arg : formula.args) {
      if (std::string found = first_tile(arg); !found.empty()) return found;
    }
    return "";
  }

  /// A store is named after the tile whose value it writes, not after its staging copy.
  [[nodiscard]] std::string root(const std::string& tile) const {
    const auto found = roots_.find(tile);
    return found == roots_.end() ? tile : found->second;
  }

  const Program& program_;
  const TileTypes& types_;
  const MatmulUnit unit_;
  Expression runs_;
  const bool by_tensor_;
  std::map<std::string, std::string> roots_;  // of tiles: what they are a copy of
};

Expression blocks_of(const Kernel& kernel) {
  Expression blocks = 1;
  for (const GridAxis& axis : kernel.grid) blocks *= axis.count;
  return blocks;
}

}  // namespace

Level level_of(Space space) {
  switch (space) {
    case Space::kGlobal:
      return Level::kDram;
    case Space::kShared:
      return Level::kSmem;
    case Space::kTmem:
      return Level::kTmem;
    case Space::kRegisters:
      return Level::kReg;
  }
  return Level::kReg;
}

namespace {

Ledger walked(const CheckedProgram& program, LedgerScope scope, bool by_tensor) {
  Ledger ledger;
  ledger.title = program->name;
  ledger.provenance["target"] = program->target;
  ledger.provenance["scope"] =
      scope == LedgerScope::kGrid ? "whole grid" : "one block of each kernel";
  for (size_t k = 0; k < program->kernels.size(); ++k) {
    const Kernel& kernel = program->kernels[k];
    const Expression runs = scope == LedgerScope::kGrid ? blocks_of(kernel) : Expression(1);
    CostWalk walk(*program, program.types()[k], runs, by_tensor);
    walk.walk(kernel.body);
    ledger.rows.insert(ledger.rows.end(), walk.rows.begin(), walk.rows.end());
  }
  const auto known = at_sizes(ledger, program->known_sizes());
  WL_CHECK(known.ok());  // check() refuses sizes that break an assumption
  return *known;
}

}  // namespace

Ledger ledger_of(const CheckedProgram& program, LedgerScope scope) {
  return walked(program, scope, false);
}
Ledger ledger_by_tensor(const CheckedProgram& program, LedgerScope scope) {
  return walked(program, scope, true);
}

std::string exchange_text(const Ledger& before, const Ledger& after) {
  int64_t saved = 0, spent = 0;
  std::vector<std::string> savers, spenders;
  const LedgerDifference changes = difference(before, after);
  for (const RowChange& row : changes.bytes().rows) {
    const int64_t delta = row.change.delta().as_integer().value_or(0);
    if (delta == 0) continue;
    (delta < 0 ? saved : spent) += delta < 0 ? -delta : delta;
    (delta < 0 ? savers : spenders).push_back(fmt::format("{}({})", row.operation, row.subject));
  }
  const int64_t net = saved - spent;
  return fmt::format(
      "{} bytes {}: {} saved ({}), {} spent ({})", group_thousands(net < 0 ? -net : net),
      net < 0 ? "more" : "fewer", group_thousands(saved),
      savers.empty() ? "-" : fmt::format("{}", fmt::join(savers, ", ")), group_thousands(spent),
      spenders.empty() ? "-" : fmt::format("{}", fmt::join(spenders, ", ")));
}

Cost cost_formulas(const CheckedProgram& program) {
  Cost cost;
  for (size_t k = 0; k < program->kernels.size(); ++k) {
    CostWalk walk(*program, program.types()[k], blocks_of(program->kernels[k]));
    walk.walk(program->kernels[k].body);
    cost.arithmetic += walk.arithmetic;
    cost.output_writes += walk.output_writes;
    cost.product_flops += walk.product_flops;
    for (const Movement& row : walk.rows) {
      const Expression bytes = row.bytes_per_iteration * row.iterations;
      cost.total += bytes;
      if (row.edge.touches(Level::kDram)) cost.global += bytes;
    }
  }
  return cost;
}

Cost cost_of(const CheckedProgram& program) {
  Cost cost = cost_formulas(program);
  Substitution known;
  for (const auto& [name, value] : program->known_sizes()) known[name] = Expression(value);
  for (Expression* part :
       {&cost.total, &cost.global, &cost.output_writes, &cost.product_flops, &cost.arithmetic}) {
    *part = *part->substitute(known);
  }
  return cost;
}

Table cost_table(const Ledger& ledger) {
  Table table;
  table.title = ledger.title;
  table.columns = {{"Operation", "operation"},
                   {"What it does", "note"},
                   {"Bytes per iter", "bytes_per_iteration", Align::kRight},
                   {"Iters", "iterations", Align::kRight},
                   {"Total", "total_bytes", Align::kRight}};
  bool has_lds = false;
  for (const Movement& row : ledger.rows) {
    has_lds = has_lds || row.operation == "LDS";
    table.rows.push_back({{fmt::format("{}({})", row.operation, row.subject), row.note,
                           cell_of({row.bytes_per_iteration, row.fidelity}),
                           cell_of({row.iterations, row.fidelity}), cell_of(row.total())}});
  }
  bool is_first = true;
  for (const auto& [edge, total] : edge_totals(ledger)) {
    if (total.value.is_zero()) continue;
    table.rows.push_back(
        {{to_text(edge), "all rows of this edge", {}, {}, cell_of(total)}, is_first});
    is_first = false;
  }
  table.rows.push_back({{"Total", "all edges", {}, {}, cell_of(grand_total(ledger))}, true});
  if (has_lds) {
    table.notes.push_back(
        "LDS here is a copy global -> shared, as kernel sketches use the word; it is not the SASS "
        "instruction LDS, which reads shared memory.");
  }
  table.notes.push_back("Global memory is the level dram: a tile program does not model caches.");
  return table;
}

}  // namespace warpledger::tile
