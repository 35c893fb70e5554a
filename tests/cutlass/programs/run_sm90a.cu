// CUTLASS 3's GEMM for Hopper, launched by its own host code: tensor maps by cuTensorMapEncodeTiled,
// warp-specialised, a cluster of two.
#include <cutlass/gemm/device/gemm_universal_adapter.h>

#include <cutlass/util/packed_stride.hpp>

#include "../collective.h"
#include "check.h"

using Kernel = CollectiveGemm<cutlass::arch::Sm90, cute::Shape<cute::_128, cute::_128, cute::_64>,
                              cute::Shape<cute::_2, cute::_1, cute::_1>>::Kernel;
using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

template <class Stride>
Stride packed(int rows, int columns) {
  return cutlass::make_cute_packed_stride(Stride{}, cute::make_shape(rows, columns, 1));
}

int main() {
  const Problem problem;
  const typename Gemm::Arguments arguments{
      cutlass::gemm::GemmUniversalMode::kGemm,
      {kM, kN, kK, 1},
      {problem.device_a, packed<Gemm::GemmKernel::StrideA>(kM, kK), problem.device_b,
       packed<Gemm::GemmKernel::StrideB>(kN, kK)},
      {{1.0f, 0.0f},
       problem.device_d,
       packed<Gemm::GemmKernel::StrideC>(kM, kN),
       problem.device_d,
       packed<Gemm::GemmKernel::StrideD>(kM, kN)}};
  Gemm gemm;
  return problem.judge(gemm(arguments));
}
