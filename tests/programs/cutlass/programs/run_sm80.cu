// CUTLASS 2's GEMM for Ampere, launched by its own host code.
#include <cutlass/gemm/device/gemm.h>

#include "check.h"

using Half = cutlass::half_t;
using Gemm =
    cutlass::gemm::device::Gemm<Half, cutlass::layout::RowMajor, Half, cutlass::layout::ColumnMajor,
                                Half, cutlass::layout::RowMajor, float,
                                cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80>;

int main() {
  const Problem problem;
  Gemm gemm;
  return problem.judge(gemm({{kM, kN, kK},
                             {problem.device_a, kK},
                             {problem.device_b, kK},
                             {problem.device_d, kN},
                             {problem.device_d, kN},
                             {1.0f, 0.0f}}));
}
