#include "warpledger/tile/rewrite/site.h"

#include <algorithm>

#include "warpledger/tile/parser.h"

namespace warpledger::tile {
namespace {

void add_sites(const Body& body, Site here, std::vector<Site>* all) {
  for (size_t i = 0; i < body.size(); ++i) {
    here.at = i;
    all->push_back(here);
    const auto* loop = std::get_if<Loop>(&body[i].node);
    if (loop == nullptr) continue;
    Site inside = here;
    inside.loops.push_back(i);
    add_sites(loop->body, inside, all);
  }
}

/// Replaces names in one statement, wherever they stand.
class Renamer {
 public:
  explicit Renamer(const Renaming& names) : names_(names) {}

  void operator()(Load& s) const {
    name(s.result);
    place(s.from);
  }
  void operator()(Store& s) const {
    name(s.tile);
    place(s.to);
  }
  void operator()(Wait& s) const { name(s.tile); }
  void operator()(Matmul& s) const {
    name(s.result);
    name(s.left);
    name(s.right);
  }
  void operator()(Elementwise& s) const {
    name(s.result);
    s.formula = renamed(s.formula, names_);
  }
  void operator()(Reduce& s) const {
    name(s.result);
    name(s.source);
  }
  void operator()(Accumulator& s) const { name(s.name); }
  void operator()(Loop& s) const {
    name(s.variable);
    rename(s.body, names_);
  }

 private:
  void name(std::string& word) const {
    const auto found = names_.find(word);
    if (found != names_.end()) word = found->second;
  }
  void place(Place& place) const {
    if (place.index.empty()) name(place.name);
    for (Index& index : place.index) {
      if (index.at.is_constant()) continue;
      Substitution values;
      for (const std::string& used : index.at.sizes()) {
        const auto found = names_.find(used);
        if (found != names_.end()) values[used] = Expression::size(found->second);
      }
      if (!values.empty()) index.at = *index.at.substitute(values);
    }
  }

  const Renaming& names_;
};

}  // namespace

const Body& body_at(const Program& program, const Site& site) {
  const Body* body = &program.kernels[site.kernel].body;
  for (const size_t at : site.loops) body = &std::get<Loop>((*body)[at].node).body;
  return *body;
}

Body& body_at(Program& program, const Site& site) {
  return const_cast<Body&>(body_at(std::as_const(program), site));
}

std::vector<Site> all_sites(const Program& program) {
  std::vector<Site> all;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    add_sites(program.kernels[k].body, {k, {}, 0}, &all);
  }
  return all;
}

const Statement& statement_at(const Program& program, const Site& site) {
  return body_at(program, site)[site.at];
}

std::string place_text(const Program& program, const Site& site) {
  return program.kernels[site.kernel].name + ": " + to_text(statement_at(program, site));
}

void for_each(const Body& body, const std::function<void(const Statement&)>& visit) {
  for (const Statement& statement : body) {
    visit(statement);
    if (const auto* loop = std::get_if<Loop>(&statement.node)) for_each(loop->body, visit);
  }
}

void for_each(Body& body, const std::function<void(Statement&)>& visit) {
  for (Statement& statement : body) {
    visit(statement);
    if (auto* loop = std::get_if<Loop>(&statement.node)) for_each(loop->body, visit);
  }
}

int reads_of(const Body& body, const std::string& tile) {
  int count = 0;
  for_each(body, [&](const Statement& statement) {
    const auto names = tiles_read(statement);
    count += static_cast<int>(std::count(names.begin(), names.end(), tile));
  });
  return count;
}

std::set<std::string> tiles_written(const Body& body) {
  std::set<std::string> names;
  for_each(body, [&](const Statement& statement) {
    if (const auto name = tile_written(statement)) names.insert(*name);
  });
  return names;
}

std::set<std::string> tensors_stored(const Body& body) {
  std::set<std::string> names;
  for_each(body, [&](const Statement& statement) {
    if (const Place* place = global_written(statement)) names.insert(place->name);
  });
  return names;
}

std::set<std::string> tensors_loaded(const Program& program, const Body& body) {
  std::set<std::string> names;
  for_each(body, [&](const Statement& statement) {
    if (const Place* place = global_read(program, statement)) names.insert(place->name);
  });
  return names;
}

bool mentions(const Expression& expression, const std::string& name) {
  return contains(expression.sizes(), name);
}

bool mentions(const Place& place, const std::string& index) {
  return std::any_of(place.index.begin(), place.index.end(), [&](const Index& i) {
    return i.kind != Index::Kind::kWhole && mentions(i.at, index);
  });
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string free_name(const Program& program, const Kernel& kernel, const std::string& wanted) {
  std::set<std::string> taken = tiles_written(kernel.body);
  for (const GridAxis& axis : kernel.grid) taken.insert(axis.variable);
  for_each(kernel.body, [&](const Statement& statement) {
    if (const auto* loop = std::get_if<Loop>(&statement.node)) taken.insert(loop->variable);
  });
  for (const Tensor& tensor : program.tensors) taken.insert(tensor.name);
  for (const Size& size : program.sizes) taken.insert(size.name);
  taken.insert(program.scalars.begin(), program.scalars.end());
  if (taken.count(wanted) == 0) return wanted;
  for (int n = 2;; ++n) {
    const std::string name = wanted + "_" + std::to_string(n);
    if (taken.count(name) == 0) return name;
  }
}

std::string stem(const std::string& tile) {
  for (const std::string_view ending : {"_smem", "_reg", "_tmem"}) {
    if (tile.ends_with(ending)) return tile.substr(0, tile.size() - ending.size());
  }
  return tile;
}

void rename(Body& body, const Renaming& names) {
  for (Statement& statement : body) std::visit(Renamer(names), statement.node);
}

Formula renamed(const Formula& formula, const Renaming& names) {
  Formula made = formula;
  if (made.args.empty() && !made.number) {
    const auto found = names.find(made.head);
    if (found != names.end()) made.head = found->second;
  }
  for (Formula& arg : made.args) arg = renamed(arg, names);
  return made;
}

Statement renamed(Statement statement, const Renaming& names) {
  std::visit(Renamer(names), statement.node);
  return statement;
}

}  // namespace warpledger::tile
