// Comparison and selection.
#include "warpledger/exec/semantics/pure.h"

namespace warpledger::exec {
namespace {

using numeric::Order;
using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

// .lo .ls .hi .hs compare unsigned whatever the type (b32 among them).
bool forces_unsigned(Modifier compare) {
  return compare == Modifier::kLo || compare == Modifier::kLs || compare == Modifier::kHi ||
         compare == Modifier::kHs;
}

Order order_of(const TypeInfo& type, uint64_t a, uint64_t b, Modifier compare, bool ftz) {
  if (type.is_float) return numeric::compare(type.format, a, b, ftz);
  const bool is_signed = type.is_signed && !forces_unsigned(compare);
  const numeric::Integer integer{type.element_bits, is_signed};
  a = numeric::extend(integer, a);
  b = numeric::extend(integer, b);
  if (a == b) return Order::kEqual;
  const bool less = is_signed ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
  return less ? Order::kLess : Order::kGreater;
}

// The orders that make each comparison true: less, equal, greater, unordered.
bool holds(Modifier compare, Order order) {
  const auto is = [order](Order a, Order b) { return order == a || order == b; };
  const bool unordered = order == Order::kUnordered;
  switch (compare) {
    case Modifier::kEq:
      return order == Order::kEqual;
    case Modifier::kNe:
      return is(Order::kLess, Order::kGreater);
    case Modifier::kLt:
    case Modifier::kLo:
      return order == Order::kLess;
    case Modifier::kLe:
    case Modifier::kLs:
      return is(Order::kLess, Order::kEqual);
    case Modifier::kGt:
    case Modifier::kHi:
      return order == Order::kGreater;
    case Modifier::kGe:
    case Modifier::kHs:
      return is(Order::kGreater, Order::kEqual);
    case Modifier::kEqu:
      return unordered || order == Order::kEqual;
    case Modifier::kNeu:
      return order != Order::kEqual;
    case Modifier::kLtu:
      return unordered || order == Order::kLess;
    case Modifier::kLeu:
      return unordered || is(Order::kLess, Order::kEqual);
    case Modifier::kGtu:
      return unordered || order == Order::kGreater;
    case Modifier::kGeu:
      return unordered || is(Order::kGreater, Order::kEqual);
    case Modifier::kNum:
      return !unordered;
    default:
      return unordered;  // .nan
  }
}

bool combined(Modifier boolean, bool result, bool with) {
  switch (boolean) {
    case Modifier::kAnd:
      return result && with;
    case Modifier::kOr:
      return result || with;
    case Modifier::kXor:
      return result != with;
    default:
      return result;
  }
}

// Element `i` of the comparison of in[0] and in[1], which have `type`.
bool compared(const Variant& v, const TypeInfo& type, const Inputs& in, int i) {
  const int at = i * type.element_bits;
  const uint64_t mask =
      type.element_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << type.element_bits) - 1;
  const Modifier compare = v.get(Slot::kCompare);
  return holds(compare,
               order_of(type, (in[0] >> at) & mask, (in[1] >> at) & mask, compare, v.mode.ftz));
}

// setp: p = (a cmp b) op c, q = !(a cmp b) op c; of packed types p is the low element, q the high.
uint64_t set_predicate(const Variant& v, const Inputs& in) {
  const TypeInfo& type = v.type[0];
  const Modifier boolean = v.get(Slot::kBool);
  const bool first = compared(v, type, in, 0);
  const bool second = type.count == 2 ? compared(v, type, in, 1) : !first;
  const bool with = in[2] != 0;
  return (combined(boolean, first, with) ? 1 : 0) |
         (combined(boolean, second, with) ? uint64_t{1} << 32 : 0);
}

// set: true is all ones, or 1.0 where the destination is floating point.
uint64_t set_value(const Variant& v, const Inputs& in) {
  const TypeInfo& to = v.type[0];
  const TypeInfo& from = v.type[1];
  const uint64_t one = static_cast<uint64_t>(to.format.bias()) << to.format.fraction_bits;
  const int count = from.count;
  const int bits = to.bits / count;
  const uint64_t ones = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  uint64_t result = 0;
  for (int i = 0; i < count; ++i) {
    if (!combined(v.get(Slot::kBool), compared(v, from, in, i), in[2] != 0)) continue;
    result |= (to.is_float ? one : ones) << (i * bits);
  }
  return result;
}

uint64_t select(const Variant&, const Inputs& in) { return in[2] != 0 ? in[0] : in[1]; }

// slct: c >= 0 selects a; NaN selects b.
uint64_t select_by_sign(const Variant& v, const Inputs& in) {
  const TypeInfo& type = v.type[1];
  if (!type.is_float) return static_cast<int32_t>(in[2]) >= 0 ? in[0] : in[1];
  const Order order = numeric::compare(type.format, in[2], 0, v.mode.ftz);
  return order == Order::kGreater || order == Order::kEqual ? in[0] : in[1];
}

}  // namespace

Pure find_compare(const ptx::Spelling& spelling) {
  static constexpr PureRow kRows[] = {
      {Op::kSetp, set_predicate},
      {Op::kSet, set_value},
      {Op::kSelp, select},
      {Op::kSlct, select_by_sign},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec
