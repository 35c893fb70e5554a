// Rules about loops: what can leave one, and which two are one.
#include <algorithm>

#include "warpledger/tile/rewrite/rule.h"
#include "warpledger/tile/rewrite/site.h"

namespace warpledger::tile {
namespace {

void insert_at(Body& body, size_t at, const Body& more) {
  body.insert(body.begin() + static_cast<long>(at), more.begin(), more.end());
}
void erase_at(Body& body, size_t at) { body.erase(body.begin() + static_cast<long>(at)); }

/// The loop that directly holds the statement. Pre: site.loops is not empty.
Site loop_site(const Site& site) {
  Site outer = site;
  outer.at = outer.loops.back();
  outer.loops.pop_back();
  return outer;
}

bool intersects(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& x) { return b.count(x) > 0; });
}

/// Makes a tile from what it reads and does nothing else.
bool is_pure(const Statement& statement, const TileTypes& types) {
  const auto name = tile_written(statement);
  if (!name || types.at(*name).is_accumulator) return false;
  const auto* load = std::get_if<Load>(&statement.node);
  return load == nullptr || !load->is_async;
}

bool is_invariant(const Program& program, const Statement& statement, const Loop& loop) {
  const auto made = tiles_written(loop.body);
  for (const std::string& name : tiles_read(statement)) {
    if (made.count(name) > 0) return false;
  }
  const Place* place = global_read(program, statement);
  return place == nullptr ||
         (!mentions(*place, loop.variable) && tensors_stored(loop.body).count(place->name) == 0);
}

/// A store in a loop with the copies that feed it, in order: tile -> ... -> store.
struct StoreChain {
  std::string tile;            // what the first copy reads, or the store when there are none
  std::vector<size_t> places;  // in the body, ascending; the store is last
};

/// Follows the copies of the same body backwards while each is read once.
StoreChain chain_of(const Program& program, const Site& store) {
  const Body& body = body_at(program, store);
  const Body& kernel = program.kernels[store.kernel].body;
  StoreChain chain{std::get<Store>(body[store.at].node).tile, {store.at}};
  for (size_t i = store.at; i-- > 0;) {
    const auto* load = std::get_if<Load>(&body[i].node);
    if (load == nullptr || load->result != chain.tile || load->is_async) continue;
    if (program.tensor(load->from.name) != nullptr || reads_of(kernel, chain.tile) != 1) break;
    chain.tile = load->from.name;
    chain.places.insert(chain.places.begin(), i);
  }
  return chain;
}

/// Takes the chain out of the loop's body and puts it behind the loop.
void move_behind(Program& program, const Site& site, const StoreChain& chain) {
  Body& body = body_at(program, site);
  Body moved;
  for (const size_t at : chain.places) moved.push_back(body[at]);
  for (size_t i = chain.places.size(); i-- > 0;) erase_at(body, chain.places[i]);
  const Site loop = loop_site(site);
  insert_at(body_at(program, loop), loop.at + 1, moved);
}

bool is_written_after(const Body& body, size_t at, const std::string& tile) {
  const Body after(body.begin() + static_cast<long>(at) + 1, body.end());
  return tiles_written(after).count(tile) > 0;
}

int stores_to(const Body& body, const std::string& tensor) {
  int count = 0;
  for_each(body, [&](const Statement& statement) {
    const Place* place = global_written(statement);
    count += place != nullptr && place->name == tensor ? 1 : 0;
  });
  return count;
}

}  // namespace

Rewritings hoist(const Program& program, const Types& types) {
  Rewritings made;
  for (const Site& site : all_sites(program)) {
    if (site.loops.empty()) continue;
    const Site outer = loop_site(site);
    const Statement statement = statement_at(program, site);
    const Loop& loop = *node_at<Loop>(program, outer);
    if (!is_pure(statement, types[site.kernel]) || !is_invariant(program, statement, loop))
      continue;
    Program next = program;
    erase_at(body_at(next, site), site.at);
    insert_at(body_at(next, outer), outer.at, {statement});
    made.push_back({place_text(program, site), std::move(next)});
  }
  return made;
}

Rewritings defer_store(const Program& program, const Types&) {
  Rewritings made;
  for (const Site& site : all_sites(program)) {
    const auto* store = node_at<Store>(program, site);
    if (store == nullptr || site.loops.empty()) continue;
    const Loop& loop = *node_at<Loop>(program, loop_site(site));
    const Body& body = loop.body;
    const StoreChain chain = chain_of(program, site);
    if (mentions(store->to, loop.variable) || stores_to(body, store->to.name) != 1 ||
        tensors_loaded(program, body).count(store->to.name) > 0 ||
        is_written_after(body, chain.places.front(), chain.tile)) {
      continue;
    }
    Program next = program;
    move_behind(next, site, chain);
    made.push_back({place_text(program, site), std::move(next)});
  }
  return made;
}

namespace {

/// The statement of the body that makes `tile` afresh in each turn.
std::optional<size_t> maker_of(const Body& body, const std::string& tile) {
  for (size_t i = 0; i < body.size(); ++i) {
    const auto* product = std::get_if<Matmul>(&body[i].node);
    if (product != nullptr && product->result == tile && !product->accumulates) return i;
  }
  return std::nullopt;
}

bool is_summed_slot(const Program& program, const Store& store, const Loop& loop) {
  const Tensor& tensor = *program.tensor(store.to.name);
  const Index& first = store.to.index.front();
  if (!tensor.summed || first.kind != Index::Kind::kAt) return false;
  Place rest = store.to;
  rest.index.erase(rest.index.begin());
  return first.at == Expression::size(loop.variable) && !mentions(rest, loop.variable);
}

bool is_touched_once(const Program& program, const std::string& tensor) {
  int stores = 0;
  bool is_loaded = false;
  for (const Kernel& kernel : program.kernels) {
    stores += stores_to(kernel.body, tensor);
    is_loaded = is_loaded || tensors_loaded(program, kernel.body).count(tensor) > 0;
  }
  return stores == 1 && !is_loaded;
}

}  // namespace

Rewritings accumulate_output(const Program& program, const Types& types) {
  Rewritings made;
  for (const Site& site : all_sites(program)) {
    const auto* store = node_at<Store>(program, site);
    if (store == nullptr || site.loops.empty()) continue;
    const Site outer = loop_site(site);
    const Loop& loop = *node_at<Loop>(program, outer);
    const StoreChain chain = chain_of(program, site);
    const auto maker = maker_of(loop.body, chain.tile);
    if (!maker || !is_summed_slot(program, *store, loop) ||
        !is_touched_once(program, store->to.name) ||
        reads_of(program.kernels[site.kernel].body, chain.tile) != 1) {
      continue;
    }
    Program next = program;
    Body& body = body_at(next, site);
    std::get<Matmul>(body[*maker].node).accumulates = true;
    std::get<Store>(body[site.at].node).to.index.front().at = 0;
    move_behind(next, site, chain);
    const TileType& type = types[site.kernel].at(chain.tile);
    insert_at(body_at(next, outer), outer.at,
              {{Accumulator{chain.tile, type.rows, type.cols, type.type, 0, type.space}}});
    made.push_back({place_text(program, site), std::move(next)});
  }
  return made;
}

namespace {

/// Statements [from, to) of the body may run before the loop in front of them.
bool may_precede(const Program& program, const Body& body, size_t from, size_t to) {
  const Loop& loop = std::get<Loop>(body[from - 1].node);
  const auto written = tiles_written(loop.body);
  const auto stored = tensors_stored(loop.body);
  for (size_t i = from; i < to; ++i) {
    const auto name = tile_written(body[i]);
    if (!name || written.count(*name) > 0) return false;
    for (const std::string& read : tiles_read(body[i])) {
      if (written.count(read) > 0) return false;
    }
    const Place* place = global_read(program, body[i]);
    if (place != nullptr && stored.count(place->name) > 0) return false;
  }
  return true;
}

bool may_fuse(const Program& program, const Loop& a, const Loop& b) {
  const auto reads = [](const Body& body) {
    std::set<std::string> names;
    for_each(body, [&](const Statement& s) {
      for (const std::string& name : tiles_read(s)) names.insert(name);
    });
    return names;
  };
  const auto stored_a = tensors_stored(a.body), stored_b = tensors_stored(b.body);
  return a.count == b.count && !intersects(tiles_written(a.body), reads(b.body)) &&
         !intersects(tiles_written(b.body), reads(a.body)) &&
         !intersects(tiles_written(a.body), tiles_written(b.body)) &&
         !intersects(stored_a, tensors_loaded(program, b.body)) &&
         !intersects(stored_b, tensors_loaded(program, a.body)) && !intersects(stored_a, stored_b);
}

}  // namespace

Rewritings fuse_loops(const Program& program, const Types&) {
  Rewritings made;
  for (const Site& site : all_sites(program)) {
    const auto* first = node_at<Loop>(program, site);
    if (first == nullptr) continue;
    const Body& body = body_at(program, site);
    size_t second = site.at + 1;
    while (second < body.size() && !std::holds_alternative<Loop>(body[second].node)) ++second;
    if (second == body.size() || !may_precede(program, body, site.at + 1, second)) continue;
    Loop other = std::get<Loop>(body[second].node);
    if (!may_fuse(program, *first, other)) continue;
    rename(other.body, {{other.variable, first->variable}});
    Program next = program;
    Body& edited = body_at(next, site);
    insert_at(std::get<Loop>(edited[site.at].node).body, first->body.size(), other.body);
    erase_at(edited, second);
    std::rotate(edited.begin() + static_cast<long>(site.at),
                edited.begin() + static_cast<long>(site.at) + 1,
                edited.begin() + static_cast<long>(second));
    made.push_back({place_text(program, site), std::move(next)});
  }
  return made;
}

}  // namespace warpledger::tile
