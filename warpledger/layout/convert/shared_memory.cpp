// Conversion through shared memory: the warp stores the matrix in row- or column-major order under
// a swizzle that is searched for, and loads it back in the other layout.
#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "warpledger/layout/convert/granules.h"
#include "warpledger/layout/convert/routes.h"
#include "warpledger/layout/convert/shared_side.h"

namespace warpledger::convert {
namespace {

Swizzle best_swizzle(const Side& store, const Side& load) {
  const int vector =
      std::countr_zero(static_cast<unsigned>(std::max({4, store.bytes(), load.bytes()})));
  Swizzle best{0, vector, 0};
  int fewest = wavefronts_of(store, best) + wavefronts_of(load, best);
  for (int bits = 1; bits <= 3; ++bits) {
    for (int base = vector; base + bits <= 7; ++base) {
      for (int shift = bits; base + shift + bits <= store.address.to().bits(); ++shift) {
        const Swizzle swizzle{bits, base, shift};
        const int total = wavefronts_of(store, swizzle) + wavefronts_of(load, swizzle);
        if (total < fewest) best = swizzle, fewest = total;
      }
    }
  }
  return best;
}

void store_all(Program& program, const Side& side, const LinearMap& address) {
  std::vector<Variable> registers(static_cast<size_t>(program.inputs));
  for (size_t r = 0; r < registers.size(); ++r) registers[r] = static_cast<Variable>(r);
  const std::vector<Variable> held = unpack(program, registers, side.granule_bits);
  for (const int r : instructions_of(side, true)) {
    const auto first = held.begin() + r * (side.matrix ? side.words : 1);
    const std::vector<Variable> from(first, first + side.words);
    const uint64_t flip = address(static_cast<uint64_t>(r));
    if (side.matrix) {
      program.operations.emplace_back(
          StoreMatrix{from, lane_addresses(address), flip, side.transposed});
    } else {
      program.operations.emplace_back(
          StoreShared{from, lane_addresses(address), flip, side.bytes()});
    }
  }
}

void load_all(Program& program, const Side& side, const LinearMap& address) {
  std::vector<Variable> loaded;
  for (const int r : instructions_of(side, false)) {
    std::vector<Variable> to;
    for (int w = 0; w < side.words; ++w) to.push_back(program.fresh());
    loaded.insert(loaded.end(), to.begin(), to.end());
    const uint64_t flip = address(static_cast<uint64_t>(r));
    if (side.matrix) {
      program.operations.emplace_back(
          LoadMatrix{to, lane_addresses(address), flip, side.transposed});
    } else {
      program.operations.emplace_back(LoadShared{to, lane_addresses(address), flip, side.bytes()});
    }
  }
  program.outputs = pack(program, loaded, side.granule_bits);
}

Program trip(const Side& store, const Side& load, int registers) {
  const Swizzle swizzle = best_swizzle(store, load);
  Program program;
  program.inputs = program.variables = registers;
  program.shared_bytes = store.address.to().size();
  const LinearMap mix = swizzle_map(swizzle, program.shared_bytes);
  store_all(program, store, *compose(mix, store.address));
  program.operations.emplace_back(WarpBarrier{});
  load_all(program, load, *compose(mix, load.address));
  return without_dead_operations(std::move(program));
}

std::string access_text(const Side& side, bool store) {
  if (side.matrix) {
    return fmt::format("{}matrix.x{}{}", store ? "st" : "ld", side.words,
                       side.transposed ? ".trans" : "");
  }
  return fmt::format("{}-bit {}", 8 * side.bytes(), store ? "stores" : "loads");
}

std::vector<Side> sides_of(const LinearMap& fragment, const LinearMap& tile, int element_bytes) {
  std::vector<Side> sides = {plain_side(fragment, tile, element_bytes)};
  for (const bool transposed : {false, true}) {
    if (element_bytes != 2) continue;
    if (auto side = matrix_side(fragment, tile, transposed)) sides.push_back(std::move(*side));
  }
  return sides;
}

std::string route_name(const Side& store, const Side& load) {
  if (!store.matrix && !load.matrix) return "shared memory";
  return store.matrix && load.matrix ? "stmatrix, ldmatrix"
         : store.matrix              ? "stmatrix"
                                     : "ldmatrix";
}

Route make_route(const Side& store, const Side& load, int registers, bool by_rows) {
  const Swizzle swizzle = best_swizzle(store, load);
  Route route{route_name(store, load),
              fmt::format("{}-major tile{}, {}, {}", by_rows ? "row" : "column",
                          swizzle.bits > 0 ? " under " + to_text(swizzle) : "",
                          access_text(store, true), access_text(load, false)),
              trip(store, load, registers),
              {},
              store.matrix  ? 90
              : load.matrix ? 75
                            : 70};
  route.price = price_of(route.program);
  return route;
}

bool better(const Route& a, const Route& b) {
  return std::pair(a.price.wavefronts, a.price.instructions) <
         std::pair(b.price.wavefronts, b.price.instructions);
}

}  // namespace

std::vector<Route> shared_routes(const LinearMap& from, const LinearMap& to, int element_bits) {
  const auto bits_of_thread = [&](const LinearMap& map) {
    return map.from().size_of("register") * element_bits;
  };
  std::vector<Route> best;
  if (element_bits < 8 || element_bits > 32) return best;
  if (bits_of_thread(from) < 32 || bits_of_thread(to) < 32) return best;
  const int registers = static_cast<int>(bits_of_thread(from) / 32);
  for (const bool by_rows : {true, false}) {
    const LinearMap tile = dense_tile(from.to(), element_bits / 8, by_rows);
    for (const Side& store : sides_of(from, tile, element_bits / 8)) {
      for (const Side& load : sides_of(to, tile, element_bits / 8)) {
        Route route = make_route(store, load, registers, by_rows);
        const auto known = std::find_if(
            best.begin(), best.end(), [&](const Route& other) { return other.name == route.name; });
        if (known == best.end()) {
          best.push_back(std::move(route));
        } else if (better(route, *known)) {
          *known = std::move(route);
        }
      }
    }
  }
  return best;
}

}  // namespace warpledger::convert
