#include "warpledger/exec/jit/runtime/matrix_move.h"

#include <cstring>

#include "warpledger/exec/decode/trace_sites.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/jit/analysis/lowering.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Space;
using reference::Context;
using reference::Step;

constexpr uint64_t kRowBytes = 16;

// The host bytes of a lane's row; null when it has none, and then the fault is set.
std::byte* row_at(const Context& context, const Step& step, const SpaceAddress& at, int lane) {
  if (at.space != Space::kShared && at.space != Space::kSharedCluster) {
    context.fault(step, lane, "a matrix row is outside shared memory", "bad-matrix-row");
    return nullptr;
  }
  auto& shared = context.cta.shared;
  const bool fits = at.offset % kRowBytes == 0 && shared.size() >= kRowBytes &&
                    at.offset <= shared.size() - kRowBytes;
  const bool loads = step.spelling().op() == Op::kLdmatrix;
  const bool is_unwatched =
      loads ? context.cta.use.spoiled == 0
            : reference::concerns_nobody(context.cta.use, context.engine.slice().guessed, at.offset,
                                         at.offset + kRowBytes);
  if (fits && at.space == Space::kShared && is_unwatched) return shared.data() + at.offset;
  return context.bytes(at, kRowBytes, lane,
                       loads ? reference::Access::kRead : reference::Access::kWrite);
}

// Rows of eight halves as vectors of the compiler.
using Row = uint16_t __attribute__((vector_size(16)));

// Lane l of a matrix as it is holds row l / 4, columns 2 (l % 4) and the next: the rows in a row.
// Turned, it holds column l / 4 of those two rows. Three rounds of interleaving turn it.
void turn(Row (&rows)[8]) {
  for (int round = 0; round < 3; ++round) {
    Row next[8];
    for (size_t i = 0; i < 4; ++i) {
      next[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      next[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    std::memcpy(rows, next, sizeof next);
  }
}

}  // namespace

void move_rows(WarpContext& warp, const Step& step, std::byte* const* rows) {
  const bool loads = step.spelling().op() == Op::kLdmatrix;
  const bool turns = step.variant->has(Modifier::kTrans);
  for (int m = 0; m < matrices_of(step); ++m) {
    std::byte* const* here = rows + 8 * m;
    Row matrix[8];
    if (loads) {
      for (size_t row = 0; row < 8; ++row) std::memcpy(&matrix[row], here[row], kRowBytes);
    } else {
      std::memcpy(matrix, warp.matrix.a[m], sizeof matrix);
    }
    if (turns) turn(matrix);
    if (loads) {
      std::memcpy(warp.matrix.d[m], matrix, sizeof matrix);
    } else {
      for (size_t row = 0; row < 8; ++row) std::memcpy(here[row], &matrix[row], kRowBytes);
    }
  }
}

bool move_matrix(WarpContext& warp, const Context& context, const Step& step, bool records) {
  const bool generic = step.spelling().space() == Space::kGeneric;
  std::byte* rows[32];
  reference::Accessed accessed;
  for (int lane = 0; lane < 8 * matrices_of(step); ++lane) {
    const auto address = static_cast<uint64_t>(warp.address[lane]);
    const SpaceAddress at =
        context.placed(generic ? from_generic(address) : SpaceAddress{Space::kShared, address});
    rows[lane] = row_at(context, step, at, lane);
    if (rows[lane] == nullptr) return false;
    accessed.lanes |= 1u << lane;
    accessed.address[static_cast<size_t>(lane)] = at.offset;
  }
  if (!step.dropped) move_rows(warp, step, rows);
  if (records)
    reference::record(context, step, Space::kShared, generic ? 1 : 0, accessed, kRowBytes);
  return true;
}

}  // namespace warpledger::exec::jit
