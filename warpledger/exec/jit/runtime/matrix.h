// Matrix instructions of compiled code: mma.sync by tiles, what a tile does not take by the plan.
#pragma once

#include <memory>
#include <vector>

#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/jit/analysis/analysis.h"
#include "warpledger/exec/jit/runtime/warp_context.h"
#include "warpledger/exec/semantics/tile_product.h"

namespace warpledger::exec::jit {

/// The products of a kernel, by step.
class MatrixTable {
 public:
  MatrixTable(reference::Engine& engine, const Analysis& analysis);

  /// D = A * B + C in context.matrix. False when the form is refused: the interpreter says why.
  [[nodiscard]] bool multiply(WarpContext& context, uint32_t pc) const;

 private:
  struct Entry {
    const MatrixProduct* plan = nullptr;
    std::optional<TileProduct> tile;
  };
  std::vector<std::unique_ptr<Entry>> entries_;  // by step; null: no product
};

}  // namespace warpledger::exec::jit
