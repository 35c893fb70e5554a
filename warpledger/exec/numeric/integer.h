// Integer arithmetic and bit operations. Values travel in 64-bit words; an operation of fewer bits
// reads the low bits of its operands and answers with the low bits, the rest zero.
#pragma once

#include "warpledger/exec/numeric/convert.h"

namespace warpledger::numeric {

[[nodiscard]] uint64_t mask_of(int bits);

/// The upper half of the product of twice the width.
[[nodiscard]] uint64_t mul_hi(Integer type, uint64_t a, uint64_t b);
/// The product of twice the width: 16 -> 32, 32 -> 64 bits.
[[nodiscard]] uint64_t mul_wide(Integer type, uint64_t a, uint64_t b);
/// The 24-bit operands' 48-bit product: bits 47..16 (hi) or 31..0.
[[nodiscard]] uint64_t mul24(bool is_signed, bool hi, uint64_t a, uint64_t b);
/// |a - b| + c.
[[nodiscard]] uint64_t sad(Integer type, uint64_t a, uint64_t b, uint64_t c);
/// Division by zero gives all ones (the ISA leaves it open; this is what the compiled code gives).
/// The smallest signed value by -1 wraps.
[[nodiscard]] uint64_t divide(Integer type, uint64_t a, uint64_t b);
/// Division by zero gives the dividend.
[[nodiscard]] uint64_t remainder(Integer type, uint64_t a, uint64_t b);
[[nodiscard]] uint64_t smaller(Integer type, uint64_t a, uint64_t b);
[[nodiscard]] uint64_t larger(Integer type, uint64_t a, uint64_t b);
/// Clamped to the s32 range.
[[nodiscard]] uint64_t add_sat_s32(int64_t a, int64_t b);

struct Carried {
  uint64_t value;
  bool carry;
};
/// a + b + carry of `bits` bits, with the carry out.
[[nodiscard]] Carried add_carry(int bits, uint64_t a, uint64_t b, bool carry);
/// a - b - borrow, with the borrow out.
[[nodiscard]] Carried sub_borrow(int bits, uint64_t a, uint64_t b, bool borrow);

/// Shifts by n, clamped at the width.
[[nodiscard]] uint64_t shift_left(int bits, uint64_t a, uint32_t n);
[[nodiscard]] uint64_t shift_right(Integer type, uint64_t a, uint32_t n);
/// shf: the upper (left) or lower (right) word of b:a shifted by min(n, 32) or n & 31.
[[nodiscard]] uint32_t funnel(bool left, bool clamp, uint32_t a, uint32_t b, uint32_t n);

[[nodiscard]] uint64_t bit_field_extract(Integer type, uint64_t a, uint32_t at, uint32_t length);
[[nodiscard]] uint64_t bit_field_insert(int bits, uint64_t a, uint64_t b, uint32_t at,
                                        uint32_t length);
/// The highest bit that differs from the sign (signed) or is set; 0xffffffff when there is none.
/// shift_amount: how far left it would have to move to become the top bit.
[[nodiscard]] uint32_t find_leading(Integer type, uint64_t a, bool shift_amount);
[[nodiscard]] uint64_t reverse_bits(int bits, uint64_t a);
[[nodiscard]] uint32_t count_leading_zeros(int bits, uint64_t a);
[[nodiscard]] uint32_t count_ones(int bits, uint64_t a);
/// The position of the n-th set bit of `mask` from `base` on; n > 0 upwards, n < 0 downwards; n =
/// 0: base itself if set. 0xffffffff when there is none.
[[nodiscard]] uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t n);
/// Bit j of the result is bit (a_j b_j c_j) of the table.
[[nodiscard]] uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table);
[[nodiscard]] uint32_t bit_mask(uint32_t at, uint32_t length, bool clamp);
[[nodiscard]] uint32_t sign_or_zero_extend(bool is_signed, uint32_t a, uint32_t n, bool clamp);

enum class Permute {
  kIndex,
  kForward4,
  kBackward4,
  kReplicate8,
  kEdgeLeft,
  kEdgeRight,
  kReplicate16
};
[[nodiscard]] uint32_t permute_bytes(Permute mode, uint32_t a, uint32_t b, uint32_t selector);

/// Four products of bytes, or two of 16-bit by 8-bit values (of b's lower or upper half), and c.
[[nodiscard]] uint32_t dot4(bool a_signed, bool b_signed, uint32_t a, uint32_t b, uint32_t c);
[[nodiscard]] uint32_t dot2(bool a_signed, bool b_signed, bool hi, uint32_t a, uint32_t b,
                            uint32_t c);

}  // namespace warpledger::numeric
