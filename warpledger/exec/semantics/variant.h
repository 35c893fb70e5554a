// exec/semantics/: what each opcode of PTX computes, for one thread or for the lanes of a warp, as
// functions of the values it reads. The room knows spellings (ptx/) and numbers (numeric/); it
// knows no registers, memory or control flow, so that the interpreter and the JIT share it.
//
// This file: what a spelling says, unpacked once for those who compute.
#pragma once

#include "warpledger/exec/numeric/arithmetic.h"
#include "warpledger/exec/numeric/convert.h"
#include "warpledger/ptx/spelling.h"

namespace warpledger::exec {

/// A PTX type as the arithmetic sees it: `count` elements of `element_bits`.
struct TypeInfo {
  int bits = 0;  // of the whole value
  int element_bits = 0;
  int count = 1;  // 2 for f16x2, ...
  bool is_float = false;
  bool is_signed = false;
  bool is_predicate = false;
  numeric::Format format = numeric::kF32;  // of an element, when is_float

  [[nodiscard]] numeric::Integer integer() const { return {element_bits, is_signed}; }
  [[nodiscard]] uint64_t mask() const {
    return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  }
};

[[nodiscard]] TypeInfo type_info(ptx::Type type);

/// A spelling with its types and arithmetic modifiers at hand.
struct Variant {
  const ptx::Spelling* spelling = nullptr;
  TypeInfo type[3] = {};
  numeric::Mode mode = {};

  [[nodiscard]] bool has(ptx::Modifier modifier) const { return spelling->has(modifier); }
  [[nodiscard]] ptx::Modifier get(ptx::Slot slot, int n = 0) const {
    return spelling->get(slot, n);
  }
};

[[nodiscard]] Variant make_variant(const ptx::Spelling& spelling);

/// The rounding that a modifier names (.rni is .rn of an integer); nearest even for kNone.
[[nodiscard]] numeric::Rounding rounding_of(ptx::Modifier modifier);

}  // namespace warpledger::exec
