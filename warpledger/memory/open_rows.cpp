#include "warpledger/memory/open_rows.h"

#include <algorithm>

#include "warpledger/base/units.h"

namespace warpledger::memory {
namespace {

constexpr uint32_t kPieceBytes = 256;
constexpr uint32_t kLinesPerPiece = kPieceBytes / kLineBytes;
constexpr uint32_t kNone = UINT32_MAX;

}  // namespace

OpenRows::OpenRows(RowsConfig config)
    : pieces_per_row_(std::max(1u, config.row_bytes / kPieceBytes)), channels_(config.channels) {
  for (Channel& channel : channels_) channel.fill(kNone);
}

bool OpenRows::touch(uint32_t line) {
  if (channels_.empty()) return false;
  const uint32_t piece = line / kLinesPerPiece;
  const auto count = static_cast<uint32_t>(channels_.size());
  Channel& open = channels_[piece % count];
  const uint32_t row = piece / count / pieces_per_row_;
  const auto found = std::find(open.begin(), open.end(), row);
  const bool is_new = found == open.end();
  std::move_backward(open.begin(), is_new ? open.end() - 1 : found,
                     is_new ? open.end() : found + 1);
  open.front() = row;
  return is_new;
}

}  // namespace warpledger::memory
