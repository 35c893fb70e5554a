// The tensor cores' sums in vectors, against the model taken one result at a time.
#include "warpledger/exec/semantics/tile_product.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstring>

#include "tests/support/law.h"
#include "warpledger/exec/numeric/tile_vectors.h"
#include "warpledger/ptx/spelling.h"

namespace warpledger::exec {
namespace {

using numeric::TensorTile;
using testing::Rng;

constexpr const char* kForms[] = {
    "m16n8k8.row.col.f32.f16.f16.f32",   "m16n8k16.row.col.f32.f16.f16.f32",
    "m16n8k8.row.col.f16.f16.f16.f16",   "m16n8k16.row.col.f16.f16.f16.f16",
    "m16n8k8.row.col.f32.bf16.bf16.f32", "m16n8k16.row.col.f32.bf16.bf16.f32",
    "m16n8k4.row.col.f32.tf32.tf32.f32", "m16n8k8.row.col.f32.tf32.tf32.f32",
};

/// How wild the exponents are: 0 close together, 1 far apart, 2 any bits at all.
struct Taste {
  int wild = 0;
  int zeros = 0;  // of 8
};

// An element of `format`, in its own bits.
uint64_t any_element(Rng& rng, numeric::Format format, const Taste& taste) {
  if (rng.between(0, 7) < taste.zeros) return rng.coin() ? 0 : format.sign_bit();
  if (taste.wild == 2) return rng.bits() & (2 * format.sign_bit() - 1);
  const int64_t spread = taste.wild == 0 ? 2 : format.bias() - 2;
  const auto code = static_cast<uint64_t>(format.bias() + rng.between(-spread, spread));
  uint64_t fraction = rng.bits() & format.fraction_mask();
  if (rng.between(0, 3) == 0) fraction = rng.coin() ? 0 : format.fraction_mask();
  return (rng.coin() ? format.sign_bit() : 0) | code << format.fraction_bits | fraction;
}

MatrixRegisters any_registers(Rng& rng, const OperandMap& map, const Taste& taste) {
  std::vector<uint64_t> elements(static_cast<size_t>(map.size()));
  const bool tf32 = map.type.format == numeric::kTf32;
  for (uint64_t& bits : elements) {
    bits = any_element(rng, map.type.format, taste);
    if (tf32) bits = bits << 13 | (rng.bits() & 0x1fff);  // what is below does not count
  }
  return scatter_matrix(map, elements);
}

std::vector<uint32_t> words_of(const MatrixRegisters& registers) {
  std::vector<uint32_t> words;
  for (const auto& lanes : registers) {
    for (const uint64_t word : lanes) words.push_back(static_cast<uint32_t>(word));
  }
  return words;
}

MatrixProduct plan_of(const std::string& form, int arch) {
  ptx::SpellingFault fault;
  const auto spelling = ptx::decode_spelling("mma.sync.aligned." + form, fault);
  EXPECT_TRUE(spelling) << form;
  return *plan_product(*spelling, arch);
}

/// Runs both; true when the vectors took it. C follows from the products where `cancels`.
bool compare(Rng& rng, const MatrixProduct& plan, const TileProduct& tile, const Taste& taste,
             bool cancels) {
  const MatrixRegisters a = any_registers(rng, plan.a, taste),
                        b = any_registers(rng, plan.b, taste);
  MatrixRegisters c = any_registers(rng, plan.c, taste);
  if (cancels) {  // minus what the sum comes to, or a little more: most of it goes away
    c = plan(a, b, MatrixRegisters(c.size(), PerLane<uint64_t>{}));
    const uint64_t signs = plan.c.element_bits == 16 ? 0x80008000 : 0x80000000;
    for (auto& lanes : c) {
      for (uint64_t& word : lanes) word = (word ^ signs) + (rng.coin() ? 1 : 0);
    }
  }
  const std::vector<uint32_t> want = words_of(plan(a, b, c));
  std::vector<uint32_t> got(want.size(), 0xdeadbeef);
  if (!tile(words_of(a).data(), words_of(b).data(), words_of(c).data(), got.data())) return false;
  EXPECT_EQ(got, want);
  return true;
}

LAW(TileProduct, EqualsTheModelBitForBit) {
  const MatrixProduct plan =
      plan_of(rng.pick(std::to_array(kForms)), rng.pick(std::to_array({80, 89, 90, 100})));
  const auto tile = TileProduct::of(plan);
  if (!tile) return;  // a block of 16 with k of 8
  for (const int wild : {0, 1, 2}) {
    for (const int zeros : {0, 2, 7, 8}) {
      for (const bool cancels : {false, true}) {
        compare(rng, plan, *tile, {wild, zeros}, cancels);
      }
    }
  }
}

LAW(TileProduct, TakesOrdinaryNumbers) {
  const MatrixProduct plan = plan_of(rng.pick(std::to_array(kForms)), 80);
  const auto tile = TileProduct::of(plan);
  const bool rounds_between = plan.c.element_bits == 16 && plan.k > plan.core.block;
  ASSERT_EQ(tile.has_value(), !rounds_between);
  if (!tile) return;
  EXPECT_TRUE(compare(rng, plan, *tile, {0, 0}, false));
}

TEST(TileProduct, TakesHalvesOfEveryExponentButInfinity) {
  const MatrixProduct plan = plan_of("m16n8k16.row.col.f32.f16.f16.f32", 80);
  const auto tile = TileProduct::of(plan);
  Rng rng(1, 1);
  MatrixRegisters a(4, PerLane<uint64_t>{}), b(2, PerLane<uint64_t>{}), c(4, PerLane<uint64_t>{});
  for (auto* registers : {&a, &b}) {
    for (auto& lanes : *registers) {
      for (uint64_t& word : lanes) word = rng.bits() & 0xbfffbfff;  // subnormals and zeros too
    }
  }
  std::vector<uint32_t> got(128);
  ASSERT_TRUE((*tile)(words_of(a).data(), words_of(b).data(), words_of(c).data(), got.data()));
  EXPECT_EQ(got, words_of(plan(a, b, c)));
}

TEST(TileProduct, LeavesSpecialValuesToTheModel) {
  const MatrixProduct plan = plan_of("m16n8k16.row.col.f32.f16.f16.f32", 80);
  const auto tile = TileProduct::of(plan);
  const std::vector<uint32_t> zeros(128, 0);
  std::vector<uint32_t> d(128, 7);
  std::vector<uint32_t> infinite = zeros;
  infinite[77] = 0x7c000000;
  EXPECT_FALSE((*tile)(infinite.data(), zeros.data(), zeros.data(), d.data()));
  for (const uint32_t c : {0x80000000u, 0x7f800000u, 0x7fffffffu, 1u, 0x0d000000u}) {
    std::vector<uint32_t> odd = zeros;
    odd[99] = c;
    EXPECT_FALSE((*tile)(zeros.data(), zeros.data(), odd.data(), d.data())) << c;
  }
  EXPECT_THAT(d, ::testing::Each(7u));
}

// The host's vectors and plain code, on the same tile.
LAW(TensorTile, IsTheSameOnEveryHost) {
  TensorTile tile;
  tile.k = 16;
  const auto any = [&] {
    const auto magnitude =
        std::ldexp(static_cast<float>(rng.between(0, 2047)), static_cast<int>(rng.between(-20, 4)));
    return rng.coin() ? magnitude : -magnitude;
  };
  for (auto& group : tile.a)
    for (auto& quad : group)
      for (float& x : quad) x = any();
  for (auto& row : tile.b)
    for (auto& parity : row)
      for (float& x : parity) x = any();
  for (auto& group : tile.c)
    for (auto& parity : group)
      for (float& x : parity) x = 3 * any() + 0.0f;
  for (const numeric::TensorCore core : {numeric::TensorCore{4, 24}, {8, 24}, {16, 25}}) {
    TensorTile one = tile, other = tile;
    numeric::multiply(one, core);
    numeric::multiply_portable(other, core);
    EXPECT_EQ(std::memcmp(one.c, other.c, sizeof one.c), 0) << core.block;
  }
}

}  // namespace
}  // namespace warpledger::exec
