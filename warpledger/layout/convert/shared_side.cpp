#include "warpledger/layout/convert/shared_side.h"

#include <algorithm>

#include "warpledger/layout/banks/banks.h"

namespace warpledger::convert {

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

namespace {

/// The number of low register bits at adjacent bytes, whose elements move together.
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

}  // namespace

Side plain_side(const LinearMap& fragment, const LinearMap& tile, int element_bytes) {
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

std::optional<Side> matrix_side(const LinearMap& fragment, const LinearMap& tile, bool transposed) {
  const LinearMap bytes = *compose(tile, fragment);
  const std::vector<uint64_t> registers = bytes.bases_of("register"),
                              lanes = bytes.bases_of("lane");
  if (registers.empty()) return std::nullopt;
  // Bits of the position in a row of 16 bytes, and bits of the row: those of ldmatrix's lanes.
  std::vector<uint64_t> within = {registers[0], lanes[0], lanes[1]},
                        row = {lanes[2], lanes[3], lanes[4]};
  if (transposed) std::swap(within, row);
  if (within != std::vector<uint64_t>{2, 4, 8}) return std::nullopt;
  std::vector<uint64_t> outside = row;
  outside.insert(outside.end(), registers.begin() + 1, registers.end());
  if (std::any_of(outside.begin(), outside.end(), [](uint64_t base) { return base % 16 != 0; })) {
    return std::nullopt;
  }
  Side side{.matrix = true, .transposed = transposed};
  const size_t matrix_bits = std::min<size_t>(2, registers.size() - 1);
  side.words = 1 << matrix_bits;
  std::vector<uint64_t> bases(registers.begin() + 1 + static_cast<int64_t>(matrix_bits),
                              registers.end());
  const Space from({{"register", int64_t{1} << bases.size()}, {"lane", 32}});
  bases.insert(bases.end(), row.begin(), row.end());
  for (size_t m = 0; m < 2; ++m) bases.push_back(m < matrix_bits ? registers[1 + m] : 0);
  side.address = LinearMap(from, tile.to(), std::move(bases));
  return side;
}

std::vector<int> instructions_of(const Side& side, bool skip_replicas) {
  std::vector<int> first;
  uint64_t replicated = 0;
  const std::vector<uint64_t> bases = side.address.bases_of("register");
  for (size_t b = 0; b < bases.size(); ++b) replicated |= bases[b] == 0 ? uint64_t{1} << b : 0;
  for (int r = 0; r < 1 << bases.size(); r += side.matrix ? 1 : side.words) {
    if (!skip_replicas || (static_cast<uint64_t>(r) & replicated) == 0) first.push_back(r);
  }
  return first;
}

LinearMap lane_addresses(const LinearMap& address) { return restrict_inputs(address, {"lane"}); }

int wavefronts_of(const Side& side, const Swizzle& swizzle) {
  const LinearMap address = *compose(swizzle_map(swizzle, side.address.to().size()), side.address);
  const int per_phase = wavefronts_by_rank(lane_addresses(address), side.bytes());
  const int phases = side.matrix ? side.words : 32 / lanes_per_phase(side.bytes());
  return static_cast<int>(instructions_of(side, false).size()) * phases * per_phase;
}

}  // namespace warpledger::convert
