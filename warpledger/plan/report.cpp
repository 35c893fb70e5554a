#include "warpledger/plan/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "warpledger/base/number.h"
#include "warpledger/plan/tensor_memory.h"
#include "warpledger/plan/timeline.h"

namespace warpledger::plan {
namespace {

constexpr Fidelity kExact = Fidelity::kExact;

Cell kib(int64_t bytes) {
  const double value = static_cast<double>(bytes) / 1024;
  return Cell(fmt::format("{:.1f}", value), value, kExact);
}

std::vector<size_t> by_offset(const Region& region) {
  std::vector<size_t> order(region.slots.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return region.packing.offsets[a] < region.packing.offsets[b];
  });
  return order;
}

int64_t end_of(const Plan& plan, const Region& region, size_t item) {
  const SlotName name = region.slots[item];
  return region.packing.offsets[item] + plan.buffers[name.buffer].size_of(slot_of(plan, name));
}

/// Tensors in different halves of the lanes share columns, not cells.
bool lanes_meet(const Plan& plan, const Region& region, size_t a, size_t b) {
  if (region.halves.empty()) return true;
  const bool halves = !plan.buffers[region.slots[a].buffer].takes_all_lanes() &&
                      !plan.buffers[region.slots[b].buffer].takes_all_lanes();
  return !halves || region.halves[a] == region.halves[b];
}

std::string sharers(const Plan& plan, const Region& region, size_t item) {
  std::string names;
  for (size_t other = 0; other < region.slots.size(); ++other) {
    const bool meet = region.packing.offsets[other] < end_of(plan, region, item) &&
                      region.packing.offsets[item] < end_of(plan, region, other);
    if (other == item || !meet || !lanes_meet(plan, region, item, other)) continue;
    names += (names.empty() ? "" : ", ") + name_of(plan, region.slots[other]);
  }
  return names;
}

}  // namespace

std::string shape_text(const Buffer& buffer, const Slot& slot) {
  const std::string shape = fmt::format("[{}]", fmt::join(buffer.shape, ", "));
  return slot.count == 1 ? shape : fmt::format("{} x {}", slot.count, shape);
}

Table shared_table(const Plan& plan, const Placement& placement) {
  const Region& region = placement.shared;
  Table table{.title = "shared memory",
              .columns = {{"buffer", "buffer"},
                          {"type", "type"},
                          {"shape", "shape"},
                          {"start", "start_bytes", Align::kRight},
                          {"end", "end_bytes", Align::kRight},
                          {"bytes", "size_bytes", Align::kRight},
                          {"KiB", "size_kib", Align::kRight},
                          {"live", "live"},
                          {"shares memory with", "shares_with"},
                          {"note", "note"}}};
  for (size_t item : by_offset(region)) {
    const SlotName name = region.slots[item];
    const Buffer& buffer = plan.buffers[name.buffer];
    const Slot& slot = slot_of(plan, name);
    const int64_t start = region.packing.offsets[item], size = buffer.size_of(slot);
    table.rows.push_back(
        {{name_of(plan, name), buffer.dtype.name, shape_text(buffer, slot), Cell(start, kExact),
          Cell(start + size, kExact), Cell(size, kExact), kib(size), to_text(plan, slot),
          sharers(plan, region, item), buffer.note}});
  }
  const int64_t total = region.packing.total;
  table.rows.push_back({{"total", "", "", Cell(0, kExact), Cell(total, kExact), Cell(total, kExact),
                         kib(total), "", "", ""},
                        true});
  table.notes.push_back(fmt::format("busiest moment: {} bytes live, {} of padding",
                                    group_thousands(region.packing.busiest),
                                    group_thousands(total - region.packing.busiest)));
  return table;
}

Table tensor_table(const Plan& plan, const Placement& placement) {
  const Region& region = placement.tensor;
  Table table{.title = "tensor memory",
              .columns = {{"tensor", "tensor"},
                          {"type", "type"},
                          {"shape", "shape"},
                          {"start", "start_column", Align::kRight},
                          {"end", "end_column", Align::kRight},
                          {"columns", "columns", Align::kRight},
                          {"tensor KiB", "tensor_kib", Align::kRight},
                          {"occupied KiB", "occupied_kib", Align::kRight},
                          {"layout", "layout"},
                          {"live", "live"},
                          {"shares memory with", "shares_with"},
                          {"note", "note"}}};
  int64_t tensors = 0;
  for (size_t item : by_offset(region)) {
    const SlotName name = region.slots[item];
    const Buffer& buffer = plan.buffers[name.buffer];
    const Slot& slot = slot_of(plan, name);
    const int64_t start = region.packing.offsets[item], columns = buffer.size_of(slot);
    // A CTA of a pair holds its half of the tensor; a duplicated one is held twice.
    const int64_t bytes = tensor_bytes(buffer) * slot.count / plan.cta_group;
    const int64_t lanes = buffer.takes_all_lanes() ? kTensorLanes : kTensorLanes / 2;
    tensors += bytes;
    std::string layout(1, buffer.form.layout);
    if (!buffer.takes_all_lanes()) layout += fmt::format(", lanes +{}", 16 * region.halves[item]);
    table.rows.push_back({{name_of(plan, name), buffer.dtype.name, shape_text(buffer, slot),
                           Cell(start, kExact), Cell(start + columns, kExact),
                           Cell(columns, kExact), kib(bytes), kib(columns * lanes * kCellBytes),
                           layout, to_text(plan, slot), sharers(plan, region, item), buffer.note}});
  }
  const int64_t total = region.packing.total;
  table.rows.push_back({{"total", "", "", Cell(0, kExact), Cell(total, kExact), Cell(total, kExact),
                         kib(tensors), kib(total * kColumnBytes), "", "", "", ""},
                        true});
  return table;
}

Table map_table(const Plan& plan, const Placement& placement, Space space) {
  const Region& region = space == Space::kShared ? placement.shared : placement.tensor;
  const Timeline time(plan, region.slots);
  Table table{
      .title = space == Space::kShared ? "shared memory over time" : "tensor memory over time",
      .columns = {{"from", "from", Align::kRight}, {"to", "to", Align::kRight}}};
  for (size_t c = 0; c < time.names().size(); ++c) {
    table.columns.push_back({time.names()[c], fmt::format("moment{}", c)});
  }
  std::set<int64_t> edges = {0};
  for (size_t item = 0; item < region.slots.size(); ++item) {
    edges.insert(region.packing.offsets[item]);
    edges.insert(end_of(plan, region, item));
  }
  for (auto edge = edges.begin(); std::next(edge) != edges.end(); ++edge) {
    const int64_t from = *edge, to = *std::next(edge);
    std::vector<std::string> cells(time.names().size());
    for (size_t item = 0; item < region.slots.size(); ++item) {
      if (region.packing.offsets[item] > from || end_of(plan, region, item) < to) continue;
      for (const Lifetime& life : slot_of(plan, region.slots[item]).lives) {
        const Columns columns = time.columns(life);
        for (int c = columns.first; c < columns.last; ++c) {
          cells[c] += (cells[c].empty() ? "" : " | ") + name_of(plan, region.slots[item]);
        }
      }
    }
    Row row{{Cell(from, kExact), Cell(to, kExact)}};
    for (std::string& cell : cells) row.cells.emplace_back(cell.empty() ? "." : std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace warpledger::plan
