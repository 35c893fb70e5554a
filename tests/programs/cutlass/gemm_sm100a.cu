// A CUTLASS 3 GEMM for data-center Blackwell: TMA, mbarriers, tcgen05. For the SASS witness.
#include "collective.h"

using Gemm = CollectiveGemm<cutlass::arch::Sm100, cute::Shape<cute::_128, cute::_128, cute::_64>,
                            cute::Shape<cute::_1, cute::_1, cute::_1>>::Kernel;
template __global__ void cutlass::device_kernel<Gemm>(const __grid_constant__ Gemm::Params);
