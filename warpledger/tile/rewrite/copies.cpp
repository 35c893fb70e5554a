// Rules about copies: where an operand lies, which detours can be left out, what is copied twice.
#include <algorithm>

#include "warpledger/tile/matmul_unit.h"
#include "warpledger/tile/rewrite/rule.h"
#include "warpledger/tile/rewrite/site.h"

namespace warpledger::tile {
namespace {

/// The program with `made` before the statement at `site`, and that statement replaced.
Program with_copy(const Program& program, const Site& site, Load made, Statement replaced) {
  Program next = program;
  Body& body = body_at(next, site);
  body[site.at] = std::move(replaced);
  body.insert(body.begin() + static_cast<long>(site.at), Statement{std::move(made)});
  return next;
}

/// The operand copied to `to`, the multiplication reading the copy.
Rewriting moved_operand(const Program& program, const Site& site, std::string Matmul::*side,
                        Space to) {
  const Kernel& kernel = program.kernels[site.kernel];
  Matmul product = *node_at<Matmul>(program, site);
  const std::string from = product.*side;
  const std::string name =
      free_name(program, kernel, stem(from) + (to == Space::kTmem ? "_tmem" : "_reg"));
  product.*side = name;
  return {place_text(program, site),
          with_copy(program, site, {name, {from}, to}, {std::move(product)})};
}

bool is_global(const Program& program, const Place& place) {
  return program.tensor(place.name) != nullptr;
}

/// A copy of a tile that is read once, by the statement at `user` of the same body.
struct Detour {
  size_t copy = 0;
  size_t user = 0;
};

/// The only reader of the tile that statement `copy` of the body makes, when it is in the same
/// body.
std::optional<Detour> detour(const Program& program, const Site& site) {
  const auto* load = node_at<Load>(program, site);
  if (load == nullptr || load->is_async) return std::nullopt;
  if (reads_of(program.kernels[site.kernel].body, load->result) != 1) return std::nullopt;
  const Body& body = body_at(program, site);
  for (size_t i = site.at + 1; i < body.size(); ++i) {
    if (contains(tiles_read(body[i]), load->result)) return Detour{site.at, i};
  }
  return std::nullopt;
}

/// True when a statement between the two writes the tile or stores to the tensor.
bool changes_between(const Body& body, const Detour& d, const std::string& name) {
  const Body between(body.begin() + static_cast<long>(d.copy) + 1,
                     body.begin() + static_cast<long>(d.user));
  return tiles_written(between).count(name) > 0 || tensors_stored(between).count(name) > 0;
}

}  // namespace

Rewritings operand_to_registers(const Program& program, const Types& types) {
  const MatmulUnit unit = *matmul_unit(program.target);
  Rewritings made;
  for (const Site& site : all_sites(program)) {
    const auto* product = node_at<Matmul>(program, site);
    if (product == nullptr) continue;
    for (const Space to : {Space::kRegisters, Space::kTmem}) {
      const TileTypes& tiles = types[site.kernel];
      if (allows(unit.left, to) && tiles.at(product->left).space == Space::kShared) {
        made.push_back(moved_operand(program, site, &Matmul::left, to));
      }
      if (allows(unit.right, to) && tiles.at(product->right).space == Space::kShared) {
        made.push_back(moved_operand(program, site, &Matmul::right, to));
      }
    }
  }
  return made;
}

Rewritings load_directly(const Program& program, const Types&) {
  Rewritings made;
  for (const Site& site : all_sites(program)) {
    const auto found = detour(program, site);
    if (!found) continue;
    const Load first = *node_at<Load>(program, site);
    const Body& body = body_at(program, site);
    const auto* second = std::get_if<Load>(&body[found->user].node);
    if (second == nullptr || second->to != Space::kRegisters || first.to != Space::kShared ||
        !is_global(program, first.from) || changes_between(body, *found, first.from.name)) {
      continue;
    }
    Program next = program;
    Body& edited = body_at(next, site);
    edited[found->user].node = Load{second->result, first.from, Space::kRegisters};
    edited.erase(edited.begin() + static_cast<long>(site.at));
    made.push_back({place_text(program, site), std::move(next)});
  }
  return made;
}

Rewritings store_directly(const Program& program, const Types& types) {
  Rewritings made;
  for (const Site& site : all_sites(program)) {
    const auto found = detour(program, site);
    if (!found) continue;
    const Load copy = *node_at<Load>(program, site);
    const Body& body = body_at(program, site);
    if (is_global(program, copy.from) || copy.to != Space::kShared ||
        types[site.kernel].at(copy.from.name).space != Space::kRegisters ||
        !std::holds_alternative<Store>(body[found->user].node) ||
        changes_between(body, *found, copy.from.name)) {
      continue;
    }
    Program next = program;
    Body& edited = body_at(next, site);
    std::get<Store>(edited[found->user].node).tile = copy.from.name;
    edited.erase(edited.begin() + static_cast<long>(site.at));
    made.push_back({place_text(program, site), std::move(next)});
  }
  return made;
}

namespace {

/// `second` stands where the tile of `first` is visible: later in the same body or in a loop there.
bool comes_after(const Site& first, const Site& second) {
  if (first.kernel != second.kernel || second.loops.size() < first.loops.size()) return false;
  if (!std::equal(first.loops.begin(), first.loops.end(), second.loops.begin())) return false;
  const bool same_body = first.loops.size() == second.loops.size();
  return first.at < (same_body ? second.at : second.loops[first.loops.size()]);
}

/// What the copy reads stays as it is in the whole kernel.
bool reads_what_stays(const Program& program, const Types& types, const Site& site) {
  const Load& load = *node_at<Load>(program, site);
  if (load.is_async) return false;
  const auto tile = types[site.kernel].find(load.from.name);
  if (tile != types[site.kernel].end()) return !tile->second.is_accumulator;
  return tensors_stored(program.kernels[site.kernel].body).count(load.from.name) == 0;
}

}  // namespace

Rewritings reuse_tile(const Program& program, const Types& types) {
  Rewritings made;
  const std::vector<Site> sites = all_sites(program);
  for (const Site& first : sites) {
    const auto* a = node_at<Load>(program, first);
    if (a == nullptr || !reads_what_stays(program, types, first)) continue;
    for (const Site& second : sites) {
      const auto* b = node_at<Load>(program, second);
      if (b == nullptr || !comes_after(first, second) || b->is_async || !(a->from == b->from) ||
          a->to != b->to) {
        continue;
      }
      Program next = program;
      Body& body = body_at(next, second);
      const Renaming merged = {{b->result, a->result}};
      body.erase(body.begin() + static_cast<long>(second.at));
      rename(next.kernels[second.kernel].body, merged);
      made.push_back({place_text(program, second), std::move(next)});
    }
  }
  return made;
}

Rewritings drop_unused(const Program& program, const Types& types) {
  Rewritings made;
  for (const Site& site : all_sites(program)) {
    const auto name = tile_written(statement_at(program, site));
    if (!name || types[site.kernel].at(*name).is_accumulator) continue;
    if (reads_of(program.kernels[site.kernel].body, *name) > 0) continue;
    Program next = program;
    Body& body = body_at(next, site);
    body.erase(body.begin() + static_cast<long>(site.at));
    made.push_back({place_text(program, site), std::move(next)});
  }
  return made;
}

}  // namespace warpledger::tile
