// Logic, shifts and bit fields.
#include "warpledger/exec/numeric/integer.h"
#include "warpledger/exec/semantics/pure.h"

namespace warpledger::exec {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

uint32_t low(uint64_t bits) { return static_cast<uint32_t>(bits); }

uint64_t both(const Variant&, const Inputs& in) { return in[0] & in[1]; }
uint64_t either(const Variant&, const Inputs& in) { return in[0] | in[1]; }
uint64_t differ(const Variant&, const Inputs& in) { return in[0] ^ in[1]; }
uint64_t invert(const Variant&, const Inputs& in) { return ~in[0]; }
uint64_t is_zero(const Variant& v, const Inputs& in) {
  return (in[0] & v.type[0].mask()) == 0 ? 1 : 0;
}

uint64_t shift_left(const Variant& v, const Inputs& in) {
  return numeric::shift_left(v.type[0].bits, in[0], low(in[1]));
}
uint64_t shift_right(const Variant& v, const Inputs& in) {
  return numeric::shift_right(v.type[0].integer(), in[0], low(in[1]));
}
uint64_t funnel(const Variant& v, const Inputs& in) {
  return numeric::funnel(v.has(Modifier::kL), v.has(Modifier::kClamp), low(in[0]), low(in[1]),
                         low(in[2]));
}

// lop3.BoolOp.b32 d|p, a, b, c, table, q: p = (d != 0) BoolOp q.
uint64_t lop3(const Variant& v, const Inputs& in) {
  const uint64_t d = numeric::lop3(low(in[0]), low(in[1]), low(in[2]), low(in[3]));
  const bool p = v.has(Modifier::kOr) ? d != 0 || in[4] != 0 : d != 0 && in[4] != 0;
  return d | (p ? uint64_t{1} << 32 : 0);
}

numeric::Permute permute_mode(Modifier modifier) {
  switch (modifier) {
    case Modifier::kF4e:
      return numeric::Permute::kForward4;
    case Modifier::kB4e:
      return numeric::Permute::kBackward4;
    case Modifier::kRc8:
      return numeric::Permute::kReplicate8;
    case Modifier::kEcl:
      return numeric::Permute::kEdgeLeft;
    case Modifier::kEcr:
      return numeric::Permute::kEdgeRight;
    case Modifier::kRc16:
      return numeric::Permute::kReplicate16;
    default:
      return numeric::Permute::kIndex;
  }
}
uint64_t permute(const Variant& v, const Inputs& in) {
  return numeric::permute_bytes(permute_mode(v.get(Slot::kOperation)), low(in[0]), low(in[1]),
                                low(in[2]));
}

uint64_t count_ones(const Variant& v, const Inputs& in) {
  return numeric::count_ones(v.type[0].bits, in[0]);
}
uint64_t leading_zeros(const Variant& v, const Inputs& in) {
  return numeric::count_leading_zeros(v.type[0].bits, in[0]);
}
uint64_t find_leading(const Variant& v, const Inputs& in) {
  return numeric::find_leading(v.type[0].integer(), in[0], v.has(Modifier::kShiftamt));
}
uint64_t find_nth(const Variant&, const Inputs& in) {
  return numeric::find_nth_set(low(in[0]), low(in[1]), static_cast<int32_t>(in[2]));
}
uint64_t reverse(const Variant& v, const Inputs& in) {
  return numeric::reverse_bits(v.type[0].bits, in[0]);
}
uint64_t extract(const Variant& v, const Inputs& in) {
  return numeric::bit_field_extract(v.type[0].integer(), in[0], low(in[1]), low(in[2]));
}
uint64_t insert(const Variant& v, const Inputs& in) {
  return numeric::bit_field_insert(v.type[0].bits, in[0], in[1], low(in[2]), low(in[3]));
}
uint64_t extend(const Variant& v, const Inputs& in) {
  return numeric::sign_or_zero_extend(v.type[0].is_signed, low(in[0]), low(in[1]),
                                      v.has(Modifier::kClamp));
}
uint64_t mask(const Variant& v, const Inputs& in) {
  return numeric::bit_mask(low(in[0]), low(in[1]), v.has(Modifier::kClamp));
}

}  // namespace

Pure find_bits(const ptx::Spelling& spelling) {
  static constexpr PureRow kRows[] = {
      {Op::kAnd, both},           {Op::kOr, either},       {Op::kXor, differ},
      {Op::kNot, invert},         {Op::kCnot, is_zero},    {Op::kShl, shift_left},
      {Op::kShr, shift_right},    {Op::kShf, funnel},      {Op::kLop3, lop3},
      {Op::kPrmt, permute},       {Op::kPopc, count_ones}, {Op::kClz, leading_zeros},
      {Op::kBfind, find_leading}, {Op::kFns, find_nth},    {Op::kBrev, reverse},
      {Op::kBfe, extract},        {Op::kBfi, insert},      {Op::kSzext, extend},
      {Op::kBmsk, mask},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec
