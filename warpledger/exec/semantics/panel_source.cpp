#include "warpledger/exec/semantics/panel_source.h"

#include <cstring>

namespace warpledger::exec {
namespace {

using numeric::PanelLine;

constexpr uint32_t kDepth = numeric::LeftPanel::kDepth, kPerPiece = 8;

/// A row's two pieces lie anywhere.
void read_k_major(std::span<const std::byte> shared, std::span<const uint32_t> chunks,
                  std::span<PanelLine> lines) {
  for (PanelLine& line : lines) {
    std::memcpy(line.element, shared.data() + chunks[0], 16);
    std::memcpy(line.element + kPerPiece, shared.data() + chunks[1], 16);
    chunks = chunks.subspan(2);
  }
}

/// A piece is eight rows at one k.
void read_mn_major(const SharedOperand& operand, std::span<const std::byte> shared,
                   std::span<const uint32_t> chunks, uint32_t first, std::span<PanelLine> lines) {
  const uint32_t along = operand.chunks_along();
  for (uint32_t row = 0; row < lines.size(); row += kPerPiece) {
    const std::byte* pieces[kDepth];
    for (uint32_t k = 0; k < kDepth; ++k)
      pieces[k] = shared.data() + chunks[k * along + (first + row) / kPerPiece];
    numeric::turn_pieces(pieces, lines.subspan(row).first<kPerPiece>());
  }
}

}  // namespace

std::optional<numeric::PanelFormat> panel_format(const TypeInfo& type) {
  if (!type.is_float) return {};
  if (type.format == numeric::kF16) return numeric::PanelFormat::kHalf;
  if (type.format == numeric::kBf16) return numeric::PanelFormat::kBfloat;
  return {};
}

void read_lines(const SharedOperand& operand, std::span<const std::byte> shared,
                std::span<const uint32_t> chunks, uint32_t first, std::span<PanelLine> lines) {
  if (operand.mn_major) return read_mn_major(operand, shared, chunks, first, lines);
  read_k_major(shared, chunks.subspan(size_t{2} * first), lines);
}

std::vector<numeric::RightPanel> right_panels(std::span<const PanelLine> lines,
                                              numeric::PanelFormat format) {
  constexpr size_t kColumns = numeric::RightPanel::kColumns;
  std::vector<numeric::RightPanel> panels(lines.size() / kColumns);
  for (size_t i = 0; i < panels.size(); ++i) {
    if (!numeric::unpack(panels[i], lines.subspan(i * kColumns).first<kColumns>(), format))
      return {};
  }
  return panels;
}

std::span<const numeric::RightPanel> KnownPanels::find(uint32_t key,
                                                       std::span<const PanelLine> lines,
                                                       numeric::PanelFormat format) {
  Entry& entry = entries_[(key * 0x9e3779b9u) >> 28];
  const bool is_known = entry.format == format && entry.lines.size() == lines.size() &&
                        std::memcmp(entry.lines.data(), lines.data(), lines.size_bytes()) == 0;
  if (!is_known) {
    entry.lines.assign(lines.begin(), lines.end());
    entry.format = format;
    entry.panels = right_panels(lines, format);
  }
  return entry.panels;
}

}  // namespace warpledger::exec
