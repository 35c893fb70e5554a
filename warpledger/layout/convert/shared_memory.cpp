// Conversion through shared memory: the warp stores the matrix in row- or column-major order under
// a swizzle that is searched for, and loads it back in the other layout.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "warpledger/layout/banks/banks.h"
#include "warpledger/layout/convert/granules.h"
#include "warpledger/layout/convert/routes.h"
#include "warpledger/layout/notation/swizzle.h"

namespace warpledger::convert {
namespace {

/// (row, col) -> byte in a dense tile.
LinearMap dense_tile(const Space& matrix, int element_bytes, bool by_rows) {
  const int rows = matrix.bits_of(0), cols = matrix.bits_of(1);
  const Space to({{"offset", matrix.size() * element_bytes}});
  std::vector<uint64_t> bases;
  for (int b = 0; b < rows; ++b)
    bases.push_back(static_cast<uint64_t>(element_bytes) << (by_rows ? cols + b : b));
  for (int b = 0; b < cols; ++b)
    bases.push_back(static_cast<uint64_t>(element_bytes) << (by_rows ? b : rows + b));
  return LinearMap(matrix, to, std::move(bases));
}

/// One side of the trip: the byte addresses of granules, and how many travel in one instruction.
struct Side {
  LinearMap address;  // (register, lane) -> offset, in granules
  int granule_bits = 32;
  int words = 1;  // of 32 bits per instruction: 1, 2 or 4; 1 for smaller granules
  [[nodiscard]] int bytes() const { return words * granule_bits / 8; }
};

/// How many low register bits lie at neighbouring bytes, so that their elements travel together.
int joined_bits(const LinearMap& bytes, int element_bytes) {
  const std::vector<uint64_t> registers = bytes.bases_of("register");
  int joined = 0;
  while (element_bytes << joined < 4 && joined < static_cast<int>(registers.size())) {
    const auto next = static_cast<uint64_t>(element_bytes) << joined;
    const auto touching = std::count_if(bytes.bases().begin(), bytes.bases().end(),
                                        [&](uint64_t base) { return (base & next) != 0; });
    if (registers[static_cast<size_t>(joined)] != next || touching != 1) break;
    ++joined;
  }
  return joined;
}

Side side_of(const LinearMap& fragment, const LinearMap& tile, int element_bytes) {
  const LinearMap bytes = *compose(tile, fragment);
  const int joined = joined_bits(bytes, element_bytes);
  const Space from({{"register", fragment.from().dims()[0].size >> joined}, {"lane", 32}});
  Side side{LinearMap(from, tile.to(), {bytes.bases().begin() + joined, bytes.bases().end()}),
            8 * element_bytes << joined};
  // A vector may grow while the next register bit is the next word and no other bit touches it.
  const std::vector<uint64_t>& bases = side.address.bases();
  const size_t registers = side.address.bases_of("register").size();
  for (size_t b = 0; side.granule_bits == 32 && b < registers && side.words < 4; ++b) {
    const auto next = static_cast<uint64_t>(4 * side.words);
    const auto touching = std::count_if(bases.begin(), bases.end(),
                                        [&](uint64_t base) { return (base & next) != 0; });
    if (bases[b] != next || touching != 1) break;
    side.words *= 2;
  }
  return side;
}

LinearMap lanes_only(const LinearMap& address) { return restrict_inputs(address, {"lane"}); }

int wavefronts_of(const Side& side, const Swizzle& swizzle) {
  const LinearMap address = *compose(swizzle_map(swizzle, side.address.to().size()), side.address);
  const int bytes = side.bytes();
  int registers = 0;
  for (int64_t r = 0; r < side.address.from().dims()[0].size; r += side.words) ++registers;
  return registers * wavefronts_by_rank(lanes_only(address), bytes) * 32 / lanes_per_phase(bytes);
}

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

/// The first registers of the vectors of a side; registers that only repeat others are left out.
std::vector<int> vectors_of(const Side& side, bool skip_replicas) {
  std::vector<int> first;
  uint64_t replicated = 0;
  const std::vector<uint64_t> bases = side.address.bases_of("register");
  for (size_t b = 0; b < bases.size(); ++b) replicated |= bases[b] == 0 ? uint64_t{1} << b : 0;
  for (int r = 0; r < 1 << bases.size(); r += side.words) {
    if (!skip_replicas || (static_cast<uint64_t>(r) & replicated) == 0) first.push_back(r);
  }
  return first;
}

Program trip(const Side& store, const Side& load, const Swizzle& swizzle) {
  Program program;
  const int64_t input_bits = store.address.from().dims()[0].size * store.granule_bits;
  program.inputs = program.variables = static_cast<int>(input_bits / 32);
  program.shared_bytes = store.address.to().size();
  const LinearMap mix = swizzle_map(swizzle, program.shared_bytes);
  const LinearMap to = *compose(mix, store.address), from = *compose(mix, load.address);
  std::vector<Variable> registers(static_cast<size_t>(program.inputs));
  for (size_t r = 0; r < registers.size(); ++r) registers[r] = static_cast<Variable>(r);
  const std::vector<Variable> held = unpack(program, registers, store.granule_bits);
  for (const int r : vectors_of(store, true)) {
    const auto first = held.begin() + r;
    program.operations.emplace_back(StoreShared{
        {first, first + store.words}, lanes_only(to), to(static_cast<uint64_t>(r)), store.bytes()});
  }
  program.operations.emplace_back(WarpBarrier{});
  std::vector<Variable> loaded;
  for (const int r : vectors_of(load, false)) {
    LoadShared operation{{}, lanes_only(from), from(static_cast<uint64_t>(r)), load.bytes()};
    for (int w = 0; w < load.words; ++w) operation.to.push_back(program.fresh());
    loaded.insert(loaded.end(), operation.to.begin(), operation.to.end());
    program.operations.emplace_back(std::move(operation));
  }
  program.outputs = pack(program, loaded, load.granule_bits);
  return without_dead_operations(std::move(program));
}

}  // namespace

std::optional<Route> shared_route(const LinearMap& from, const LinearMap& to, int element_bits) {
  const auto bits_of_thread = [&](const LinearMap& map) {
    return map.from().size_of("register") * element_bits;
  };
  if (element_bits < 8 || element_bits > 32) return std::nullopt;
  if (bits_of_thread(from) < 32 || bits_of_thread(to) < 32) return std::nullopt;
  std::optional<Route> best;
  for (const bool by_rows : {true, false}) {
    const LinearMap tile = dense_tile(from.to(), element_bits / 8, by_rows);
    const Side store = side_of(from, tile, element_bits / 8);
    const Side load = side_of(to, tile, element_bits / 8);
    const Swizzle swizzle = best_swizzle(store, load);
    Route route{
        "shared memory",
        fmt::format("{}-major tile{}, {}-bit stores and {}-bit loads", by_rows ? "row" : "column",
                    swizzle.bits > 0 ? " under " + to_text(swizzle) : "", 8 * store.bytes(),
                    8 * load.bytes()),
        trip(store, load, swizzle),
        {},
        70};
    route.price = price_of(route.program);
    if (!best || route.price.wavefronts < best->price.wavefronts) best = std::move(route);
  }
  return best;
}

}  // namespace warpledger::convert
