#include "warpledger/exec/numeric/integer.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace warpledger::numeric {
namespace {

int64_t as_signed(Integer type, uint64_t value) {
  return static_cast<int64_t>(extend({type.bits, true}, value));
}
uint64_t as_unsigned(Integer type, uint64_t value) { return extend({type.bits, false}, value); }

uint128 product(Integer type, uint64_t a, uint64_t b) {
  if (!type.is_signed) return uint128{as_unsigned(type, a)} * as_unsigned(type, b);
  return static_cast<uint128>(int128{as_signed(type, a)} * as_signed(type, b));
}

bool less(Integer type, uint64_t a, uint64_t b) {
  return type.is_signed ? as_signed(type, a) < as_signed(type, b)
                        : as_unsigned(type, a) < as_unsigned(type, b);
}

// Byte k of b:a; bit 3 of a selector replicates the byte's sign instead.
uint32_t select_byte(uint64_t bytes, uint32_t selector) {
  const auto byte = static_cast<uint32_t>(bytes >> (8 * (selector & 7))) & 0xff;
  return (selector & 8) == 0 ? byte : ((byte & 0x80) != 0 ? 0xffu : 0u);
}

// The four selectors of a mode, for the low two bits of the control (PTX ISA, prmt).
uint32_t mode_selectors(Permute mode, uint32_t control) {
  const uint32_t c = control & 3;
  uint32_t selectors = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t byte = 0;
    switch (mode) {
      case Permute::kForward4:
        byte = c + i;
        break;
      case Permute::kBackward4:
        byte = (c - i) & 7;
        break;
      case Permute::kReplicate8:
        byte = c;
        break;
      case Permute::kEdgeLeft:
        byte = std::max(i, c);
        break;
      case Permute::kEdgeRight:
        byte = std::min(i, c);
        break;
      case Permute::kReplicate16:
        byte = 2 * (c & 1) + (i & 1);
        break;
      case Permute::kIndex:
        break;
    }
    selectors |= byte << (4 * i);
  }
  return selectors;
}

}  // namespace

uint64_t mask_of(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

uint64_t mul_hi(Integer type, uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(product(type, a, b) >> type.bits) & mask_of(type.bits);
}

uint64_t mul_wide(Integer type, uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(product(type, a, b)) & mask_of(2 * type.bits);
}

uint64_t mul24(bool is_signed, bool hi, uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(product({24, is_signed}, a, b) >> (hi ? 16 : 0)) & mask_of(32);
}

uint64_t sad(Integer type, uint64_t a, uint64_t b, uint64_t c) {
  return (less(type, a, b) ? b - a + c : a - b + c) & mask_of(type.bits);
}

uint64_t divide(Integer type, uint64_t a, uint64_t b) {
  if (as_unsigned(type, b) == 0) return mask_of(type.bits);
  if (!type.is_signed) return as_unsigned(type, a) / as_unsigned(type, b);
  if (as_signed(type, b) == -1) return (0 - a) & mask_of(type.bits);
  return static_cast<uint64_t>(as_signed(type, a) / as_signed(type, b)) & mask_of(type.bits);
}

uint64_t remainder(Integer type, uint64_t a, uint64_t b) {
  if (as_unsigned(type, b) == 0) return as_unsigned(type, a);
  if (!type.is_signed) return as_unsigned(type, a) % as_unsigned(type, b);
  if (as_signed(type, b) == -1) return 0;
  return static_cast<uint64_t>(as_signed(type, a) % as_signed(type, b)) & mask_of(type.bits);
}

uint64_t smaller(Integer type, uint64_t a, uint64_t b) {
  return (less(type, b, a) ? b : a) & mask_of(type.bits);
}

uint64_t larger(Integer type, uint64_t a, uint64_t b) {
  return (less(type, a, b) ? b : a) & mask_of(type.bits);
}

uint64_t add_sat_s32(int64_t a, int64_t b) {
  using Limits = std::numeric_limits<int32_t>;
  const int64_t sum = std::clamp<int64_t>(a + b, Limits::min(), Limits::max());
  return static_cast<uint64_t>(sum) & mask_of(32);
}

Carried add_carry(int bits, uint64_t a, uint64_t b, bool carry) {
  const uint128 sum = uint128{a & mask_of(bits)} + (b & mask_of(bits)) + (carry ? 1 : 0);
  return {static_cast<uint64_t>(sum) & mask_of(bits), (sum >> bits) != 0};
}

Carried sub_borrow(int bits, uint64_t a, uint64_t b, bool borrow) {
  const uint128 taken = uint128{b & mask_of(bits)} + (borrow ? 1 : 0);
  const uint128 from = a & mask_of(bits);
  return {static_cast<uint64_t>(from - taken) & mask_of(bits), from < taken};
}

uint64_t shift_left(int bits, uint64_t a, uint32_t n) {
  return n >= static_cast<uint32_t>(bits) ? 0 : (a << n) & mask_of(bits);
}

uint64_t shift_right(Integer type, uint64_t a, uint32_t n) {
  const uint32_t most = static_cast<uint32_t>(type.bits) - (type.is_signed ? 1 : 0);
  if (!type.is_signed) return n > most - 1 ? 0 : as_unsigned(type, a) >> n;
  return static_cast<uint64_t>(as_signed(type, a) >> std::min(n, most)) & mask_of(type.bits);
}

uint32_t funnel(bool left, bool clamp, uint32_t a, uint32_t b, uint32_t n) {
  n = clamp ? std::min(n, 32u) : n & 31;
  const uint64_t word = uint64_t{b} << 32 | a;
  return static_cast<uint32_t>(left ? (word << n) >> 32 : word >> n);
}

uint64_t bit_field_extract(Integer type, uint64_t a, uint32_t at, uint32_t length) {
  const auto top = static_cast<uint32_t>(type.bits) - 1;
  at &= 0xff;
  length &= 0xff;
  const uint32_t sign_at = std::min(at + length - 1, top);
  const bool fill = type.is_signed && length != 0 && ((a >> sign_at) & 1) != 0;
  uint64_t result = fill ? mask_of(type.bits) : 0;
  for (uint32_t i = 0; i <= top && i < length && at + i <= top; ++i) {
    const uint64_t bit = uint64_t{1} << i;
    result = ((a >> (at + i)) & 1) != 0 ? result | bit : result & ~bit;
  }
  return result;
}

uint64_t bit_field_insert(int bits, uint64_t a, uint64_t b, uint32_t at, uint32_t length) {
  at &= 0xff;
  length &= 0xff;
  uint64_t result = b & mask_of(bits);
  for (uint32_t i = 0; i < length && at + i < static_cast<uint32_t>(bits); ++i) {
    const uint64_t bit = uint64_t{1} << (at + i);
    result = ((a >> i) & 1) != 0 ? result | bit : result & ~bit;
  }
  return result;
}

uint32_t find_leading(Integer type, uint64_t a, bool shift_amount) {
  if (type.is_signed && as_signed(type, a) < 0) a = ~a;
  a &= mask_of(type.bits);
  if (a == 0) return 0xffffffff;
  const int at = 63 - std::countl_zero(a);
  return static_cast<uint32_t>(shift_amount ? type.bits - 1 - at : at);
}

uint64_t reverse_bits(int bits, uint64_t a) {
  uint64_t result = 0;
  for (int i = 0; i < bits; ++i) result |= ((a >> i) & 1) << (bits - 1 - i);
  return result;
}

uint32_t count_leading_zeros(int bits, uint64_t a) {
  return static_cast<uint32_t>(std::countl_zero(a & mask_of(bits)) - (64 - bits));
}

uint32_t count_ones(int bits, uint64_t a) {
  return static_cast<uint32_t>(std::popcount(a & mask_of(bits)));
}

uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t n) {
  const auto set = [&](int64_t i) { return ((mask >> i) & 1) != 0; };
  if (base > 31) return 0xffffffff;
  if (n == 0) return set(base) ? base : 0xffffffff;
  const int step = n > 0 ? 1 : -1;
  int64_t left = n > 0 ? n : -int64_t{n};
  for (int64_t i = base; i >= 0 && i < 32; i += step) {
    if (set(i) && --left == 0) return static_cast<uint32_t>(i);
  }
  return 0xffffffff;
}

uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (uint32_t row = 0; row < 8; ++row) {
    if (((table >> row) & 1) == 0) continue;
    const uint32_t x = (row & 4) != 0 ? a : ~a;
    const uint32_t y = (row & 2) != 0 ? b : ~b;
    const uint32_t z = (row & 1) != 0 ? c : ~c;
    result |= x & y & z;
  }
  return result;
}

uint32_t bit_mask(uint32_t at, uint32_t length, bool clamp) {
  at = clamp ? std::min(at, 32u) : at & 31;
  length = clamp ? std::min(length, 32u) : length & 31;
  const uint64_t ones = (uint64_t{1} << length) - 1;
  return static_cast<uint32_t>(ones << at);
}

uint32_t sign_or_zero_extend(bool is_signed, uint32_t a, uint32_t n, bool clamp) {
  n = clamp ? std::min(n, 32u) : n & 31;
  if (n == 0) return 0;
  return static_cast<uint32_t>(extend({static_cast<int>(n), is_signed}, a));
}

uint32_t permute_bytes(Permute mode, uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = uint64_t{b} << 32 | a;
  const uint32_t selectors = mode == Permute::kIndex ? selector : mode_selectors(mode, selector);
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) result |= select_byte(bytes, selectors >> (4 * i)) << (8 * i);
  return result;
}

uint32_t dot4(bool a_signed, bool b_signed, uint32_t a, uint32_t b, uint32_t c) {
  for (int i = 0; i < 4; ++i) {
    const uint64_t x = extend({8, a_signed}, a >> (8 * i)), y = extend({8, b_signed}, b >> (8 * i));
    c += static_cast<uint32_t>(x * y);
  }
  return c;
}

uint32_t dot2(bool a_signed, bool b_signed, bool hi, uint32_t a, uint32_t b, uint32_t c) {
  b >>= hi ? 16 : 0;
  for (int i = 0; i < 2; ++i) {
    const uint64_t x = extend({16, a_signed}, a >> (16 * i)),
                   y = extend({8, b_signed}, b >> (8 * i));
    c += static_cast<uint32_t>(x * y);
  }
  return c;
}

}  // namespace warpledger::numeric
