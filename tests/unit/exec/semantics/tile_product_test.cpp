// The tensor cores' sums in vectors, against the model taken one result at a time.
#include "warpledger/exec/semantics/tile_product.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "tests/support/law.h"
#include "tests/unit/exec/numeric/vector_targets.h"
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

/// How wild the exponents are: 0 close together, 1 far apart, 2 any bits at all, 3 in between.
struct Taste {
  int wild = 0;
  int zeros = 0;  // of 8
};

// An element of `format`, in its own bits.
uint64_t any_element(Rng& rng, numeric::Format format, const Taste& taste) {
  if (rng.between(0, 7) < taste.zeros) return rng.coin() ? 0 : format.sign_bit();
  if (taste.wild == 2) return rng.bits() & (2 * format.sign_bit() - 1);
  const int64_t far = format.bias() - 2;
  const int64_t spread = taste.wild == 0 ? 2 : taste.wild == 3 ? std::min<int64_t>(far, 14) : far;
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

/// Runs both, on every target; true when the vectors took it everywhere. C follows from the
/// products where `cancels`.
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
  const std::vector<uint32_t> words[] = {words_of(a), words_of(b), words_of(c)};
  bool taken = true;
  on_every_target([&] {
    std::vector<uint32_t> got(want.size(), 0xdeadbeef);
    if (tile(words[0].data(), words[1].data(), words[2].data(), got.data()))
      EXPECT_EQ(got, want);
    else
      taken = false;
  });
  return taken;
}

LAW(TileProduct, EqualsTheModelBitForBit) {
  const MatrixProduct plan =
      plan_of(rng.pick(std::to_array(kForms)), rng.pick(std::to_array({80, 89, 90, 100})));
  const auto tile = TileProduct::of(plan);
  if (!tile) return;  // a block of 16 with k of 8
  for (const int wild : {0, 1, 2, 3}) {
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
  EXPECT_TRUE(compare(rng, plan, *tile, {3, 0}, false));
}

// Sums of a block of 16 that do not fit into 32 bits.
TEST(TileProduct, SumsTheLargestSignificands) {
  for (const char* form :
       {"m16n8k16.row.col.f32.f16.f16.f32", "m16n8k16.row.col.f32.bf16.bf16.f32"}) {
    const MatrixProduct plan = plan_of(form, 90);
    const auto tile = TileProduct::of(plan);
    const std::vector<uint32_t> a(128, 0x3fff3fff), b(64, 0x3fff3fff);
    for (const uint32_t sign : {0u, 0x80000000u}) {
      const std::vector<uint32_t> c(128, sign | 0x3fffffff);
      std::vector<uint32_t> signed_a = a;
      for (uint32_t& word : signed_a) word ^= sign | sign >> 16;
      const auto registers = [](const std::vector<uint32_t>& words) {
        MatrixRegisters all(words.size() / 32);
        for (size_t i = 0; i < words.size(); ++i) all[i / 32][i % 32] = words[i];
        return all;
      };
      const std::vector<uint32_t> want =
          words_of(plan(registers(signed_a), registers(b), registers(c)));
      on_every_target([&] {
        std::vector<uint32_t> got(128);
        ASSERT_TRUE((*tile)(signed_a.data(), b.data(), c.data(), got.data()));
        EXPECT_EQ(got, want);
      });
    }
  }
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
  const std::vector<uint32_t> want = words_of(plan(a, b, c));
  on_every_target([&] {
    std::vector<uint32_t> got(128);
    ASSERT_TRUE((*tile)(words_of(a).data(), words_of(b).data(), words_of(c).data(), got.data()));
    EXPECT_EQ(got, want);
  });
}

TEST(TileProduct, KeepsTheSmallestSumsBesideProductsOfZero) {
  for (const char* form : kForms) {
    const MatrixProduct plan = plan_of(form, 80);
    const auto tile = TileProduct::of(plan);
    if (!tile || plan.c.element_bits == 16) continue;
    // One large product; elsewhere factors of zero beside the large ones.
    std::vector<uint32_t> a(128, 0), b(64, 0);
    a[0] = b[0] = plan.a.element_bits == 32 ? 0x42280000 : 0x00004228;
    b[13] = a[0];
    const std::vector<uint32_t> c(128, 0x0d800001);  // 2^-100 and a little
    on_every_target([&] {
      std::vector<uint32_t> got(128);
      ASSERT_TRUE((*tile)(a.data(), b.data(), c.data(), got.data()));
      EXPECT_EQ(std::count(got.begin(), got.end(), c[0]), 127) << form;
    });
  }
}

// 2048 + 1 + 2^-13: a tie of f16 but for a bit that an f32 has no room for.
TEST(TileProduct, RoundsToHalvesOnce) {
  for (const auto& [form, arch] : {std::pair{"m16n8k8.row.col.f16.f16.f16.f16", 80},
                                   std::pair{"m16n8k16.row.col.f16.f16.f16.f16", 90}}) {
    const MatrixProduct plan = plan_of(form, arch);
    const auto tile = TileProduct::of(plan);
    for (const uint32_t sign : {0u, 0x80008000u}) {
      // Of each row: 2048 and 2^-13, once; of each column: ones.
      std::vector<uint32_t> a(128, 0), b(64, 0x3c003c00), c(64, 0x3c003c00 ^ sign), got(64);
      for (size_t lane = 0; lane < 32; lane += 4) a[lane] = a[32 + lane] = 0x08006800 ^ sign;
      on_every_target([&] {
        ASSERT_TRUE((*tile)(a.data(), b.data(), c.data(), got.data()));
        EXPECT_THAT(got, ::testing::Each(0x68016801u ^ sign)) << form;
      });
    }
  }
}

TEST(TileProduct, LeavesTheRoundingAsItWas) {
  const MatrixProduct plan = plan_of(kForms[1], 80);
  const auto tile = TileProduct::of(plan);
  std::vector<uint32_t> zeros(128, 0);
  const auto sum = [] {
    volatile float one = 1, little = 0x1.8p-24f;
    return one + little;
  };
  const float before = sum();
  ASSERT_TRUE((*tile)(zeros.data(), zeros.data(), zeros.data(), zeros.data()));
  EXPECT_EQ(sum(), before);
  EXPECT_EQ(before, 0x1.000002p0f);
}

TEST(TensorTile, RefusesFactorsThatAreSubnormalInSingle) {
  EXPECT_FALSE(numeric::tile_takes({0x1p-130f, 0x1p-130f, 0x1p100f, 0x1p100f}));
  EXPECT_TRUE(numeric::tile_takes({0x1p-126f, 0x1p-126f, 0x1p100f, 0x1p100f}));
  EXPECT_FALSE(numeric::tile_takes({0x1p-63f, 0x1p0f, 0x1p-30f, 0x1p40f}));  // 133 binades
}

TEST(TileProduct, LeavesSpecialValuesToTheModel) {
  const MatrixProduct plan = plan_of("m16n8k16.row.col.f32.f16.f16.f32", 80);
  const auto tile = TileProduct::of(plan);
  const std::vector<uint32_t> zeros(128, 0);
  std::vector<uint32_t> d(128, 7);
  std::vector<uint32_t> infinite = zeros;
  infinite[77] = 0x7c000000;
  on_every_target([&] {
    EXPECT_FALSE((*tile)(infinite.data(), zeros.data(), zeros.data(), d.data()));
    for (const uint32_t c : {0x80000000u, 0x7f800000u, 0x7fffffffu, 1u, 0x0d000000u, 0x7b800000u}) {
      std::vector<uint32_t> odd = zeros;
      odd[99] = c;
      EXPECT_FALSE((*tile)(zeros.data(), zeros.data(), odd.data(), d.data())) << c;
    }
  });
  EXPECT_THAT(d, ::testing::Each(7u));
}

// Vectors and plain code, on the same tile.
LAW(TensorTile, IsTheSameOnEveryHost) {
  TensorTile tile;
  const bool half_c = rng.coin();
  if (half_c) tile.least_power = tile.least_c_power = 0x1p-14f;
  tile.k = 16;
  const auto any = [&] {
    const auto magnitude =
        std::ldexp(static_cast<float>(rng.between(0, 2047)), static_cast<int>(rng.between(-20, 4)));
    return rng.coin() ? magnitude : -magnitude;
  };
  for (auto& group : tile.a)
    for (auto& quad : group)
      for (float& x : quad) x = any();
  for (auto& parity : tile.b)
    for (auto& quad : parity)
      for (auto& columns : quad)
        for (float& x : columns) x = any();
  for (auto& group : tile.c)
    for (auto& parity : group)
      for (float& x : parity) x = 3 * any() + 0.0f;
  numeric::find_exponents_of_a(tile, 0x1p16f);
  numeric::find_exponents_of_b(tile, 0x1p15f);
  for (const numeric::TensorCore core : {numeric::TensorCore{4, 24}, {8, 24}, {16, 25}}) {
    TensorTile other = tile;
    numeric::multiply_portable(other, core);
    on_every_target([&] {
      TensorTile one = tile;
      numeric::multiply(one, core);
      EXPECT_EQ(std::memcmp(one.c, other.c, sizeof one.c), 0) << core.block;
    });
  }
}

}  // namespace
}  // namespace warpledger::exec
