// Sums of panels against the model, one result at a time.
#define HWY_WANT_AVX3_DL
#include "warpledger/exec/numeric/panel.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "tests/support/law.h"
#include "tests/unit/exec/numeric/vector_targets.h"

namespace warpledger::exec {
namespace {

using numeric::Factor;
using numeric::LeftPanel;
using numeric::PanelFormat;
using numeric::PanelLine;
using numeric::RightPanel;
using testing::Rng;

constexpr size_t kRows = LeftPanel::kRows, kColumns = RightPanel::kColumns;
constexpr numeric::TensorCore kCore = {.block = 16, .fraction_bits = 25};

numeric::Format format_of(PanelFormat format) {
  return format == PanelFormat::kHalf ? numeric::kF16 : numeric::kBf16;
}

/// Exponents up to `spread` from 1's; so many of 8 are zero.
struct Taste {
  int64_t spread = 2;
  int zeros = 0;
  bool any_bits = false;  // but infinities and NaN
};

uint16_t any_element(Rng& rng, const numeric::Format& format, const Taste& taste) {
  if (rng.between(0, 7) < taste.zeros)
    return static_cast<uint16_t>(rng.coin() ? 0 : format.sign_bit());
  const int64_t spread = std::min<int64_t>(taste.spread, format.bias() - 2);
  const auto code =
      static_cast<uint64_t>(taste.any_bits ? rng.between(0, 2 * format.bias())
                                           : format.bias() + rng.between(-spread, spread));
  uint64_t fraction = rng.bits() & format.fraction_mask();
  if (rng.between(0, 3) == 0) fraction = rng.coin() ? 0 : format.fraction_mask();
  return static_cast<uint16_t>((rng.coin() ? format.sign_bit() : 0) | code << format.fraction_bits |
                               fraction);
}

template <size_t kLines>
std::array<PanelLine, kLines> any_lines(Rng& rng, const numeric::Format& format,
                                        const Taste& taste) {
  std::array<PanelLine, kLines> lines;
  for (PanelLine& line : lines)
    for (uint16_t& bits : line.element) bits = any_element(rng, format, taste);
  return lines;
}

std::vector<Factor> factors_of(const PanelLine& line, const numeric::Format& format) {
  std::vector<Factor> factors;
  for (const uint16_t bits : line.element) factors.push_back(numeric::unpack_factor(format, bits));
  return factors;
}

struct Operands {
  PanelFormat format = PanelFormat::kHalf;
  std::array<PanelLine, kRows> rows = {};
  std::array<PanelLine, kColumns> columns = {};
  std::array<uint32_t, kRows* kColumns> c = {};  // [column][row]

  [[nodiscard]] std::array<uint32_t, kRows * kColumns> by_model(bool adds) const {
    std::array<uint32_t, kRows* kColumns> d = {};
    for (size_t i = 0; i < d.size(); ++i)
      d[i] = numeric::dot_f32(kCore, factors_of(rows[i % kRows], format_of(format)),
                              factors_of(columns[i / kRows], format_of(format)), adds ? c[i] : 0);
    return d;
  }
};

uint32_t any_c(Rng& rng, const Taste& taste) {
  if (rng.between(0, 7) < taste.zeros) return 0;
  const auto fraction = static_cast<float>(rng.between(1, (1 << 24) - 1));
  const float value = std::ldexp(fraction, static_cast<int>(rng.between(-taste.spread, 4)) - 24);
  return std::bit_cast<uint32_t>(rng.coin() ? value : -value);
}

Operands any_operands(Rng& rng, const Taste& taste) {
  Operands all{.format = rng.coin() ? PanelFormat::kHalf : PanelFormat::kBfloat};
  const numeric::Format format = format_of(all.format);
  all.rows = any_lines<kRows>(rng, format, taste);
  all.columns = any_lines<kColumns>(rng, format, taste);
  for (uint32_t& bits : all.c) bits = any_c(rng, taste);
  if (rng.between(0, 3) != 0) return all;
  // C takes most of the sum away.
  const auto sums = all.by_model(false);
  for (size_t i = 0; i < sums.size(); ++i)
    all.c[i] = sums[i] == 0 ? 0 : (sums[i] ^ 0x80000000u) + (rng.coin() ? 1 : 0);
  return all;
}

/// On every target that has vectors; true when panels took it everywhere.
bool compare(const Operands& all) {
  bool taken = true;
  const std::array wanted = {all.by_model(false), all.by_model(true)};
  on_every_target([&] {
    if (!numeric::panels_take(kCore)) return;
    LeftPanel left;
    RightPanel right;
    auto d = all.c;
    const bool fits = numeric::unpack(left, all.rows, all.format) &&
                      numeric::unpack(right, all.columns, all.format) &&
                      numeric::panels_take(left, right) &&
                      numeric::panels_take({.d = d.data()}, kColumns);
    taken = taken && fits;
    if (!fits) return;
    for (const bool adds : {true, false}) {
      numeric::sum_panels(left, {&right, 1}, kCore, {.d = d.data(), .adds = adds});
      EXPECT_EQ(d, wanted[adds ? 1 : 0]);
      d.fill(0xdeadbeef);
    }
  });
  return taken;
}

LAW(Panels, EqualTheModelBitForBit) {
  for (const int64_t spread : {2, 6, 14, 40, 120}) {
    for (const int zeros : {0, 2, 7, 8}) compare(any_operands(rng, {spread, zeros}));
  }
  compare(any_operands(rng, {.any_bits = true}));
}

LAW(Panels, TakeOrdinaryNumbers) {
  EXPECT_TRUE(compare(any_operands(rng, {2, 0})));
  EXPECT_TRUE(compare(any_operands(rng, {14, 4})));
}

// The largest addends there are: 17 of them, all of one sign.
TEST(Panels, SumTheLargestSignificands) {
  for (const uint16_t sign : {uint16_t{0}, uint16_t{0x8000}}) {
    Operands all;
    for (PanelLine& row : all.rows)
      std::ranges::fill(row.element, static_cast<uint16_t>(0x3fff ^ sign));
    for (PanelLine& column : all.columns) std::ranges::fill(column.element, uint16_t{0x3fff});
    all.c.fill(0x3fffffff ^ uint32_t{sign} << 16);
    EXPECT_TRUE(compare(all));
  }
}

// Negative products of every distance to the last step that is kept.
TEST(Panels, CutTowardZero) {
  for (uint16_t shift = 0; shift < 29; ++shift) {
    Operands all;
    for (size_t row = 0; row < kRows; ++row) {
      all.rows[row].element[0] = 0x7800;  // 2^15
      all.rows[row].element[1] = static_cast<uint16_t>(0x8401 + (shift << 10) + row);
    }
    for (PanelLine& column : all.columns) column.element[0] = column.element[1] = 0x3c01;
    EXPECT_TRUE(compare(all)) << shift;
  }
}

TEST(Panels, LeaveSpecialValuesToTheModel) {
  Operands all;
  EXPECT_TRUE(compare(all));
  for (const uint32_t c : {0x80000000u, 0x7f800000u, 0x7fffffffu, 1u, 0x0d000000u, 0x7b800000u}) {
    all.c[17] = c;
    EXPECT_FALSE(compare(all)) << c;
  }
  all.c[17] = 0;
  for (const PanelFormat format : {PanelFormat::kHalf, PanelFormat::kBfloat}) {
    all.format = format;
    for (const uint16_t special : {uint16_t{0x7f80}, uint16_t{0xffc0}}) {
      all.rows[3].element[7] = special;
      EXPECT_FALSE(compare(all));
      all.rows[3].element[7] = 0;
      all.columns[2].element[15] = special;
      EXPECT_FALSE(compare(all));
      all.columns[2].element[15] = 0;
    }
  }
}

LAW(Panels, HaveTheSameRowsFromPairs) {
  const auto rows = any_lines<kRows>(rng, numeric::kF16, {14, 2});
  uint32_t pairs[8][kRows];
  for (size_t i = 0; i < 8; ++i)
    for (size_t row = 0; row < kRows; ++row)
      pairs[i][row] = rows[row].element[2 * i] | uint32_t{rows[row].element[2 * i + 1]} << 16;
  on_every_target([&] {
    if (!numeric::panels_take(kCore)) return;
    LeftPanel one, other;
    ASSERT_TRUE(numeric::unpack(one, rows, PanelFormat::kHalf));
    ASSERT_TRUE(numeric::unpack(other, pairs, PanelFormat::kHalf));
    EXPECT_TRUE(std::ranges::equal(one.signs, other.signs));
    for (size_t k = 0; k < LeftPanel::kDepth; ++k) {
      EXPECT_TRUE(std::ranges::equal(one.value[k], other.value[k]));
      EXPECT_TRUE(std::ranges::equal(one.exponent[k], other.exponent[k]));
    }
  });
}

TEST(Panels, TurnPieces) {
  on_every_target([&] {
    if (!numeric::panels_take(kCore)) return;
    uint16_t pieces[LeftPanel::kDepth][8];
    const std::byte* from[LeftPanel::kDepth];
    for (uint16_t k = 0; k < LeftPanel::kDepth; ++k) {
      for (uint16_t i = 0; i < 8; ++i) pieces[k][i] = static_cast<uint16_t>(100 * k + i);
      from[k] = reinterpret_cast<const std::byte*>(pieces[k]);
    }
    PanelLine lines[8];
    numeric::turn_pieces(from, lines);
    for (uint16_t i = 0; i < 8; ++i)
      for (uint16_t k = 0; k < LeftPanel::kDepth; ++k) EXPECT_EQ(lines[i].element[k], 100 * k + i);
  });
}

// PTX ISA, wgmma: element i of lane l is of row l / 4 + 8 (i / 2 % 2), column 8 (i / 4) + 2 (l % 4)
// + i % 2.
TEST(Panels, TakeColumnsFromRegisters) {
  on_every_target([&] {
    if (!numeric::panels_take(kCore)) return;
    std::array<uint32_t, 12 * 32> registers, columns, back;
    for (uint32_t i = 0; i < registers.size(); ++i) {
      const uint32_t lane = i % 32, element = i / 32;
      const uint32_t row = lane / 4 + 8 * (element / 2 % 2);
      registers[i] = (8 * (element / 4) + 2 * (lane % 4) + element % 2) * 16 + row;
    }
    numeric::columns_of_registers(registers, columns);
    for (uint32_t i = 0; i < columns.size(); ++i)
      EXPECT_EQ(columns[i], i / 16 * 16 + numeric::panel_row(i % 16));
    numeric::registers_of_columns(columns, back);
    EXPECT_EQ(back, registers);
  });
}

}  // namespace
}  // namespace warpledger::exec
