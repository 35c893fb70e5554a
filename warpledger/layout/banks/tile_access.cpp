#include "warpledger/layout/banks/tile_access.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "warpledger/layout/notation/notation.h"
#include "warpledger/layout/notation/swizzle.h"

namespace warpledger {
namespace {

constexpr uint64_t kWarp = 32;

Layout access_layout(std::vector<uint64_t> offsets) {
  const uint64_t last = *std::max_element(offsets.begin(), offsets.end());
  return Layout(Space({{"lane", 32}}), Space({{"offset", static_cast<int64_t>(last) + 1}}),
                std::move(offsets));
}

/// Byte offset of element (register i, lane) in the tile.
class Placed {
 public:
  Placed(const Layout& fragment, const SharedTile& tile) : fragment_(fragment), tile_(tile) {}
  [[nodiscard]] uint64_t at(int64_t element, int64_t lane) const {
    std::vector<int64_t> point(fragment_.from().dims().size(), 0);
    point[*fragment_.from().find("lane")] = lane;
    if (const auto d = fragment_.from().find("register")) point[*d] = element;
    const std::vector<int64_t> place = fragment_.at(point);
    const int64_t row = place[*fragment_.to().find("row")],
                  col = place[*fragment_.to().find("col")];
    return static_cast<uint64_t>(tile_.offsets.at({row, col})[0]);
  }

 private:
  const Layout& fragment_;
  const SharedTile& tile_;
};

}  // namespace

Result<SharedTile> read_tile(const std::string& text, int element_bytes) {
  WL_TRY(const Layout elements, notation::read(Source("tile", text), {.modes = {"row", "col"}}));
  if (elements.from().dims().size() != 2 || !elements.from().find("row") ||
      !elements.from().find("col")) {
    return Diagnostic{.message = "a tile is a (row, col) layout with two modes",
                      .code = "bad-layout"};
  }
  std::vector<uint64_t> bytes;
  for (uint64_t x = 0; x < static_cast<uint64_t>(elements.from().size()); ++x) {
    bytes.push_back(elements(x) * static_cast<uint64_t>(element_bytes));
  }
  const uint64_t last = *std::max_element(bytes.begin(), bytes.end());
  return SharedTile{Layout(elements.from(), Space({{"offset", static_cast<int64_t>(last) + 1}}),
                           std::move(bytes)),
                    element_bytes};
}

namespace {

/// True when registers [i, i+n) of every lane are neighbors in the tile, aligned, for every i.
bool vectorises(const Placed& placed, int64_t registers, int64_t n, int element_bytes) {
  for (int64_t lane = 0; lane < 32; ++lane) {
    for (int64_t i = 0; i < registers; i += n) {
      const uint64_t first = placed.at(i, lane);
      if (first % static_cast<uint64_t>(n * element_bytes) != 0) return false;
      for (int64_t j = 1; j < n; ++j) {
        if (placed.at(i + j, lane) != first + static_cast<uint64_t>(j * element_bytes))
          return false;
      }
    }
  }
  return true;
}

Status check_inside(const Layout& fragment, const SharedTile& tile) {
  const auto row = fragment.to().find("row"), col = fragment.to().find("col");
  if (!row || !col || !fragment.from().find("lane")) {
    return Diagnostic{.message = "the access must give row and col for each lane",
                      .code = "bad-layout"};
  }
  for (uint64_t x = 0; x < static_cast<uint64_t>(fragment.from().size()); ++x) {
    const std::vector<int64_t> at = fragment.to().unpack(fragment(x));
    if (at[*row] < tile.offsets.from().size_of("row") &&
        at[*col] < tile.offsets.from().size_of("col"))
      continue;
    return Diagnostic{
        .message = fmt::format("{} is outside the tile {}", point_text(fragment.to(), fragment(x)),
                               to_text(tile.offsets.from())),
        .code = "outside-tile"};
  }
  return {};
}

}  // namespace

Result<std::vector<SharedAccess>> tile_accesses(const Layout& fragment, const SharedTile& tile,
                                                int bytes) {
  WL_TRY_STATUS(check_inside(fragment, tile));
  const Placed placed(fragment, tile);
  const int64_t registers = fragment.from().size_of("register");
  int64_t vector = std::max(1, bytes / tile.element_bytes);
  if (bytes == 0) {
    while (vector * 2 <= registers && vector * 2 * tile.element_bytes <= 16 &&
           vectorises(placed, registers, vector * 2, tile.element_bytes)) {
      vector *= 2;
    }
  }
  std::vector<SharedAccess> accesses;
  for (int64_t i = 0; i < registers; i += vector) {
    std::vector<uint64_t> offsets;
    for (int64_t lane = 0; lane < 32; ++lane) offsets.push_back(placed.at(i, lane));
    accesses.push_back({access_layout(std::move(offsets)),
                        bytes != 0 ? bytes : static_cast<int>(vector) * tile.element_bytes});
  }
  return accesses;
}

namespace {

template <class Move>
int total_wavefronts(const std::vector<SharedAccess>& accesses, const Move& move) {
  int total = 0;
  for (const SharedAccess& access : accesses) {
    std::vector<uint64_t> offsets;
    for (uint64_t lane = 0; lane < kWarp; ++lane) offsets.push_back(move(access.addresses(lane)));
    for (const int n : wavefronts_by_enumeration({access_layout(std::move(offsets)), access.bytes}))
      total += n;
  }
  return total;
}

Remedy best_swizzle(const std::vector<SharedAccess>& accesses, int vector_bits) {
  Remedy best{"", 1 << 30, 0};
  for (int bits = 1; bits <= 5; ++bits) {
    for (int base = vector_bits; base + bits <= 7; ++base) {
      for (int shift = bits; base + shift < 14; ++shift) {
        const Swizzle swizzle{bits, base, shift};
        const int total = total_wavefronts(accesses, swizzle);
        if (total < best.wavefronts)
          best = {to_text(swizzle) + " on byte offsets", total, 0, swizzle};
      }
    }
  }
  return best;
}

Remedy best_padding(const std::vector<SharedAccess>& accesses, int vector_bits) {
  uint64_t last = 0;
  for (const SharedAccess& access : accesses) {
    for (uint64_t lane = 0; lane < kWarp; ++lane) last = std::max(last, access.addresses(lane));
  }
  Remedy best{"", 1 << 30, 0};
  for (uint64_t period = 64; period <= 4096; period *= 2) {
    for (uint64_t pad = uint64_t{1} << std::max(2, vector_bits); pad <= 128; pad *= 2) {
      const int total =
          total_wavefronts(accesses, [&](uint64_t at) { return at + at / period * pad; });
      const auto extra = static_cast<int64_t>(last / period * pad);
      if (total > best.wavefronts || (total == best.wavefronts && extra >= best.extra_bytes))
        continue;
      best = {fmt::format("{} bytes of padding after every {}", pad, period), total, extra};
    }
  }
  return best;
}

}  // namespace

std::vector<Remedy> propose_remedies(const std::vector<SharedAccess>& accesses) {
  int widest = 1;
  for (const SharedAccess& access : accesses) widest = std::max(widest, access.bytes);
  const int vector_bits = std::max(2, std::countr_zero(static_cast<unsigned>(widest)));
  std::vector<Remedy> remedies = {best_swizzle(accesses, vector_bits),
                                  best_padding(accesses, vector_bits)};
  std::stable_sort(remedies.begin(), remedies.end(), [](const Remedy& a, const Remedy& b) {
    return a.wavefronts != b.wavefronts ? a.wavefronts < b.wavefronts
                                        : a.extra_bytes < b.extra_bytes;
  });
  return remedies;
}

}  // namespace warpledger
