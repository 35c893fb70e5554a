// Operands of wgmma and tcgen05.mma from shared memory as numeric/panel.h takes them.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "warpledger/exec/numeric/panel.h"
#include "warpledger/exec/semantics/matrix_descriptor.h"
#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {

/// What panels make of an operand's type; nothing: they do not take it.
[[nodiscard]] std::optional<numeric::PanelFormat> panel_format(const TypeInfo& type);

/// Rows (of B: columns) from `first` on, as many as there are lines. Pre: 16 elements of 16 bits
/// along k; `first` and the number of lines are multiples of 8.
void read_lines(const SharedOperand& operand, std::span<const std::byte> shared,
                std::span<const uint32_t> chunks, uint32_t first,
                std::span<numeric::PanelLine> lines);

/// Every four lines a panel; empty where a value is infinite or NaN.
[[nodiscard]] std::vector<numeric::RightPanel> right_panels(
    std::span<const numeric::PanelLine> lines, numeric::PanelFormat format);

/// Panels of B that were made last: all warps of a warpgroup multiply by the same.
class KnownPanels {
 public:
  /// right_panels() of the lines, valid until the next call. `key`: what is likely to come with the
  /// same lines again.
  [[nodiscard]] std::span<const numeric::RightPanel> find(uint32_t key,
                                                          std::span<const numeric::PanelLine> lines,
                                                          numeric::PanelFormat format);

 private:
  struct Entry {
    std::vector<numeric::PanelLine> lines;
    numeric::PanelFormat format = numeric::PanelFormat::kHalf;
    std::vector<numeric::RightPanel> panels;
  };
  std::array<Entry, 16> entries_;  // steps of k of a stage, for two operands
};

}  // namespace warpledger::exec
