#include "warpledger/tile/rewrite/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "warpledger/base/number.h"
#include "warpledger/tile/capacity.h"
#include "warpledger/tile/cost.h"
#include "warpledger/tile/rewrite/canonical.h"
#include "warpledger/tile/rewrite/site.h"

namespace warpledger::tile {
namespace {

Result<int64_t> bytes_at(const Expression& bytes, const Sizes& sizes) {
  WL_TRY(const Expression value, bytes.evaluate(sizes));
  if (const auto n = value.as_integer()) return *n;
  return Diagnostic{fmt::format("{} is {} at these sizes", bytes.to_text(), value.to_text()),
                    "choose sizes that divide each other as the program assumes", "not-whole"};
}

size_t statements_of(const Program& program) {
  size_t count = 0;
  for (const Kernel& kernel : program.kernels) {
    for_each(kernel.body, [&](const Statement&) { ++count; });
  }
  return count;
}

struct Node {
  CheckedProgram program;
  Score score;
  size_t parent = 0;
  std::string rule = {};
  std::string place = {};
};

class Search {
 public:
  Search(const SearchOptions& options, Sizes sizes) : options_(options), sizes_(std::move(sizes)) {}

  Result<Optimum> run(const CheckedProgram& start) {
    WL_TRY_STATUS(add({start, {}, 0}));
    // Breadth first: the frontier is the tail of nodes_, and a derivation found is the shortest.
    size_t next = 0;
    while (next < nodes_.size() && nodes_.size() < options_.limit) {
      WL_TRY_STATUS(expand(next++));
    }
    closed_ = next == nodes_.size();
    if (!closed_) WL_TRY_STATUS(run_best_first(next));
    return answer(start);
  }

 private:
  /// From the frontier that is left, always the best program next, as many again as before.
  Status run_best_first(size_t next) {
    const auto worse = [this](size_t a, size_t b) {
      return std::tie(nodes_[a].score, a) > std::tie(nodes_[b].score, b);
    };
    std::priority_queue<size_t, std::vector<size_t>, decltype(worse)> frontier(worse);
    for (; next < nodes_.size(); ++next) frontier.push(next);
    while (!frontier.empty() && nodes_.size() < 2 * options_.limit) {
      const size_t best = frontier.top();
      frontier.pop();
      const size_t before = nodes_.size();
      WL_TRY_STATUS(expand(best));
      for (size_t i = before; i < nodes_.size(); ++i) frontier.push(i);
    }
    closed_ = frontier.empty();
    return {};
  }

  Status expand(size_t at) {
    if (options_.bound && static_cast<double>(nodes_[at].score.bytes) >
                              *options_.bound * static_cast<double>(nodes_[0].score.bytes)) {
      bounded_ = true;
      return {};
    }
    const CheckedProgram program = nodes_[at].program;  // nodes_ grows below
    for (const Rule& rule : options_.rules) {
      for (CheckedRewriting& made : apply(rule, program)) {
        WL_TRY_STATUS(add({std::move(made.program), {}, at, rule.name, std::move(made.place)}));
      }
    }
    return {};
  }

  Status add(Node node) {
    if (!seen_.insert(canonical_text(node.program)).second) return {};
    WL_TRY(node.score, score_of(node.program));
    nodes_.push_back(std::move(node));
    return {};
  }

  /// Scored with every size put in: whole numbers are quick to add where formulas are not.
  Result<Score> score_of(const Program& symbolic) const {
    WL_TRY(Program sized, at_sizes(symbolic, sizes_));
    WL_TRY(const CheckedProgram program, check(std::move(sized)));
    const Cost cost = cost_formulas(program);
    Score score;
    WL_TRY(score.total, bytes_at(cost.total, sizes_));
    WL_TRY(score.bytes,
           bytes_at(options_.objective == Objective::kTotal ? cost.total : cost.global, sizes_));
    WL_TRY(score.arithmetic, bytes_at(cost.arithmetic, sizes_));
    score.statements = statements_of(program);
    if (!options_.gpu) return score;
    WL_TRY(const auto needs, needs_of(program, sizes_, *options_.gpu));
    score.is_too_large =
        std::any_of(needs.begin(), needs.end(), [](const Need& need) { return !need.fits(); });
    return score;
  }

  Result<Optimum> answer(const CheckedProgram& start) {
    size_t best = 0;
    for (size_t i = 1; i < nodes_.size(); ++i) {
      if (nodes_[i].score < nodes_[best].score) best = i;
    }
    Optimum found{.start = start, .best = nodes_[best].program};
    found.start_score = nodes_[0].score;
    found.best_score = nodes_[best].score;
    found.programs = nodes_.size();
    found.is_closed = closed_;
    if (bounded_) found.bound = options_.bound;
    WL_TRY(found.lower_bound, bytes_at(compulsory_bytes(start), sizes_));
    for (size_t at = best; at != 0; at = nodes_[at].parent) {
      const Node& node = nodes_[at];
      found.steps.push_back(
          {node.rule, node.place, nodes_[node.parent].score, node.score, node.program});
    }
    std::reverse(found.steps.begin(), found.steps.end());
    return found;
  }

  const SearchOptions& options_;
  const Sizes sizes_;
  std::vector<Node> nodes_;
  std::unordered_set<std::string> seen_;
  bool closed_ = false;
  bool bounded_ = false;
};

/// A loop or block index by itself: check() has made sure that it counts the whole dimension.
bool is_plain_index(const Expression& at) {
  const auto names = at.sizes();
  return names.size() == 1 && at == Expression::size(names.front());
}

/// At least so many distinct elements one slice names over all turns of the loops around it.
Expression elements_named(const Tensor& tensor, const Place& place) {
  Expression elements = 1;
  for (size_t i = 0; i < place.index.size(); ++i) {
    const Index& index = place.index[i];
    const bool is_fixed = index.kind != Index::Kind::kWhole && !is_plain_index(index.at);
    if (!is_fixed)
      elements *= tensor.shape[i];
    else if (index.kind == Index::Kind::kBlock)
      elements *= index.extent;
  }
  return elements;
}

/// The tensors and tiles that outputs depend on, going backwards until nothing is added.
std::set<std::string> needed_names(const Program& program) {
  std::set<std::string> needed;
  for (const Tensor& tensor : program.tensors) {
    if (tensor.role == Role::kOutput) needed.insert(tensor.name);
  }
  for (size_t before = 0; before != needed.size();) {
    before = needed.size();
    for (size_t k = 0; k < program.kernels.size(); ++k) {
      const std::string prefix = std::to_string(k) + ":";
      const auto key = [&](const std::string& name) {
        return program.tensor(name) != nullptr ? name : prefix + name;
      };
      for_each(program.kernels[k].body, [&](const Statement& statement) {
        const Place* store = global_written(statement);
        const auto tile = tile_written(statement);
        const bool counts = (store != nullptr && needed.count(store->name) > 0) ||
                            (tile && needed.count(prefix + *tile) > 0);
        if (!counts) return;
        for (const std::string& name : tiles_read(statement)) needed.insert(key(name));
      });
    }
  }
  return needed;
}

}  // namespace

Result<Optimum> optimize(const CheckedProgram& program, const SearchOptions& options) {
  Sizes sizes = program->known_sizes();
  for (const auto& [name, value] : options.sizes) sizes[name] = value;
  for (const Size& size : program->sizes) {
    if (sizes.count(size.name) > 0) continue;
    return Diagnostic{
        fmt::format("size {} has no value, but programs are compared by bytes", size.name),
        fmt::format("give one: --set {}=...", size.name), "missing-size"};
  }
  return Search(options, sizes).run(program);
}

Expression compulsory_bytes(const Program& program) {
  const auto needed = needed_names(program);
  Expression bytes = 0;
  for (const Tensor& tensor : program.tensors) {
    Expression most = 0;
    for (const Kernel& kernel : program.kernels) {
      for_each(kernel.body, [&](const Statement& statement) {
        const Place* place = tensor.role == Role::kInput ? global_read(program, statement)
                                                         : global_written(statement);
        if (place == nullptr || place->name != tensor.name || needed.count(tensor.name) == 0) {
          return;
        }
        Expression named = elements_named(tensor, *place);
        if (tensor.summed && is_plain_index(place->index.front().at)) named /= tensor.shape.front();
        // Which of two slices is larger may depend on sizes; the first is a bound in any case.
        if (most.is_zero()) most = named;
      });
    }
    if (tensor.role != Role::kScratch) bytes += most * Expression(tensor.type.bytes);
  }
  return bytes;
}

Table derivation_table(const Optimum& optimum) {
  Table table;
  table.title = "Derivation";
  table.columns = {{"Step", "step", Align::kRight},
                   {"Rule", "rule"},
                   {"Place", "place"},
                   {"Before", "before_bytes", Align::kRight},
                   {"After", "after_bytes", Align::kRight},
                   {"Change", "change_bytes", Align::kRight}};
  int64_t number = 0;
  for (const Step& step : optimum.steps) {
    const int64_t change = step.after.bytes - step.before.bytes;
    const std::string shown = (change > 0 ? "+" : "") + group_thousands(change);
    table.rows.push_back(
        {{Cell(++number, Fidelity::kExact), step.rule, step.place,
          Cell(step.before.bytes, Fidelity::kExact), Cell(step.after.bytes, Fidelity::kExact),
          Cell(shown, change, Fidelity::kExact)}});
  }
  return table;
}

std::string certificate(const Optimum& optimum, Objective objective) {
  const std::string reached =
      fmt::format("{} programs reached", group_thousands(static_cast<int64_t>(optimum.programs)));
  const int64_t gap = optimum.best_score.bytes - optimum.lower_bound;
  const std::string edge =
      objective == Objective::kGlobal ? "global bytes" : "bytes over all edges";
  const std::string bound = fmt::format(
      "{} {}; no program can move fewer than {} to and from global memory",
      group_thousands(optimum.best_score.bytes), edge, group_thousands(optimum.lower_bound));
  if (optimum.best_score.is_too_large) {
    return fmt::format("no program fits: {}, {}", reached,
                       optimum.is_closed ? "closed" : "search incomplete");
  }
  if (optimum.is_closed && optimum.bound) {
    return fmt::format(
        "optimal within the bound: {}, search complete; programs that move more than {} x the "
        "original bytes were pruned ({})",
        reached, *optimum.bound, bound);
  }
  if (optimum.is_closed) return fmt::format("optimal: {}, search complete ({})", reached, bound);
  return fmt::format("best found: {}, search incomplete; at most {} above the optimum ({})",
                     reached, group_thousands(gap), bound);
}

}  // namespace warpledger::tile
