#include "warpledger/exec/jit/matrix_move.h"

#include <cstring>

#include "warpledger/exec/reference/engine.h"
#include "warpledger/exec/reference/plan.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Space;
using reference::Context;
using reference::Step;

constexpr uint64_t kRowBytes = 16;

int matrices_of(const Step& step) {
  const Modifier count = step.variant->get(Slot::kCount);
  return count == Modifier::kX4 ? 4 : count == Modifier::kX2 ? 2 : 1;
}

// The host bytes of a lane's row; null when it has none, and then the fault is set.
std::byte* row_at(const Context& context, const Step& step, const SpaceAddress& at, int lane) {
  if (at.space != Space::kShared && at.space != Space::kSharedCluster) {
    context.fault(step, lane, "a matrix row lies outside shared memory", "bad-matrix-row");
    return nullptr;
  }
  auto& shared = context.cta.shared;
  const bool fits = at.offset % kRowBytes == 0 && shared.size() >= kRowBytes &&
                    at.offset <= shared.size() - kRowBytes;
  if (fits) return shared.data() + at.offset;
  const bool loads = step.spelling().op() == Op::kLdmatrix;
  return context.bytes(at, kRowBytes, lane,
                       loads ? reference::Access::kRead : reference::Access::kWrite);
}

// Lane l of a matrix as it is holds row l / 4, columns 2 (l % 4) and the next: the rows in a row.
// Turned, it holds column l / 4 of those two rows.
void turn(const uint16_t (&from)[8][8], uint16_t (&to)[8][8]) {
  for (size_t row = 0; row < 8; ++row) {
    for (size_t col = 0; col < 8; ++col) to[row][col] = from[col][row];
  }
}

void load(uint32_t (&to)[32], std::byte* const* rows, bool turns) {
  uint16_t matrix[8][8], turned[8][8];
  for (size_t row = 0; row < 8; ++row) std::memcpy(matrix[row], rows[row], kRowBytes);
  if (turns) turn(matrix, turned);
  std::memcpy(to, turns ? turned : matrix, sizeof to);
}

void store(const uint32_t (&from)[32], std::byte* const* rows, bool turns) {
  uint16_t matrix[8][8], turned[8][8];
  std::memcpy(matrix, from, sizeof matrix);
  if (turns) turn(matrix, turned);
  for (size_t row = 0; row < 8; ++row)
    std::memcpy(rows[row], turns ? turned[row] : matrix[row], kRowBytes);
}

}  // namespace

int32_t move_matrix(WarpContext& warp, const Context& context, const Step& step, bool records) {
  const bool loads = step.spelling().op() == Op::kLdmatrix;
  const bool generic = step.spelling().space() == Space::kGeneric;
  const bool turns = step.variant->has(Modifier::kTrans);
  const int matrices = matrices_of(step);
  std::byte* rows[32];
  reference::Accessed accessed;
  for (int lane = 0; lane < 8 * matrices; ++lane) {
    const auto address = static_cast<uint64_t>(warp.address[lane]);
    const SpaceAddress at = generic ? from_generic(address) : SpaceAddress{Space::kShared, address};
    rows[lane] = row_at(context, step, at, lane);
    if (rows[lane] == nullptr) return 1;
    accessed.lanes |= 1u << lane;
    accessed.address[static_cast<size_t>(lane)] = at.offset;
  }
  for (int m = 0; m < matrices; ++m) {
    if (loads) {
      load(warp.matrix.d[m], rows + 8 * m, turns);
    } else {
      store(warp.matrix.a[m], rows + 8 * m, turns);
    }
  }
  if (records) {
    reference::record(context, step, Space::kShared, generic ? 1 : 0, accessed, kRowBytes);
    return 0;
  }
  auto& counted = context.engine.counts(context.cta)
                      .by_space[static_cast<size_t>(reference::trace_space(Space::kShared))];
  ++(loads ? counted.loads : counted.stores);
  counted.lanes += 8 * static_cast<uint64_t>(matrices);
  counted.bytes += 8 * kRowBytes * static_cast<uint64_t>(matrices);
  return 0;
}

}  // namespace warpledger::exec::jit
