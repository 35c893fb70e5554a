// Two kernels become one. What the first writes to a scratch tensor and the second reads back,
// slice for slice, never leaves the block.
#include <algorithm>

#include "warpledger/tile/rewrite/rule.h"
#include "warpledger/tile/rewrite/site.h"

namespace warpledger::tile {
namespace {

bool same_grid(const Kernel& a, const Kernel& b) {
  return a.threads == b.threads &&
         std::equal(a.grid.begin(), a.grid.end(), b.grid.begin(), b.grid.end(),
                    [](const GridAxis& x, const GridAxis& y) { return x.count == y.count; });
}

/// The second kernel with the first one's block indices and with tile names of its own.
Kernel aligned(const Program& program, const Kernel& first, Kernel second) {
  Kernel both = first;
  both.body.insert(both.body.end(), second.body.begin(), second.body.end());
  Renaming names;
  std::set<std::string> own = tiles_written(second.body);
  for_each(second.body, [&](const Statement& s) {
    if (const auto* loop = std::get_if<Loop>(&s.node)) own.insert(loop->variable);
  });
  Kernel only_first = first;
  for (const std::string& name : own) {
    const std::string fresh = free_name(program, only_first, name);
    if (fresh == name) continue;
    names[name] = free_name(program, both, name);
    both.body.push_back({Accumulator{names[name], 1, 1, {}, 0}});  // keeps the name taken
  }
  for (size_t i = 0; i < first.grid.size(); ++i) {
    names[second.grid[i].variable] = first.grid[i].variable;
  }
  rename(second.body, names);
  return second;
}

/// The store of the first kernel that writes exactly what `place` reads.
const Store* store_of(const Body& body, const Place& place) {
  const Store* found = nullptr;
  for (const Statement& statement : body) {
    const auto* store = std::get_if<Store>(&statement.node);
    if (store != nullptr && store->to == place) found = store;
  }
  return found;
}

bool is_written_after(const Body& body, const Store* store, const std::string& tile) {
  bool passed = false, written = false;
  for (const Statement& statement : body) {
    if (passed && tiles_written({statement}).count(tile) > 0) written = true;
    if (std::get_if<Store>(&statement.node) == store) passed = true;
  }
  return written;
}

int stores_to(const Body& body, const std::string& tensor) {
  int count = 0;
  for_each(body, [&](const Statement& s) {
    const Place* place = global_written(s);
    count += place != nullptr && place->name == tensor ? 1 : 0;
  });
  return count;
}

class Fusion {
 public:
  Fusion(const Program& program, const TileTypes& types, const Kernel& first, Kernel second)
      : program_(program), types_(types), first_(first), second_(std::move(second)) {}

  /// The body of both, or nothing where the second needs what another block wrote.
  std::optional<Body> run() {
    const auto stored = tensors_stored(second_.body);
    for (const std::string& name : stored) {
      if (tensors_loaded(program_, first_.body).count(name) > 0) return std::nullopt;
      if (tensors_stored(first_.body).count(name) > 0) return std::nullopt;
    }
    written_ = tensors_stored(first_.body);
    if (!forward(second_.body)) return std::nullopt;
    rename(second_.body, merged_);
    Body body = first_.body;
    body.insert(body.end(), second_.body.begin(), second_.body.end());
    return body;
  }

 private:
  /// Replaces each load of what the first kernel wrote by the tile it wrote.
  bool forward(Body& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      if (auto* loop = std::get_if<Loop>(&body[i].node)) {
        if (!forward(loop->body)) return false;
        continue;
      }
      auto* load = std::get_if<Load>(&body[i].node);
      if (load == nullptr || written_.count(load->from.name) == 0) continue;
      const Store* store = store_of(first_.body, load->from);
      if (store == nullptr || stores_to(first_.body, load->from.name) != 1 || load->is_async ||
          is_written_after(first_.body, store, store->tile)) {
        return false;
      }
      if (types_.at(store->tile).space == load->to && !types_.at(store->tile).is_accumulator) {
        merged_[load->result] = store->tile;
        body.erase(body.begin() + static_cast<long>(i--));
      } else {
        load->from = Place{store->tile};
      }
    }
    return true;
  }

  const Program& program_;
  const TileTypes& types_;
  const Kernel& first_;
  Kernel second_;
  std::set<std::string> written_;
  Renaming merged_;
};

/// Removes scratch tensors that nobody loads, with the stores to them.
void drop_scratch(Program& program) {
  std::set<std::string> loaded;
  for (const Kernel& kernel : program.kernels) loaded.merge(tensors_loaded(program, kernel.body));
  const auto is_dead = [&](const std::string& name) {
    const Tensor* tensor = program.tensor(name);
    return tensor != nullptr && tensor->role == Role::kScratch && loaded.count(name) == 0;
  };
  const std::function<void(Body&)> clean = [&](Body& body) {
    std::erase_if(body, [&](const Statement& s) {
      const Place* place = global_written(s);
      return place != nullptr && is_dead(place->name);
    });
    for (Statement& s : body) {
      if (auto* loop = std::get_if<Loop>(&s.node)) clean(loop->body);
    }
  };
  for (Kernel& kernel : program.kernels) clean(kernel.body);
  std::erase_if(program.tensors, [&](const Tensor& t) {
    return t.role == Role::kScratch && loaded.count(t.name) == 0;
  });
}

}  // namespace

Rewritings fuse_kernels(const Program& program, const Types& types) {
  Rewritings made;
  for (size_t k = 0; k + 1 < program.kernels.size(); ++k) {
    const Kernel& first = program.kernels[k];
    const Kernel& second = program.kernels[k + 1];
    if (!same_grid(first, second)) continue;
    auto body = Fusion(program, types[k], first, aligned(program, first, second)).run();
    if (!body) continue;
    Program next = program;
    next.kernels[k].name = first.name + "_" + second.name;
    next.kernels[k].body = std::move(*body);
    next.kernels.erase(next.kernels.begin() + static_cast<long>(k) + 1);
    drop_scratch(next);
    made.push_back({first.name + ", " + second.name, std::move(next)});
  }
  return made;
}

}  // namespace warpledger::tile
