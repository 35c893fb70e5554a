// A CUTLASS 2 GEMM for Ampere's tensor cores: cp.async, ldmatrix, mma.sync. For the SASS witness;
// built only where CUTLASS's headers are found (the wheel nvidia-cutlass has them).
#include <cutlass/gemm/device/gemm.h>

using Half = cutlass::half_t;
using Gemm =
    cutlass::gemm::device::Gemm<Half, cutlass::layout::RowMajor, Half, cutlass::layout::ColumnMajor,
                                Half, cutlass::layout::RowMajor, float,
                                cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80>;
template __global__ void cutlass::Kernel<Gemm::GemmKernel>(Gemm::GemmKernel::Params);
