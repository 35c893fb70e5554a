// A CUTLASS 3 GEMM for Hopper: TMA, mbarriers, wgmma. For the SASS witness.
#include "collective.h"

using Gemm = CollectiveGemm<cutlass::arch::Sm90, cute::Shape<cute::_128, cute::_128, cute::_64>,
                            cute::Shape<cute::_1, cute::_1, cute::_1>>::Kernel;
template __global__ void cutlass::device_kernel<Gemm>(const __grid_constant__ Gemm::Params);
