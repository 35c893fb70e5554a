#include "warpledger/profile/sampling/strata.h"

#include <algorithm>
#include <array>

namespace warpledger::profile {
namespace {

constexpr uint32_t kFewest = 3;  // cells of an axis: the first index, those between, the last

struct Cell {
  uint32_t first = 0, count = 1;
};

std::vector<Cell> cells_of(uint32_t extent, uint32_t count) {
  std::vector<Cell> cells;
  if (extent <= count) {
    for (uint32_t i = 0; i < extent; ++i) cells.push_back({i, 1});
    return cells;
  }
  const uint32_t between = count - 2, inner = extent - 2;
  cells.push_back({0, 1});
  for (uint32_t i = 0; i < between; ++i) {
    const auto begin = static_cast<uint32_t>(uint64_t{inner} * i / between);
    const auto end = static_cast<uint32_t>(uint64_t{inner} * (i + 1) / between);
    cells.push_back({1 + begin, end - begin});
  }
  cells.push_back({extent - 1, 1});
  return cells;
}

/// As many cells an axis as fit: the axis with most gives way first.
std::array<uint32_t, 3> cell_counts(const exec::Extent& grid, uint32_t most) {
  std::array<uint32_t, 3> counts = {grid[0], grid[1], grid[2]};
  const auto product = [&] { return uint64_t{counts[0]} * counts[1] * counts[2]; };
  for (uint32_t& count : counts) count = std::min(count, most);
  while (product() > most / 2) {
    uint32_t& largest = *std::max_element(counts.begin(), counts.end());
    if (largest <= kFewest) break;
    --largest;
  }
  return counts;
}

uint64_t mix(uint64_t x) {  // splitmix64
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

/// Adds the pair of one product of cells.
void add_pair(const exec::Extent& grid, const std::array<Cell, 3>& cell, uint64_t number,
              std::vector<Delegate>& delegates) {
  std::array<uint64_t, 2> cta = {0, 0};
  double weight = 1;
  uint64_t pitch = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    const uint64_t drawn = mix(3 * number + axis);
    const uint64_t low = (drawn >> 1) % ((cell[axis].count + 1) / 2);
    const uint64_t places[2] = {low, cell[axis].count - 1 - low};
    for (size_t half = 0; half < 2; ++half) {
      cta[half] += (cell[axis].first + places[(half + drawn) % 2]) * pitch;
    }
    weight *= cell[axis].count;
    pitch *= grid[axis];
  }
  if (cta[0] == cta[1]) return delegates.push_back({cta[0], weight, 2});
  delegates.push_back({cta[0], weight / 2, 0});
  delegates.push_back({cta[1], weight / 2, 1});
}

}  // namespace

std::vector<Delegate> choose_delegates(const exec::Extent& grid, uint32_t most) {
  const std::array<uint32_t, 3> counts = cell_counts(grid, most);
  std::vector<Delegate> delegates;
  uint64_t number = 0;
  for (const Cell& z : cells_of(grid[2], counts[2])) {
    for (const Cell& y : cells_of(grid[1], counts[1])) {
      for (const Cell& x : cells_of(grid[0], counts[0])) {
        add_pair(grid, {x, y, z}, number++, delegates);
      }
    }
  }
  return delegates;
}

}  // namespace warpledger::profile
