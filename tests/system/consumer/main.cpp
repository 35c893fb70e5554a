// A stranger's program: one question to the library.
#include <cstdio>

#include "warpledger/gpu/launch.h"

int main() {
  const auto gpu = warpledger::load_gpu("rtx3090");
  if (!gpu) return 1;
  warpledger::Launch launch;
  launch.block = {256, 1, 1};
  launch.registers_per_thread = 40;
  const auto statistics = warpledger::launch_statistics(*gpu, launch);
  if (!statistics) return 1;
  std::printf("%lld blocks per SM\n", static_cast<long long>(statistics->blocks_per_sm));
  return 0;
}
