// The approximate functions. PTX states a bound on their error, not their bits; what is answered
// here is the nearest value that a double-precision evaluation gives, which is within every bound.
// The evaluation is a fixed sequence of IEEE double additions, multiplications, divisions and
// square roots, so that every host answers with the same bits. Special values follow the ISA's
// tables.
#pragma once

#include "warpledger/exec/numeric/number.h"

namespace warpledger::numeric {

// f32; `ftz` flushes subnormal operands and results.
[[nodiscard]] uint32_t rcp_approx(uint32_t a, bool ftz);    // 1 ulp
[[nodiscard]] uint32_t sqrt_approx(uint32_t a, bool ftz);   // 2^-23 relative
[[nodiscard]] uint32_t rsqrt_approx(uint32_t a, bool ftz);  // 2^-22.4 relative
[[nodiscard]] uint32_t sin_approx(uint32_t a, bool ftz);    // 2^-20.5 absolute in [-pi, pi]
[[nodiscard]] uint32_t cos_approx(uint32_t a, bool ftz);
[[nodiscard]] uint32_t lg2_approx(uint32_t a, bool ftz);  // 2^-22 absolute (0.5 .. 2) or relative
[[nodiscard]] uint32_t ex2_approx(uint32_t a, bool ftz);  // 2^-22 relative
[[nodiscard]] uint32_t tanh_approx(uint32_t a);           // 2^-11 relative
[[nodiscard]] uint32_t div_approx(uint32_t a, uint32_t b, bool ftz);  // 2 ulp, 0 for |b| > 2^126
[[nodiscard]] uint32_t div_full(uint32_t a, uint32_t b, bool ftz);    // 2 ulp, full range

// f16 and bf16.
[[nodiscard]] uint64_t ex2_half(Format format, uint64_t a, bool ftz);
[[nodiscard]] uint64_t tanh_half(Format format, uint64_t a);

// f64: "gross" approximations of the upper 32 bits; the lower 32 bits of operand and result are 0.
[[nodiscard]] uint64_t rcp_approx_f64(uint64_t a);
[[nodiscard]] uint64_t rsqrt_approx_ftz_f64(uint64_t a);
[[nodiscard]] uint64_t rsqrt_approx_f64(uint64_t a);

}  // namespace warpledger::numeric
