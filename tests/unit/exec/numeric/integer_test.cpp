// Integer and bit operations against the host's arithmetic, and by hand from the ISA's text.
#include "warpledger/exec/numeric/integer.h"

#include <gtest/gtest.h>

#include "tests/support/law.h"

namespace warpledger::numeric {
namespace {

const Integer kS32{32, true}, kU32{32, false}, kS16{16, true}, kU16{16, false}, kS64{64, true},
    kU64{64, false};

LAW_ROUNDS(Integer, EqualsTheHost, 10000) {
  const uint64_t a = rng.bits(), b = rng.bits();
  const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  const auto ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
  EXPECT_EQ(mul_hi(kS32, a, b), static_cast<uint32_t>((int64_t{sa} * sb) >> 32));
  EXPECT_EQ(mul_hi(kU32, a, b), static_cast<uint32_t>((uint64_t{ua} * ub) >> 32));
  EXPECT_EQ(mul_wide(kS32, a, b), static_cast<uint64_t>(int64_t{sa} * sb));
  EXPECT_EQ(mul_wide(kU16, a, b), uint64_t{static_cast<uint16_t>(a)} * static_cast<uint16_t>(b));
  EXPECT_EQ(mul_hi(kU64, a, b), static_cast<uint64_t>((uint128{a} * b) >> 64));
  EXPECT_EQ(
      mul_hi(kS64, a, b),
      static_cast<uint64_t>((int128{static_cast<int64_t>(a)} * static_cast<int64_t>(b)) >> 64));
  EXPECT_EQ(divide(kS32, a, b), static_cast<uint32_t>(sa / sb));
  EXPECT_EQ(remainder(kS32, a, b), static_cast<uint32_t>(sa % sb));
  EXPECT_EQ(divide(kU64, a, b | 1), a / (b | 1));
  EXPECT_EQ(remainder(kS64, a, b | 1),
            static_cast<uint64_t>(static_cast<int64_t>(a) % static_cast<int64_t>(b | 1)));
  EXPECT_EQ(smaller(kS32, a, b), static_cast<uint32_t>(std::min(sa, sb)));
  EXPECT_EQ(larger(kU32, a, b), std::max(ua, ub));
  EXPECT_EQ(sad(kS32, a, b, 7), static_cast<uint32_t>(std::abs(int64_t{sa} - sb) + 7));
  EXPECT_EQ(reverse_bits(64, reverse_bits(64, a)), a);
  EXPECT_EQ(lop3(ua, ub, ua >> 3, 0x96), ua ^ ub ^ (ua >> 3));
  EXPECT_EQ(lop3(ua, ub, ua >> 3, 0xe8), (ua & ub) | (ua & (ua >> 3)) | (ub & (ua >> 3)));
  EXPECT_EQ(funnel(true, false, ua, ub, 5), (ub << 5) | (ua >> 27));
  EXPECT_EQ(funnel(false, false, ua, ub, 5), (ub << 27) | (ua >> 5));
}

TEST(Integer, DivisionEdges) {
  EXPECT_EQ(divide(kS32, 0x80000000, 0xffffffff), 0x80000000u);
  EXPECT_EQ(remainder(kS32, 0x80000000, 0xffffffff), 0u);
  EXPECT_EQ(divide(kS16, 0xfff9, 2), 0xfffdu);     // -7 / 2 = -3
  EXPECT_EQ(remainder(kS16, 0xfff9, 2), 0xffffu);  // -1
}

TEST(Integer, Multiply24) {
  EXPECT_EQ(mul24(false, false, 0xff000003, 5), 15u);  // the upper byte does not count
  EXPECT_EQ(mul24(true, false, 0x00ffffff, 5), 0xfffffffbu);
  EXPECT_EQ(mul24(false, true, 0x00ffffff, 0x00ffffff), 0xfffffe00u);
}

TEST(Integer, Carries) {
  EXPECT_EQ(add_carry(32, 0xffffffff, 1, false).value, 0u);
  EXPECT_TRUE(add_carry(32, 0xffffffff, 0, true).carry);
  EXPECT_TRUE(add_carry(64, ~uint64_t{0}, 1, false).carry);
  EXPECT_FALSE(add_carry(32, 1, 2, true).carry);
  EXPECT_EQ(sub_borrow(32, 0, 1, false).value, 0xffffffffu);
  EXPECT_TRUE(sub_borrow(32, 5, 5, true).carry);
  EXPECT_EQ(add_sat_s32(0x7fffffff, 1), 0x7fffffffu);
  EXPECT_EQ(add_sat_s32(-0x80000000LL, -1), 0x80000000u);
}

TEST(Integer, ShiftsClampAtTheWidth) {
  EXPECT_EQ(shift_left(32, 1, 32), 0u);
  EXPECT_EQ(shift_left(32, 1, 0xffffffff), 0u);
  EXPECT_EQ(shift_left(16, 0x8001, 1), 2u);
  EXPECT_EQ(shift_right(kU32, 0x80000000, 32), 0u);
  EXPECT_EQ(shift_right(kU32, 0x80000000, 31), 1u);
  EXPECT_EQ(shift_right(kS32, 0x80000000, 40), 0xffffffffu);
  EXPECT_EQ(shift_right(kS16, 0x8000, 15), 0xffffu);
  EXPECT_EQ(shift_right(kU64, ~uint64_t{0}, 64), 0u);
  EXPECT_EQ(funnel(true, true, 1, 2, 32), 1u);
  EXPECT_EQ(funnel(false, true, 1, 2, 40), 2u);
}

TEST(Integer, BitFields) {
  EXPECT_EQ(bit_field_extract(kU32, 0xabcd1234, 8, 8), 0x12u);
  EXPECT_EQ(bit_field_extract(kS32, 0x0000f000, 12, 4), 0xffffffffu);
  EXPECT_EQ(bit_field_extract(kS32, 0x80000000, 28, 8),
            0xfffffff8u);  // beyond the top: sign of bit 31
  EXPECT_EQ(bit_field_extract(kU32, 0x80000000, 32, 8), 0u);
  EXPECT_EQ(bit_field_extract(kS32, 0xffffffff, 4, 0), 0u);
  EXPECT_EQ(bit_field_insert(32, 0xff, 0, 28, 8), 0xf0000000u);
  EXPECT_EQ(bit_field_insert(32, 0xff, 0x12345678, 8, 0), 0x12345678u);
  EXPECT_EQ(bit_field_insert(64, 3, 0, 62, 2), uint64_t{3} << 62);
  EXPECT_EQ(bit_mask(4, 8, true), 0xff0u);
  EXPECT_EQ(bit_mask(33, 8, true), 0u);
  EXPECT_EQ(bit_mask(0, 32, true), 0xffffffffu);
  EXPECT_EQ(bit_mask(33, 8, false), 0x1feu);
  EXPECT_EQ(sign_or_zero_extend(true, 0x80, 8, true), 0xffffff80u);
  EXPECT_EQ(sign_or_zero_extend(false, 0x180, 8, true), 0x80u);
  EXPECT_EQ(sign_or_zero_extend(true, 0x12345678, 32, true), 0x12345678u);
}

TEST(Integer, FindAndCount) {
  EXPECT_EQ(find_leading(kU32, 0x10, false), 4u);
  EXPECT_EQ(find_leading(kU32, 0x10, true), 27u);
  EXPECT_EQ(find_leading(kS32, 0xfffffff0, false), 3u);
  EXPECT_EQ(find_leading(kS32, 0xffffffff, false), 0xffffffffu);
  EXPECT_EQ(count_leading_zeros(32, 0), 32u);
  EXPECT_EQ(count_leading_zeros(64, 1), 63u);
  EXPECT_EQ(count_ones(32, 0xffffffff00000003), 2u);
  EXPECT_EQ(find_nth_set(0b101100, 0, 2), 3u);
  EXPECT_EQ(find_nth_set(0b101100, 31, -1), 5u);
  EXPECT_EQ(find_nth_set(0b101100, 2, 0), 2u);
  EXPECT_EQ(find_nth_set(0b101100, 1, 0), 0xffffffffu);
  EXPECT_EQ(find_nth_set(0b101100, 0, 4), 0xffffffffu);
}

TEST(Integer, PermuteInAllModes) {
  const uint32_t a = 0x33221100, b = 0x77665544;
  EXPECT_EQ(permute_bytes(Permute::kIndex, a, b, 0x7531), 0x77553311u);
  EXPECT_EQ(permute_bytes(Permute::kIndex, 0x80, 0, 0x0008), 0x808080ffu);  // sign of byte 0
  EXPECT_EQ(permute_bytes(Permute::kForward4, a, b, 1), 0x44332211u);
  EXPECT_EQ(permute_bytes(Permute::kBackward4, a, b, 1), 0x66770011u);
  EXPECT_EQ(permute_bytes(Permute::kReplicate8, a, b, 2), 0x22222222u);
  EXPECT_EQ(permute_bytes(Permute::kEdgeLeft, a, b, 2), 0x33222222u);
  EXPECT_EQ(permute_bytes(Permute::kEdgeRight, a, b, 1), 0x11111100u);
  EXPECT_EQ(permute_bytes(Permute::kReplicate16, a, b, 1), 0x33223322u);
}

TEST(Integer, DotProducts) {
  EXPECT_EQ(dot4(true, true, 0xff02fe01, 0x01010101, 10), 10u + 1 - 2 + 2 - 1);
  EXPECT_EQ(dot4(false, true, 0xff000000, 0xff000000, 0), static_cast<uint32_t>(-255));
  EXPECT_EQ(dot2(true, false, false, 0xffff0002, 0x0403ff02, 0),
            static_cast<uint32_t>(2 * 2 - 255));
  EXPECT_EQ(dot2(true, false, true, 0xffff0002, 0x0403ff02, 0), static_cast<uint32_t>(2 * 3 - 4));
}

}  // namespace
}  // namespace warpledger::numeric
