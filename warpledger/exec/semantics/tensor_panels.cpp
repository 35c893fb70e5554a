#include "warpledger/exec/semantics/tensor_panels.h"

#include <algorithm>

#include "warpledger/exec/semantics/panel_source.h"

namespace warpledger::exec {
namespace {

using numeric::LeftPanel;
using numeric::PanelFormat;
using numeric::PanelLine;
using numeric::RightPanel;

constexpr uint32_t kRows = LeftPanel::kRows, kColumns = RightPanel::kColumns;

bool takes_form(const TensorMultiply& work, const numeric::TensorCore& core) {
  const TensorProduct& plan = work.plan;
  const bool is_whole =
      std::ranges::all_of(work.kept_lanes, [](uint32_t word) { return word == 0; });
  return plan.kind == ptx::Modifier::kKindF16 && plan.a == plan.b && !plan.half_result &&
         !plan.negates_a && !plan.negates_b && work.scale_d == 0 && is_whole &&
         numeric::panels_take(core);
}

std::vector<RightPanel> read_right(const TensorMultiply& work, PanelFormat format) {
  std::vector<PanelLine> lines(work.plan.n);
  const std::vector<uint32_t> found =
      work.chunks[1].empty() ? work.b.chunks() : std::vector<uint32_t>();
  const std::span<const uint32_t> chunks = found.empty() ? work.chunks[1] : std::span(found);
  const uint32_t held = work.plan.b_rows();
  for (uint32_t first = 0; first < lines.size(); first += held)
    read_lines(work.b, work.parts[first / held].shared, chunks, 0,
               std::span(lines).subspan(first, held));
  return right_panels(lines, format);
}

/// 16 rows from tensor memory, whose columns are pairs of elements.
bool unpack_cells(LeftPanel& panel, TensorMemory& tensor, const TensorAddress& at,
                  PanelFormat format) {
  alignas(64) uint32_t pairs[8][kRows];
  for (uint32_t i = 0; i < 8; ++i)
    std::ranges::copy(tensor.lanes(at.lane, at.column + i, kRows), pairs[i]);
  return numeric::unpack(panel, pairs, format);
}

/// Empty where a value is infinite or NaN.
std::vector<LeftPanel> read_left(const TensorMultiply& work, PanelFormat format) {
  std::vector<LeftPanel> panels(work.plan.m / kRows);
  const std::vector<uint32_t> found =
      !work.a_is_shared || !work.chunks[0].empty() ? std::vector<uint32_t>() : work.a.chunks();
  const std::span<const uint32_t> chunks = found.empty() ? work.chunks[0] : std::span(found);
  for (uint32_t i = 0; i < panels.size(); ++i) {
    const uint32_t row = i * kRows % work.plan.a_rows();
    const TensorPart& part = work.parts[i * kRows / work.plan.a_rows()];
    bool fits = false;
    if (work.a_is_shared) {
      PanelLine rows[kRows];
      read_lines(work.a, part.shared, chunks, row, rows);
      fits = numeric::unpack(panels[i], rows, format);
    } else {
      const TensorAddress at = {work.a_in_tensor.lane + lane_of_a(work.plan, row),
                                work.a_in_tensor.column};
      fits = unpack_cells(panels[i], *part.tensor, at, format);
    }
    if (!fits) return {};
  }
  return panels;
}

/// f(panel of A, first of the columns, how many, their results) for what lies side by side in D.
/// False as soon as f says so.
template <class F>
bool each_strip(const TensorMultiply& work, F f) {
  const TensorProduct& plan = work.plan;
  const uint32_t length = stretch_of(plan);
  for (uint32_t row = 0; row < plan.m; row += kRows) {
    for (uint32_t column = 0; column < plan.n; column += length) {
      const TensorCell at = place_of(plan, row, column);
      const std::span<uint32_t> first =
          work.parts[at.cta].tensor->lanes(work.d.lane + at.lane, work.d.column + at.column, kRows);
      if (!f(row / kRows, column, length,
             numeric::PanelResults{.d = first.data(), .stride = kTensorLanes, .adds = work.adds}))
        return false;
    }
  }
  return true;
}

}  // namespace

bool multiply_panels(const TensorMultiply& work, const numeric::TensorCore& core) {
  const auto format = panel_format(type_info(work.plan.a));
  if (!format || !takes_form(work, core)) return false;
  const std::vector<LeftPanel> left = read_left(work, *format);
  if (left.empty()) return false;
  const std::vector<RightPanel> right = read_right(work, *format);
  if (right.empty()) return false;
  for (const LeftPanel& a : left) {
    for (const RightPanel& b : right)
      if (!numeric::panels_take(a, b)) return false;
  }
  const bool takes = !work.adds || each_strip(work, [](uint32_t, uint32_t, uint32_t columns,
                                                       const numeric::PanelResults& c) {
    return numeric::panels_take(c, columns);
  });
  if (!takes) return false;
  return each_strip(work, [&](uint32_t panel, uint32_t column, uint32_t columns,
                              const numeric::PanelResults& results) {
    numeric::sum_panels(left[panel],
                        std::span(right).subspan(column / kColumns, columns / kColumns), core,
                        results);
    return true;
  });
}

}  // namespace warpledger::exec
