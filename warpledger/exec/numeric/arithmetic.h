// Floating-point arithmetic of one format, correctly rounded in every mode PTX has.
//
// NaN results are canonical (number.h), except in f64, where the first NaN operand is passed on,
// made quiet: the double-precision unit keeps payloads, the others do not (CUDA C++ Programming
// Guide, appendix on floating point; which operand wins is not published: assumed the first).
#pragma once

#include "warpledger/exec/numeric/number.h"

namespace warpledger::numeric {

/// The modifiers of an arithmetic instruction.
struct Mode {
  Rounding rounding = Rounding::kNearestEven;
  bool ftz = false;   // subnormal operands and results become zeros of their sign
  bool sat = false;   // clamp to [0, 1], NaN becomes +0
  bool relu = false;  // negative becomes +0, NaN canonical
};

[[nodiscard]] uint64_t add(Format format, uint64_t a, uint64_t b, Mode mode = {});
[[nodiscard]] uint64_t sub(Format format, uint64_t a, uint64_t b, Mode mode = {});
[[nodiscard]] uint64_t mul(Format format, uint64_t a, uint64_t b, Mode mode = {});
/// a * b + c, rounded once.
[[nodiscard]] uint64_t fma(Format format, uint64_t a, uint64_t b, uint64_t c, Mode mode = {});
[[nodiscard]] uint64_t div(Format format, uint64_t a, uint64_t b, Mode mode = {});
[[nodiscard]] uint64_t rcp(Format format, uint64_t a, Mode mode = {});
[[nodiscard]] uint64_t sqrt(Format format, uint64_t a, Mode mode = {});

[[nodiscard]] uint64_t abs(Format format, uint64_t a, bool ftz = false);
[[nodiscard]] uint64_t neg(Format format, uint64_t a, bool ftz = false);

/// The modifiers of min and max.
struct Extreme {
  bool ftz = false;
  bool nan = false;          // .NaN: a NaN operand gives the canonical NaN; else the other operand
  bool xorsign_abs = false;  // of the magnitudes, with the xor of the signs
};
/// -0 < +0.
[[nodiscard]] uint64_t min(Format format, uint64_t a, uint64_t b, Extreme mode = {});
[[nodiscard]] uint64_t max(Format format, uint64_t a, uint64_t b, Extreme mode = {});

enum class Order { kLess, kEqual, kGreater, kUnordered };
[[nodiscard]] Order compare(Format format, uint64_t a, uint64_t b, bool ftz = false);

/// .sat and .relu of a result already rounded.
[[nodiscard]] uint64_t clamp_unit(Format format, uint64_t bits);
[[nodiscard]] uint64_t relu(Format format, uint64_t bits);

// Exact values, for those who round later.
[[nodiscard]] Number add_exact(const Number& a, const Number& b, Rounding rounding);
[[nodiscard]] Number mul_exact(const Number& a, const Number& b);

}  // namespace warpledger::numeric
