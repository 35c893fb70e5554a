// An independent oracle for integer, logic and video instructions: the ISA's text in plain 128-bit
// arithmetic. Nothing of exec/numeric is used but the names of types.
#pragma once

#include <bit>
#include <optional>

#include "warpledger/exec/semantics/pure.h"

namespace warpledger::exec::oracle {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
__extension__ typedef __int128 Wide;

inline uint64_t mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
inline Wide value(int bits, bool is_signed, uint64_t x) {
  x &= mask(bits);
  if (!is_signed || (x >> (bits - 1) & 1) == 0) return Wide{x};
  return Wide{x} - (Wide{1} << bits);
}
inline Wide clamp(int bits, bool is_signed, Wide x) {
  const Wide low = is_signed ? -(Wide{1} << (bits - 1)) : Wide{0};
  const Wide high = (Wide{1} << (is_signed ? bits - 1 : bits)) - 1;
  return x < low ? low : x > high ? high : x;
}
inline uint64_t bits_of(Wide x) { return static_cast<uint64_t>(x); }

/// One instruction: its types and inputs, with the answer of each group, if it is of it.
class Integer {
 public:
  Integer(const ptx::Spelling& s, const Inputs& in)
      : s_(s), in_(in), t_(type_info(s.type())), n_(t_.element_bits), sign_(t_.is_signed) {}

  std::optional<uint64_t> operator()() const {
    if (const auto r = arithmetic()) return r;
    if (const auto r = fields()) return r;
    return logic();
  }

 private:
  bool has(Modifier m) const { return s_.has(m); }
  Wide x(int i) const { return value(n_, sign_, in_[i]); }
  uint32_t w(int i) const { return static_cast<uint32_t>(in_[i]); }
  template <class F>
  uint64_t each(F f) const {
    uint64_t all = 0;
    for (int i = 0; i < t_.count; ++i) {
      const Wide r = f(value(n_, sign_, in_[0] >> (i * n_)), value(n_, sign_, in_[1] >> (i * n_)));
      all |= (bits_of(r) & mask(n_)) << (i * n_);
    }
    return all;
  }
  Wide product(int bits) const {
    const Wide full = value(bits, sign_, in_[0]) * value(bits, sign_, in_[1]);
    if (bits == 24) return has(Modifier::kHi) ? full >> 16 : full;
    return has(Modifier::kHi) && bits < 64 ? full >> bits : full;
  }
  // 64 x 64 bits: the signed full product needs 128, the unsigned one does not fit a Wide.
  Wide high64() const {
    __extension__ typedef unsigned __int128 Unsigned;
    if (sign_) return x(0) * x(1) >> 64;
    return static_cast<Wide>(Unsigned{in_[0]} * in_[1] >> 64);
  }
  Wide multiplied() const { return has(Modifier::kHi) && n_ == 64 ? high64() : product(n_); }
  uint64_t plus(Wide a, Wide c) const {
    return bits_of(has(Modifier::kSat) ? clamp(32, true, value(32, true, bits_of(a)) + c) : a + c);
  }

  std::optional<uint64_t> arithmetic() const {
    const int wide = has(Modifier::kWide) ? 2 * n_ : n_;
    switch (s_.op()) {
      case Op::kAdd:
        return has(Modifier::kSat) ? bits_of(clamp(32, true, x(0) + x(1)))
                                   : each([](Wide a, Wide b) { return a + b; });
      case Op::kSub:
        return bits_of(has(Modifier::kSat) ? clamp(32, true, x(0) - x(1)) : x(0) - x(1));
      case Op::kMul:
        return bits_of(multiplied());
      case Op::kMad:
        return plus(multiplied(), value(wide, true, in_[2]));
      case Op::kMul24:
        return bits_of(product(24));
      case Op::kMad24:
        return plus(product(24), value(32, true, in_[2]));
      case Op::kSad:
        return bits_of(x(2) + (x(0) < x(1) ? x(1) - x(0) : x(0) - x(1)));
      case Op::kDiv:
        return open_division() ? std::nullopt : std::optional(bits_of(x(0) / x(1)));
      case Op::kRem:
        return open_division() ? std::nullopt : std::optional(bits_of(x(0) % x(1)));
      case Op::kAbs:
        return bits_of(x(0) < 0 ? -x(0) : x(0));
      case Op::kNeg:
        return bits_of(-x(0));
      case Op::kMin:
        return each([&](Wide a, Wide b) { return relu(a < b ? a : b); });
      case Op::kMax:
        return each([&](Wide a, Wide b) { return relu(a < b ? b : a); });
      case Op::kDp4a:
        return dot(8, 4, 0);
      case Op::kDp2a:
        return dot(16, 2, has(Modifier::kHi) ? 2 : 0);
      default:
        return {};
    }
  }
  bool open_division() const { return x(1) == 0 || (x(1) == -1 && x(0) == -(Wide{1} << (n_ - 1))); }
  Wide relu(Wide a) const { return has(Modifier::kRelu) && a < 0 ? Wide{0} : a; }
  uint64_t dot(int a_bits, int count, int first) const {
    const bool b_sign = type_info(s_.type(1)).is_signed;
    Wide sum = value(32, true, in_[2]);
    for (int i = 0; i < count; ++i) {
      sum += value(a_bits, sign_, in_[0] >> (a_bits * i)) *
             value(8, b_sign, in_[1] >> (8 * (first + i)));
    }
    return bits_of(sum);
  }

  std::optional<uint64_t> fields() const {
    switch (s_.op()) {
      case Op::kPopc:
        return std::popcount(in_[0] & mask(n_));
      case Op::kClz:
        return std::countl_zero(in_[0] & mask(n_)) - (64 - n_);
      case Op::kBrev: {
        uint64_t r = 0;
        for (int i = 0; i < n_; ++i) r |= (in_[0] >> i & 1) << (n_ - 1 - i);
        return r;
      }
      case Op::kBfind: {
        const Wide v = x(0) < 0 ? ~x(0) : x(0);
        const int at = 63 - std::countl_zero(static_cast<uint64_t>(v));
        return at < 0 ? 0xffffffffu
                      : static_cast<uint32_t>(has(Modifier::kShiftamt) ? n_ - 1 - at : at);
      }
      case Op::kFns:
        return nth_set();
      case Op::kBfe:
        return extracted();
      case Op::kBfi: {
        uint64_t r = in_[1];
        const int at = w(2) & 0xff, length = w(3) & 0xff;
        for (int i = 0; i < length && at + i < n_; ++i)
          r = (r & ~(uint64_t{1} << (at + i))) | (in_[0] >> i & 1) << (at + i);
        return r;
      }
      case Op::kSzext: {
        const bool all = w(1) >= 32 && has(Modifier::kClamp);
        const int n = all ? 32 : static_cast<int>(w(1) & 31);
        return n == 0 ? 0 : bits_of(value(n, sign_, in_[0]));
      }
      case Op::kBmsk: {
        const bool beyond = has(Modifier::kClamp) && w(0) >= 32;
        const uint64_t at = w(0) & 31;
        const uint64_t count = has(Modifier::kClamp) && w(1) >= 32 ? 32 : w(1) & 31;
        return beyond ? 0 : mask(static_cast<int>(count)) << at & 0xffffffff;
      }
      default:
        return {};
    }
  }
  uint64_t nth_set() const {
    int at = static_cast<int>(w(1)), offset = static_cast<int>(w(2));
    if (offset == 0) return (w(0) >> at & 1) != 0 ? w(1) : 0xffffffffu;
    const int step = offset > 0 ? 1 : -1;
    for (int64_t left = std::abs(int64_t{offset}); at >= 0 && at < 32; at += step) {
      if ((w(0) >> at & 1) != 0 && --left == 0) return static_cast<uint32_t>(at);
    }
    return 0xffffffffu;
  }
  uint64_t extracted() const {
    const int at = w(1) & 0xff, length = w(2) & 0xff;
    const int last = std::min(at + length - 1, n_ - 1);
    const bool filled = sign_ && length != 0 && (in_[0] >> last & 1) != 0;
    uint64_t r = 0;
    for (int i = 0; i < n_; ++i) {
      const bool inside = i < length && at + i < n_;
      r |= (inside ? in_[0] >> (at + i) & 1 : uint64_t{filled}) << i;
    }
    return r;
  }

  std::optional<uint64_t> logic() const {
    const uint64_t m = t_.is_predicate ? 1 : mask(n_);
    switch (s_.op()) {
      case Op::kAnd:
        return in_[0] & in_[1];
      case Op::kOr:
        return in_[0] | in_[1];
      case Op::kXor:
        return in_[0] ^ in_[1];
      case Op::kNot:
        return in_[0] ^ m;
      case Op::kCnot:
        return (in_[0] & m) == 0 ? 1 : 0;
      case Op::kShl:
        return w(1) >= static_cast<uint32_t>(n_) ? 0 : in_[0] << w(1);
      case Op::kShr:
        return bits_of(x(0) >> std::min(w(1), static_cast<uint32_t>(n_)));
      case Op::kShf: {
        const uint32_t n = has(Modifier::kClamp) ? std::min(w(2), 32u) : w(2) & 31;
        const uint64_t both = uint64_t{w(1)} << 32 | w(0);
        return has(Modifier::kL) ? both << n >> 32 : both >> n;
      }
      case Op::kLop3: {
        uint64_t r = 0;
        for (int i = 0; i < 32; ++i) {
          const uint32_t at = (w(0) >> i & 1) * 4 + (w(1) >> i & 1) * 2 + (w(2) >> i & 1);
          r |= uint64_t{w(3) >> at & 1} << i;
        }
        const bool p = has(Modifier::kOr) ? r != 0 || in_[4] != 0 : r != 0 && in_[4] != 0;
        return r | uint64_t{p} << 32;
      }
      case Op::kPrmt:
        return permuted();
      case Op::kSelp:
        return in_[2] != 0 ? in_[0] : in_[1];
      default:
        return {};
    }
  }
  uint64_t permuted() const {
    const uint64_t bytes = uint64_t{w(1)} << 32 | w(0);
    const int c = w(2) & 3;
    uint64_t r = 0;
    for (int i = 0; i < 4; ++i) {
      int from = static_cast<int>(w(2) >> (4 * i) & 7);
      if (has(Modifier::kF4e)) from = c + i;
      if (has(Modifier::kB4e)) from = (c - i) & 7;
      if (has(Modifier::kRc8)) from = c;
      if (has(Modifier::kEcl)) from = std::max(c, i);
      if (has(Modifier::kEcr)) from = std::min(c, i);
      if (has(Modifier::kRc16)) from = c % 2 * 2 + i % 2;
      uint64_t byte = bytes >> (8 * from) & 0xff;
      const bool plain = s_.get(Slot::kOperation) == Modifier::kNone;
      if (plain && (w(2) >> (4 * i) & 8) != 0) byte = byte >= 0x80 ? 0xff : 0;
      r |= byte << (8 * i);
    }
    return r;
  }

  const ptx::Spelling& s_;
  const Inputs& in_;
  TypeInfo t_;
  int n_;
  bool sign_;
};

/// vadd .. vset4 without selectors.
inline uint64_t video(const ptx::Spelling& s, const Inputs& in) {
  const std::string_view name = s.opcode().name;
  const int count = name.back() == '2' ? 2 : name.back() == '4' ? 4 : 1, bits = 32 / count;
  const bool sets = name.starts_with("vset");
  const bool d_sign = !sets && type_info(s.type(0)).is_signed;
  const bool a_sign = type_info(s.type(sets ? 0 : 1)).is_signed;
  const bool b_sign = type_info(s.type(sets ? 1 : 2)).is_signed;
  uint64_t packed = 0;
  Wide sum = value(32, true, in[2]);
  for (int i = 0; i < count; ++i) {
    const Wide a = value(bits, a_sign, in[0] >> (i * bits));
    const Wide b = value(bits, b_sign, in[1] >> (i * bits));
    const Wide by = s.has(Modifier::kWrap) ? b & 31 : b > 32 ? Wide{32} : b;
    Wide r = 0;
    if (name.starts_with("vadd")) r = a + b;
    if (name.starts_with("vsub")) r = a - b;
    if (name.starts_with("vabsdiff")) r = a < b ? b - a : a - b;
    if (name.starts_with("vmin")) r = a < b ? a : b;
    if (name.starts_with("vmax")) r = a < b ? b : a;
    if (name.starts_with("vavrg")) r = (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    if (name == "vshl") r = a * (Wide{1} << static_cast<int>(by));
    if (name == "vshr") r = a >> static_cast<int>(by);
    if (name == "vmad") {
      const bool sign = a_sign || b_sign;
      r = a * b + value(32, sign, in[2]) + (s.has(Modifier::kPo) ? 1 : 0);
      r >>= s.has(Modifier::kShr7) ? 7 : s.has(Modifier::kShr15) ? 15 : 0;
      return bits_of(s.has(Modifier::kSat) ? clamp(32, sign, r) : r);
    }
    if (sets) {
      const Modifier c = s.get(Slot::kCompare);
      r = c == Modifier::kEq   ? a == b
          : c == Modifier::kNe ? a != b
          : c == Modifier::kLt ? a < b
          : c == Modifier::kLe ? a <= b
          : c == Modifier::kGt ? a > b
                               : a >= b;
    }
    if (s.has(Modifier::kSat)) r = clamp(bits, d_sign, r);
    sum += r;
    packed |= (bits_of(r) & mask(bits)) << (i * bits);
  }
  const Wide c = value(32, d_sign, in[2]), p = value(32, d_sign, packed);
  if (s.has(Modifier::kAdd)) return bits_of(sum);
  if (s.has(Modifier::kMin) && count == 1) return bits_of(p < c ? p : c);
  if (s.has(Modifier::kMax) && count == 1) return bits_of(p < c ? c : p);
  return packed;
}

}  // namespace warpledger::exec::oracle
