#include "warpledger/tile/rewrite/canonical.h"

#include "warpledger/tile/parser.h"
#include "warpledger/tile/rewrite/site.h"

namespace warpledger::tile {
namespace {

Renaming numbered(const Kernel& kernel) {
  Renaming names;
  const auto add = [&](const std::string& name, const char* kind) {
    names.emplace(name, kind + std::to_string(names.size()));
  };
  for (const GridAxis& axis : kernel.grid) add(axis.variable, "i_");
  for_each(kernel.body, [&](const Statement& statement) {
    if (const auto* loop = std::get_if<Loop>(&statement.node)) add(loop->variable, "j_");
    if (const auto tile = tile_written(statement)) add(*tile, "t_");
  });
  return names;
}

}  // namespace

std::string canonical_text(const Program& program) {
  Program same = program;
  same.name = "p";
  for (size_t k = 0; k < same.kernels.size(); ++k) {
    Kernel& kernel = same.kernels[k];
    const Renaming names = numbered(kernel);
    kernel.name = "k" + std::to_string(k);
    for (GridAxis& axis : kernel.grid) axis.variable = names.at(axis.variable);
    rename(kernel.body, names);
  }
  return to_text(same);
}

}  // namespace warpledger::tile
