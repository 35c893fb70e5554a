#include "warpledger/gpu/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "warpledger/base/number.h"
#include "warpledger/base/units.h"

namespace warpledger {
namespace {

constexpr int64_t kSmemStep = 1024;
constexpr size_t kCurveColumns = 64;
constexpr int64_t kWarpsPerRow = 4;

int64_t value_of(const Launch& launch, SweepAxis axis) {
  switch (axis) {
    case SweepAxis::kBlock:
      return volume(launch.block);
    case SweepAxis::kRegisters:
      return launch.registers_per_thread;
    case SweepAxis::kSharedMemory:
      return launch.static_smem_bytes + launch.dynamic_smem_bytes;
  }
  WL_CHECK(false);
}

BlockNeeds with_value(BlockNeeds needs, SweepAxis axis, int64_t value) {
  switch (axis) {
    case SweepAxis::kBlock:
      needs.threads = value;
      break;
    case SweepAxis::kRegisters:
      needs.registers_per_thread = value;
      break;
    case SweepAxis::kSharedMemory:
      needs.static_smem_bytes = 0;
      needs.dynamic_smem_bytes = value;
      break;
  }
  return needs;
}

std::set<int64_t> values_of(const Architecture& a, SweepAxis axis) {
  const bool smem = axis == SweepAxis::kSharedMemory;
  int64_t step = 1, first = 1, last = a.execution.max_regs_per_thread.value;
  if (axis == SweepAxis::kBlock) {
    step = first = a.execution.warp_size.value;
    last = a.execution.max_threads_per_block.value;
  } else if (smem) {
    step = kSmemStep;
    first = 0;
    last = a.shared_memory.bytes_per_block_optin.value;
  }
  std::set<int64_t> values;
  for (int64_t value = first; value <= last; value += step) values.insert(value);
  return values;
}

char letter_of(const SweepPoint& point) {
  return point.warps_per_sm == 0 ? 'x' : to_text(point.limited_by)[0];
}

// At most kCurveColumns points, the current one among them.
std::vector<size_t> shown_points(const Sweep& sweep) {
  const size_t stride = std::max<size_t>(
      1, ceil_div(static_cast<int64_t>(sweep.points.size()), static_cast<int64_t>(kCurveColumns)));
  std::vector<size_t> shown;
  for (size_t i = 0; i < sweep.points.size(); i += stride) {
    const bool holds_current = sweep.current >= i && sweep.current < i + stride;
    shown.push_back(holds_current ? sweep.current : i);
  }
  return shown;
}

std::string curve_row(const Sweep& sweep, const std::vector<size_t>& shown, int64_t level) {
  std::string row;
  for (const size_t i : shown) {
    const SweepPoint& point = sweep.points[i];
    const char letter = letter_of(point);
    const bool filled = point.warps_per_sm >= level;
    const char drawn = i == sweep.current ? static_cast<char>(std::toupper(letter)) : letter;
    row += filled ? drawn : ' ';
  }
  row.erase(row.find_last_not_of(' ') + 1);
  return row;
}

}  // namespace

std::string_view to_text(SweepAxis axis) {
  switch (axis) {
    case SweepAxis::kBlock:
      return "threads per block";
    case SweepAxis::kRegisters:
      return "registers per thread";
    case SweepAxis::kSharedMemory:
      return "bytes of shared memory per block";
  }
  WL_CHECK(false);
}

Result<Sweep> sweep(const Gpu& gpu, const Launch& launch, SweepAxis axis) {
  const Architecture& a = gpu.architecture;
  const int64_t current = value_of(launch, axis);
  std::set<int64_t> values = values_of(a, axis);
  values.insert(current);
  Sweep result{.axis = axis, .points = {}, .max_warps_per_sm = a.execution.max_warps_per_sm.value};
  for (const int64_t value : values) {
    WL_TRY(const Occupancy found, occupancy(a, with_value(needs_of(launch), axis, value)));
    if (value == current) result.current = result.points.size();
    result.points.push_back({value, found.warps_per_sm(), found.limited_by.front()});
  }
  return result;
}

Table table_of(const Sweep& sweep) {
  Table table{.title = fmt::format("Warps per SM by {}", to_text(sweep.axis)),
              .columns = {{std::string(to_text(sweep.axis)), "value", Align::kRight},
                          {"Warps per SM", "warps_per_sm", Align::kRight},
                          {"Limited by", "limited_by"},
                          {"", "current"}}};
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    table.rows.push_back(
        {.cells = {Cell(point.value, Fidelity::kExact), Cell(point.warps_per_sm, Fidelity::kExact),
                   std::string(to_text(point.limited_by)),
                   i == sweep.current ? "<- this launch" : ""}});
  }
  return table;
}

std::string limits_in_words(const Sweep& sweep) {
  const auto words_of = [](const SweepPoint& point) {
    return point.warps_per_sm == 0 ? std::string("does not fit")
                                   : std::string(to_text(point.limited_by));
  };
  std::vector<std::pair<std::string, std::vector<std::string>>> ranges;  // by first appearance
  for (size_t begin = 0; begin < sweep.points.size();) {
    size_t end = begin;
    const std::string words = words_of(sweep.points[begin]);
    while (end < sweep.points.size() && words_of(sweep.points[end]) == words) ++end;
    const int64_t low = sweep.points[begin].value, high = sweep.points[end - 1].value;
    const auto known = std::find_if(ranges.begin(), ranges.end(),
                                    [&](const auto& range) { return range.first == words; });
    auto& list = known != ranges.end()
                     ? known->second
                     : ranges.emplace_back(words, std::vector<std::string>()).second;
    list.push_back(low == high ? group_thousands(low)
                               : group_thousands(low) + " to " + group_thousands(high));
    begin = end;
  }
  std::vector<std::string> parts;
  for (const auto& [words, list] : ranges)
    parts.push_back(fmt::format("{} at {}", words, fmt::join(list, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string curve_text(const Sweep& sweep) {
  const std::vector<size_t> shown = shown_points(sweep);
  const SweepPoint& here = sweep.points[sweep.current];
  std::string text = fmt::format("warps per SM by {}\n", to_text(sweep.axis));
  for (int64_t level = sweep.max_warps_per_sm; level > 0; level -= kWarpsPerRow)
    text += fmt::format("{:>5} |{}\n", level, curve_row(sweep, shown, level));
  text += fmt::format("{:>5} +{}\n", 0, std::string(shown.size(), '-'));
  const size_t column =
      static_cast<size_t>(std::find(shown.begin(), shown.end(), sweep.current) - shown.begin());
  text += fmt::format("       {}^ {}: {} warps, limited by {}\n", std::string(column, ' '),
                      group_thousands(here.value), here.warps_per_sm, to_text(here.limited_by));
  text += fmt::format(
      "       from {} to {}; letters name what limits: w warps, r registers, "
      "s shared memory, b blocks per SM\n",
      group_thousands(sweep.points[shown.front()].value),
      group_thousands(sweep.points.back().value));
  return text;
}

}  // namespace warpledger
