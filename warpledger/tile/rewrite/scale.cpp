// Rules that move a factor through a matrix product. A factor is a scalar, or a column that
// multiplies whole rows: (diag(c) A) B == diag(c) (A B).
#include "warpledger/tile/rewrite/rule.h"
#include "warpledger/tile/rewrite/site.h"

namespace warpledger::tile {
namespace {

/// `tile * factor`, `factor * tile` or `tile / factor`.
struct Scaling {
  std::string tile;
  std::string operation;  // "*" or "/"
  Formula factor;
};

bool is_factor(const Formula& formula, const TileTypes& types) {
  for (const std::string& name : names_in(formula)) {
    const auto tile = types.find(name);
    if (tile == types.end()) continue;
    if (!(tile->second.cols == Expression(1)) || tile->second.is_accumulator) return false;
  }
  return true;
}

bool is_tile(const Formula& formula, const TileTypes& types) {
  return formula.args.empty() && !formula.number && types.count(formula.head) > 0;
}

/// The readings of a formula as a scaled tile: a column times a column has two.
std::vector<Scaling> scalings(const Formula& formula, const TileTypes& types) {
  std::vector<Scaling> all;
  if (formula.head != "*" && formula.head != "/") return all;
  const Formula &a = formula.args[0], &b = formula.args[1];
  if (is_tile(a, types) && is_factor(b, types)) all.push_back({a.head, formula.head, b});
  if (formula.head == "*" && is_tile(b, types) && is_factor(a, types)) {
    all.push_back({b.head, "*", a});
  }
  return all;
}

Formula scaled(const std::string& tile, const Scaling& how) {
  return {how.operation, {Formula{tile}, how.factor}};
}

/// Where statements [0, before) of the body or anything outside it define every tile of a factor.
bool is_known_before(const Body& body, size_t before, const Formula& factor) {
  const Body after(body.begin() + static_cast<long>(before), body.end());
  const auto later = tiles_written(after);
  for (const std::string& name : names_in(factor)) {
    if (later.count(name) > 0) return false;
  }
  return true;
}

}  // namespace

Rewritings scale_into_operand(const Program& program, const Types& types) {
  Rewritings made;
  for (const Site& site : all_sites(program)) {
    const auto* scale = node_at<Elementwise>(program, site);
    if (scale == nullptr || types[site.kernel].at(scale->result).is_accumulator) continue;
    const TileTypes& tiles = types[site.kernel];
    const Body& body = body_at(program, site);
    for (const Scaling& how : scalings(scale->formula, tiles)) {
      for (size_t at = 0; at < site.at; ++at) {
        const auto* product = std::get_if<Matmul>(&body[at].node);
        if (product == nullptr || product->result != how.tile || product->accumulates) continue;
        if (tiles.at(product->left).space != Space::kRegisters ||
            tiles.at(product->left).is_accumulator ||
            reads_of(program.kernels[site.kernel].body, how.tile) != 1 ||
            !is_known_before(body, at, how.factor)) {
          continue;
        }
        const std::string name =
            free_name(program, program.kernels[site.kernel], stem(product->left) + "_scaled");
        Matmul whole = *product;
        whole.left = name;
        whole.result = scale->result;
        Program next = program;
        Body& edited = body_at(next, site);
        edited.erase(edited.begin() + static_cast<long>(site.at));
        edited[at].node = whole;
        edited.insert(edited.begin() + static_cast<long>(at),
                      {Elementwise{name, scaled(product->left, how), {}}});
        made.push_back({place_text(program, site), std::move(next)});
      }
    }
  }
  return made;
}

Rewritings scale_out_of_product(const Program& program, const Types& types) {
  Rewritings made;
  for (const Site& site : all_sites(program)) {
    const auto* scale = node_at<Elementwise>(program, site);
    if (scale == nullptr) continue;
    const TileTypes& tiles = types[site.kernel];
    const Body& body = body_at(program, site);
    const bool reads_once = reads_of(program.kernels[site.kernel].body, scale->result) == 1;
    for (const Scaling& how : scalings(scale->formula, tiles)) {
      if (!reads_once || tiles.at(scale->result).is_accumulator ||
          tiles.at(how.tile).is_accumulator ||
          !(tiles.at(how.tile).cols == tiles.at(scale->result).cols)) {
        continue;
      }
      for (size_t at = site.at + 1; at < body.size(); ++at) {
        const auto* product = std::get_if<Matmul>(&body[at].node);
        if (product == nullptr || product->left != scale->result || product->accumulates ||
            tiles.at(product->result).is_accumulator) {
          continue;
        }
        const std::string name =
            free_name(program, program.kernels[site.kernel], product->result + "_unscaled");
        Matmul unscaled = *product;
        unscaled.left = how.tile;
        unscaled.result = name;
        Program next = program;
        Body& edited = body_at(next, site);
        edited[at].node = unscaled;
        edited.insert(edited.begin() + static_cast<long>(at) + 1,
                      {Elementwise{product->result, scaled(name, how), {}}});
        edited.erase(edited.begin() + static_cast<long>(site.at));
        made.push_back({place_text(program, site), std::move(next)});
      }
    }
  }
  return made;
}

}  // namespace warpledger::tile
