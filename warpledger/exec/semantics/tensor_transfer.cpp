#include "warpledger/exec/semantics/tensor_transfer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace warpledger::exec {
namespace {

using ptx::Modifier;

/// PTX ISA 9.1, 9.7.16.2.3.1.
WindowCell cell_of(Modifier shape, uint32_t lane, uint32_t r) {
  switch (shape) {
    case Modifier::k16x64b:
      return {lane / 4 + 8 * (lane & 1), (lane / 2 & 1) + 2 * r};
    case Modifier::k16x128b:
      return {lane / 4 + 8 * (r & 1), (lane & 3) + 4 * (r / 2)};
    case Modifier::k16x256b:
      return {lane / 4 + 8 * (r / 2 & 1), (r & 1) + 2 * (lane & 3) + 8 * (r / 4)};
    case Modifier::k16x32bx2:
      return {lane & 15, r};
    default:
      return {lane, r};
  }
}

/// A packed register takes two columns. The split counts columns either way: ptxas adds it to the
/// address.
WindowCell cell_in(const TensorTransfer& transfer, uint32_t lane, uint32_t r) {
  WindowCell cell = cell_of(transfer.shape, lane, r);
  if (transfer.packed) cell.column *= 2;
  if (transfer.shape == Modifier::k16x32bx2 && lane >= 16) cell.column += transfer.split;
  return cell;
}

}  // namespace

/// The last four registers reach as far as any: columns grow with r, and rows repeat every four at
/// most.
WindowCell TensorTransfer::extent() const {
  if (is_plain()) return {kWarpTensorLanes, registers};
  WindowCell extent;
  for (uint32_t lane = 0; lane < kWarpTensorLanes; ++lane) {
    for (uint32_t r = registers - std::min(registers, 4u); r < registers; ++r) {
      const WindowCell cell = cell_in(*this, lane, r);
      extent.row = std::max(extent.row, cell.row + 1);
      extent.column = std::max(extent.column, cell.column + (packed ? 2 : 1));
    }
  }
  return extent;
}

std::string TensorTransfer::lane_fault(uint32_t warp) const {
  const uint32_t first = warp % 4 * kWarpTensorLanes, rows = extent().row;
  if (at.lane >= first && at.lane + rows <= first + kWarpTensorLanes) return {};
  return fmt::format(
      "warp {} reaches lanes {} to {} of tensor memory, not {} of them from lane {} on", warp,
      first, first + 31, rows, at.lane);
}

std::string TensorTransfer::column_fault(const TensorMemory& tensor) const {
  if (split >= kTensorColumns)  // its sums would wrap
    return fmt::format("halves that are {} columns apart", split);
  const uint32_t columns = extent().column;
  if (tensor.is_allocated(at.column, columns)) return {};
  return fmt::format("columns {} to {} of tensor memory are not allocated", at.column,
                     at.column + columns - 1);
}

TensorAddress TensorTransfer::cell(uint32_t lane, uint32_t r) const {
  const WindowCell cell = cell_in(*this, lane, r);
  return {at.lane + cell.row, at.column + cell.column};
}

uint32_t TensorTransfer::load(TensorMemory& tensor, uint32_t lane, uint32_t r) const {
  const TensorAddress from = cell(lane, r);
  const uint32_t word = tensor.cell(from.lane, from.column);
  if (!packed) return word;
  return (word & 0xffff) | tensor.cell(from.lane, from.column + 1) << 16;
}

void TensorTransfer::store(TensorMemory& tensor, uint32_t lane, uint32_t r, uint32_t word) const {
  const TensorAddress to = cell(lane, r);
  tensor.cell(to.lane, to.column) = packed ? word & 0xffff : word;
  if (packed) tensor.cell(to.lane, to.column + 1) = word >> 16;
}

std::optional<TensorCopy> TensorCopy::of(Modifier shape) {
  const bool wide = shape == Modifier::k128x256b, spread = shape == Modifier::k32x128b;
  if (!wide && !spread && shape != Modifier::k128x128b) return {};
  return TensorCopy{.from = {.rows = spread ? 32u : 128u,
                             .k = wide ? 32u : 16u,
                             .element_bits = 8,
                             .per_chunk = 16},
                    .repeats = spread ? 4u : 1u};
}

void TensorCopy::operator()(std::span<const std::byte> shared, TensorMemory& tensor) const {
  const std::vector<uint32_t> chunks = from.chunks();
  const uint32_t along = from.chunks_along();
  for (uint32_t i = 0; i < chunks.size(); ++i) {
    uint32_t words[4];
    std::memcpy(words, shared.data() + chunks[i], sizeof words);
    for (uint32_t w = 0; w < 4 * repeats; ++w) {
      const uint32_t lane = to.lane + i / along + w / 4 * 32;
      tensor.cell(lane, to.column + i % along * 4 + w % 4) = words[w % 4];
    }
  }
}

}  // namespace warpledger::exec
