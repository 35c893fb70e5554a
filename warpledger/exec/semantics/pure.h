// exec/semantics/: what each opcode computes, for both engines: pure ones (this file), exchanges
// between the lanes of a warp (warp.h), matrix products and moves, atomics. The room knows opcodes
// and values; it knows no registers, no memory and no order of execution.
//
// This file: opcodes whose result depends on the values they read alone: arithmetic, logic,
// comparison, conversion, video. One function per opcode; both engines call it lane by lane.
#pragma once

#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {

/// in[i] is the i-th operand after the destination, its bits in the low end, optional operands that
/// are absent 0; `count` of them are there. A predicate is 0 or 1, already negated where written
/// so. Vector operands {a, b, ...} are not passed. The result is in the low bits. Where the
/// destination is a pair d|p, bit 32 is p (of setp: d is bit 0 and its partner bit 32).
struct Inputs {
  uint64_t value[8] = {};
  uint16_t selector[8] = {};  // of video operands (ptx/operand.h); 0: none
  bool negated[8] = {};       // of video operands, -a; predicates are already negated
  uint16_t written = 0;       // the selector of the destination
  int count = 0;
  uint64_t operator[](int i) const { return value[i]; }
};
using Pure = uint64_t (*)(const Variant& variant, const Inputs& in);

/// The function of a spelling; null when its opcode is not a pure one, or is not run.
[[nodiscard]] Pure find_pure(const ptx::Spelling& spelling);

/// Adds, subtracts or multiplies with the carry of the thread (add.cc, addc, ...): not pure.
[[nodiscard]] bool carries(const ptx::Spelling& spelling);

// By group, in the files of their names; null when the opcode is not of the group.
[[nodiscard]] Pure find_float(const ptx::Spelling& spelling);
[[nodiscard]] Pure find_integer(const ptx::Spelling& spelling);
[[nodiscard]] Pure find_bits(const ptx::Spelling& spelling);
[[nodiscard]] Pure find_compare(const ptx::Spelling& spelling);
[[nodiscard]] Pure find_convert(const ptx::Spelling& spelling);
[[nodiscard]] Pure find_video(const ptx::Spelling& spelling);

/// One row of a group's table.
struct PureRow {
  ptx::Op op;
  Pure function;
};
template <size_t N>
Pure find_in(const PureRow (&rows)[N], ptx::Op op) {
  for (const PureRow& row : rows) {
    if (row.op == op) return row.function;
  }
  return nullptr;
}

/// f(element of in[0], of in[1], of in[2]) for every element of the packed type.
template <class F>
uint64_t each_element(const TypeInfo& type, const Inputs& in, F f) {
  const uint64_t mask =
      type.element_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << type.element_bits) - 1;
  uint64_t result = 0;
  for (int i = 0; i < type.count; ++i) {
    const int at = i * type.element_bits;
    result |= (f((in[0] >> at) & mask, (in[1] >> at) & mask, (in[2] >> at) & mask) & mask) << at;
  }
  return result;
}

}  // namespace warpledger::exec
