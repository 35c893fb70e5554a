#include "warpledger/gpu/dram_rows.h"

#include <string_view>

namespace warpledger {
namespace {

struct Kind {
  std::string_view type;  // how its name begins
  int64_t channel_bits, row_bytes;
  double activation_ns;
};

// GDDR6: two channels of 16 bits a chip, 2 KB rows (JESD250; Micron's technical brief); 12 cycles
// of 3.5 GHz between activations (Accel-Sim's SM86_RTX3070). HBM: pseudo channels of 64 bits with
// 1 KB rows, 4 ns (JESD235); HBM3: of 32 bits (JESD238), 3.75 ns as in Ramulator 2. LPDDR5: 16
// bits, 2 KB, 5 ns (JESD209-5). GDDR7 is not here: nothing public says how it activates.
constexpr Kind kKinds[] = {
    {"GDDR6", 16, 2048, 12 / 3.5},
    {"HBM3", 32, 1024, 3.75},
    {"HBM2", 64, 1024, 4.0},
    {"LPDDR5", 16, 2048, 5.0},
};

}  // namespace

std::optional<DramRows> dram_rows(const Gpu& gpu) {
  if (!gpu.dram.type || !gpu.dram.bus_bits) return {};
  for (const Kind& kind : kKinds) {
    if (!std::string_view(gpu.dram.type->value).starts_with(kind.type)) continue;
    return DramRows{gpu.dram.bus_bits->value / kind.channel_bits, kind.row_bytes,
                    kind.activation_ns};
  }
  return {};
}

}  // namespace warpledger
