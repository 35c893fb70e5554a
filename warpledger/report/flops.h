// Floating-point operations of a launch, counted from its PTX: an add, subtract or multiply is one
// a lane, a fused multiply-add two, an f16x2 instruction twice that, a matrix instruction
// 2 M N K a warp. Comparisons, conversions and special functions are not operations, as ncu's
// rooflines count. ptxas may fuse a multiply and an add into one instruction: the operations stay
// two.
#pragma once

#include <string>
#include <string_view>

#include "warpledger/profile/value/profile.h"

namespace warpledger::report {

struct Flops {
  double half = 0, single = 0, two_fold = 0;  // f16 and bf16, f32, f64, outside matrix units
  double tensor = 0;                          // f16, bf16, tf32, fp8 and int8 matrix instructions
  [[nodiscard]] double total() const { return half + single + two_fold + tensor; }
};

/// Of one execution of the instruction by a warp with `lanes` lanes.
[[nodiscard]] Flops flops_of(std::string_view instruction, double executions, double lanes);

[[nodiscard]] Flops flops_of(const profile::Profile& profile);

/// The pipe that does most of them, and what it can do: its operations in a second.
struct ArithmeticPeak {
  std::string pipe;  // "FP32"
  double flops_per_second = 0;
  Fidelity fidelity = Fidelity::kModeled;
};
[[nodiscard]] std::optional<ArithmeticPeak> peak_of(const profile::Profile& profile,
                                                    const Flops& flops);

}  // namespace warpledger::report
