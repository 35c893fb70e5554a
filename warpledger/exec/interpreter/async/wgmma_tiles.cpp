#include "warpledger/exec/interpreter/async/wgmma_tiles.h"

#include <algorithm>
#include <cstring>

#include "warpledger/exec/numeric/tile_vectors.h"

namespace warpledger::exec::reference {
namespace {

constexpr uint32_t kLanes = 32, kDepth = 16, kPerChunk = 8;
using Fragment16 = uint32_t[4][kLanes];  // A, C or D of mma.m16n8k16
using Fragment8 = uint32_t[2][kLanes];   // B

uint32_t half_at(std::span<const std::byte> shared, uint32_t offset) {
  uint16_t half = 0;
  std::memcpy(&half, shared.data() + offset, sizeof half);
  return half;
}

/// Eight rows (or columns) from `row` on, elements 8 * `chunk` to 8 * `chunk` + 7 of each: two a
/// lane, four lanes a row.
void read_core(const SharedSource& from, std::span<const std::byte> shared, uint32_t row,
               uint32_t chunk, uint32_t (&to)[kLanes]) {
  const uint32_t along = from.shape.chunks_along();
  for (uint32_t r = 0; r < 8 && !from.shape.mn_major; ++r)
    std::memcpy(&to[4 * r], shared.data() + from.chunks[(row + r) * along + chunk], 16);
  for (uint32_t lane = 0; lane < kLanes && from.shape.mn_major; ++lane) {
    const uint32_t at = row + lane / 4, k = kPerChunk * chunk + 2 * (lane % 4);
    const uint32_t here = k * along + at / kPerChunk, byte = at % kPerChunk * 2;
    to[lane] = half_at(shared, from.chunks[here] + byte) |
               half_at(shared, from.chunks[here + along] + byte) << 16;
  }
}

/// The lanes of a register.
uint64_t* row_of(const Context& context, const Value& value) {
  return context.frame().registers.data() + size_t{value.slot} * kLanes;
}
void read_row(const Context& context, const Value& value, uint32_t (&to)[kLanes]) {
  const uint64_t* row = row_of(context, value);
  for (uint32_t lane = 0; lane < kLanes; ++lane) to[lane] = static_cast<uint32_t>(row[lane]);
}
bool are_registers(std::span<const Value> values) {
  return std::ranges::all_of(values, [](const Value& value) {
    return value.kind == Value::Kind::kRegister && value.bits == 32 && !value.negated;
  });
}

void read_a(const Context& context, const Step& step, const SharedSource* from, Fragment16& a) {
  for (uint32_t q = 0; q < 4; ++q) {
    if (from == nullptr) {
      read_row(context, context.elements(step.operands[1])[q], a[q]);
    } else {
      read_core(*from, context.cta.shared, from->first + 8 * (q % 2), q / 2, a[q]);
    }
  }
}

}  // namespace

bool multiply_tiles(const Context& context, const Step& step, const WgmmaTiles& tiles) {
  const std::span<const Value> registers = context.elements(step.operands[0]);
  const bool plain = are_registers(registers) &&
                     (tiles.a != nullptr || are_registers(context.elements(step.operands[1])));
  if (!numeric::has_tile_vectors() || !plain) return false;
  alignas(64) Fragment16 a, c = {};
  alignas(64) Fragment8 b;
  std::vector<uint32_t> d(size_t{tiles.n / 2} * kLanes);
  read_a(context, step, tiles.a, a);
  for (uint32_t column = 0; column < tiles.n; column += 8) {
    for (uint32_t q = 0; q < 2; ++q) read_core(*tiles.b, context.cta.shared, column, q, b[q]);
    for (uint32_t q = 0; q < 4 && tiles.adds; ++q)
      read_row(context, registers[column / 2 + q], c[q]);
    uint32_t* to = d.data() + size_t{column / 2} * kLanes;
    if (!numeric::multiply_halves({a[0], b[0], c[0], to}, kDepth, tiles.bf16, tiles.core))
      return false;
  }
  for (size_t i = 0; i < registers.size(); ++i)
    std::copy_n(d.data() + i * kLanes, kLanes, row_of(context, registers[i]));
  return true;
}

}  // namespace warpledger::exec::reference
