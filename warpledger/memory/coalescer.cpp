#include "warpledger/memory/coalescer.h"

#include <algorithm>

#include "warpledger/base/units.h"

namespace warpledger::memory {
namespace {

void touch(std::vector<LineTouch>& lines, uint64_t address, uint32_t width) {
  const uint64_t line = address / kLineBytes;
  auto at = std::find_if(lines.begin(), lines.end(),
                         [&](const LineTouch& known) { return known.line == line; });
  if (at == lines.end()) at = lines.insert(at, {line, 0, {}});
  const uint64_t byte = address % kLineBytes;
  at->sectors = static_cast<uint8_t>(at->sectors | 1u << (byte / kSectorBytes));
  const uint64_t run = (uint64_t{1} << width) - 1;  // width <= 32
  at->bytes[byte / 64] |= run << (byte % 64);
}

}  // namespace

uint8_t LineTouch::partial_sectors() const {
  uint32_t partial = 0;
  for (uint32_t sector = 0; sector < 4; ++sector) {
    const uint64_t bits = bytes[sector / 2] >> (32 * (sector % 2)) & 0xFFFFFFFF;
    if ((sectors >> sector & 1) && bits != 0xFFFFFFFF) partial |= 1u << sector;
  }
  return static_cast<uint8_t>(partial);
}

std::vector<LineTouch> lines_of(const Lanes& lanes) {
  std::vector<LineTouch> lines;
  for (uint32_t rest = lanes.mask; rest; rest &= rest - 1) {
    touch(lines, lanes.address[static_cast<size_t>(std::countr_zero(rest))], lanes.width);
  }
  return lines;
}

Lanes first_phase(Lanes lanes) {
  const uint32_t size = kLanes * 4 / std::clamp(lanes.width, 4u, 16u);
  if (lanes.mask == 0 || size == kLanes) return lanes;
  const uint32_t first = static_cast<uint32_t>(std::countr_zero(lanes.mask)) / size * size;
  lanes.mask &= ((1u << size) - 1) << first;
  return lanes;
}

std::vector<LineTouch> local_lines_of(const Lanes& lanes) {
  std::vector<LineTouch> lines;
  for (uint32_t word = 0; word < lanes.width; word += 4) {
    for (uint32_t rest = lanes.mask; rest; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      const uint64_t offset = lanes.address[lane] + word;
      const uint64_t place = (offset / 4 * kLanes + lane) * 4 + offset % 4;
      touch(lines, place, std::min(lanes.width, 4u));
    }
  }
  return lines;
}

std::vector<LineTouch> texel_lines_of(std::span<const uint64_t> addresses, uint32_t width) {
  std::vector<LineTouch> lines;
  for (const uint64_t address : addresses) {
    const auto here = static_cast<uint32_t>(kSectorBytes) -
                      static_cast<uint32_t>(address % static_cast<uint64_t>(kSectorBytes));
    touch(lines, address, std::min(width, here));
    if (width > here) touch(lines, address + here, width - here);
  }
  return lines;
}

uint64_t sectors_in(std::span<const LineTouch> lines) {
  uint64_t sectors = 0;
  for (const LineTouch& touch : lines) {
    sectors += static_cast<uint64_t>(std::popcount(touch.sectors));
  }
  return sectors;
}

uint64_t ideal_sectors(const Lanes& lanes, uint64_t touched) {
  const int64_t bytes = std::popcount(lanes.mask) * static_cast<int64_t>(lanes.width);
  return std::min(touched, static_cast<uint64_t>(ceil_div(bytes, kSectorBytes)));
}

}  // namespace warpledger::memory
