// CUTLASS 3's GEMM out of its collective builders, launched by its own host code: tensor maps by
// cuTensorMapEncodeTiled, a warp-specialized kernel.
#pragma once

#include <cutlass/gemm/device/gemm_universal_adapter.h>

#include <cutlass/util/packed_stride.hpp>

#include "../collective.h"
#include "check.h"

template <class Stride>
Stride packed(int rows, int columns) {
  return cutlass::make_cute_packed_stride(Stride{}, cute::make_shape(rows, columns, 1));
}

template <class Kernel>
int run_collective() {
  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;
  const Problem problem;
  const typename Gemm::Arguments arguments{
      cutlass::gemm::GemmUniversalMode::kGemm,
      {kM, kN, kK, 1},
      {problem.device_a, packed<typename Kernel::StrideA>(kM, kK), problem.device_b,
       packed<typename Kernel::StrideB>(kN, kK)},
      {{1.0f, 0.0f},
       problem.device_d,
       packed<typename Kernel::StrideC>(kM, kN),
       problem.device_d,
       packed<typename Kernel::StrideD>(kM, kN)}};
  Gemm gemm;
  return problem.judge(gemm(arguments));
}
