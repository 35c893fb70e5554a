// Data-center Blackwell: TMA, tcgen05, a scheduler that asks for blocks to take over
// (clusterlaunchcontrol).
#include "run_collective.h"

int main() {
  return run_collective<
      CollectiveGemm<cutlass::arch::Sm100, cute::Shape<cute::_128, cute::_128, cute::_64>,
                     cute::Shape<cute::_1, cute::_1, cute::_1>>::Kernel>();
}
