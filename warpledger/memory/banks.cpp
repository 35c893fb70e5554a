#include "warpledger/memory/banks.h"

#include <algorithm>
#include <bit>

namespace warpledger::memory {
namespace {

constexpr uint64_t kBanks = 32;
constexpr uint64_t kWordBytes = 4;

/// Distinct words of the lanes in `mask`, ascending. At most 32 lanes of 8 words.
struct Words {
  std::array<uint64_t, kLanes * 8> word;
  size_t count = 0;

  Words(const Lanes& lanes, uint32_t mask) {
    for (uint32_t rest = mask & lanes.mask; rest; rest &= rest - 1) {
      const uint64_t address = lanes.address[static_cast<size_t>(std::countr_zero(rest))];
      for (uint64_t byte = 0; byte < lanes.width; byte += kWordBytes) {
        word[count++] = (address + byte) / kWordBytes;
      }
    }
    if (!std::is_sorted(word.begin(), end())) std::sort(word.begin(), end());
    count = static_cast<size_t>(std::unique(word.begin(), end()) - word.begin());
  }
  [[nodiscard]] std::array<uint64_t, kLanes * 8>::iterator end() {
    return word.begin() + static_cast<int64_t>(count);
  }
};

uint32_t busiest_bank(const Words& words) {
  std::array<uint8_t, kBanks> load{};
  uint32_t most = 0;
  for (size_t i = 0; i < words.count; ++i) {
    most = std::max<uint32_t>(most, ++load[words.word[i] % kBanks]);
  }
  return most;
}

/// Every active lane finds its partner (lane ^ distance) off or at the same address.
bool pairs_repeat(const Lanes& lanes, uint32_t mask, uint32_t distance) {
  mask &= lanes.mask;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint32_t partner = lane ^ distance;
    if ((mask >> partner & 1) && lanes.address[partner] != lanes.address[lane]) return false;
  }
  return true;
}

bool merges(const Lanes& lanes, uint32_t mask) {
  return pairs_repeat(lanes, mask, 1) || pairs_repeat(lanes, mask, 2);
}

void add_phase(Wavefronts& sum, const Lanes& lanes, uint32_t mask) {
  if (!(mask & lanes.mask)) return;
  sum.total += busiest_bank(Words(lanes, mask));
  ++sum.ideal;
}

Wavefronts in_groups(const Lanes& lanes, uint32_t lanes_per_phase) {
  Wavefronts sum;
  const uint32_t group = lanes_per_phase == 32 ? 0xFFFFFFFF : (1u << lanes_per_phase) - 1;
  for (uint32_t first = 0; first < kLanes; first += lanes_per_phase) {
    add_phase(sum, lanes, group << first);
  }
  sum.words = static_cast<uint32_t>(Words(lanes, lanes.mask).count);
  return sum;
}

uint32_t lanes_per_phase(uint32_t width) {
  return width <= 4 ? 32 : width == 8 ? 16 : width == 16 ? 8 : 4;
}

}  // namespace

Wavefronts global_wavefronts(const Lanes& lanes) {
  return in_groups(lanes, lanes_per_phase(lanes.width));
}

Wavefronts matrix_wavefronts(const Lanes& lanes) { return in_groups(lanes, 8); }

Wavefronts shared_wavefronts(const Lanes& lanes) {
  if (lanes.width == 8 && merges(lanes, 0xFFFFFFFF)) return in_groups(lanes, 32);
  if (lanes.width != 16) return in_groups(lanes, lanes_per_phase(lanes.width));
  Wavefronts sum;
  for (const uint32_t half : {0x0000FFFFu, 0xFFFF0000u}) {
    if (merges(lanes, half)) {
      add_phase(sum, lanes, half);
    } else {
      add_phase(sum, lanes, half & 0x00FF00FF);
      add_phase(sum, lanes, half & 0xFF00FF00);
    }
  }
  sum.words = static_cast<uint32_t>(Words(lanes, lanes.mask).count);
  return sum;
}

Wavefronts shared_atomic_wavefronts(const Lanes& lanes) {
  std::array<uint32_t, kBanks> load{};
  uint32_t most = 0;
  for (uint32_t rest = lanes.mask; rest; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    most = std::max(most, ++load[lanes.address[lane] / kWordBytes % kBanks]);
  }
  Wavefronts sum = shared_wavefronts(lanes);
  sum.total = std::max(sum.total, most);
  return sum;
}

}  // namespace warpledger::memory
