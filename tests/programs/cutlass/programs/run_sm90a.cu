// Hopper: TMA, wgmma, a cluster of two.
#include "run_collective.h"

int main() {
  return run_collective<
      CollectiveGemm<cutlass::arch::Sm90, cute::Shape<cute::_128, cute::_128, cute::_64>,
                     cute::Shape<cute::_2, cute::_1, cute::_1>>::Kernel>();
}
