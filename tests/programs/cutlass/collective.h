// A CUTLASS 3 GEMM out of its collective builders: TMA copies and the tensor cores of the given
// architecture.
#pragma once

#include <cutlass/device_kernel.h>

#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/kernel/gemm_universal.hpp>

template <class Arch, class Tile, class Cluster>
struct CollectiveGemm {
  using Half = cutlass::half_t;
  using Row = cutlass::layout::RowMajor;
  using Column = cutlass::layout::ColumnMajor;
  using TensorOp = cutlass::arch::OpClassTensorOp;
  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      Arch, TensorOp, Tile, Cluster, cutlass::epilogue::collective::EpilogueTileAuto, float, float,
      Half, Row, 8, Half, Row, 8,
      cutlass::epilogue::collective::EpilogueScheduleAuto>::CollectiveOp;
  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      Arch, TensorOp, Half, Row, 8, Half, Column, 8, float, Tile, Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
          sizeof(typename Epilogue::SharedStorage))>,
      cutlass::gemm::collective::KernelScheduleAuto>::CollectiveOp;
  using Kernel =
      cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Mainloop, Epilogue>;
};
