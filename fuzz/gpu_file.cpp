// A GPU file never crashes the reader, and what it accepts can be used: occupancy and listing run.
#include <cstddef>
#include <cstdint>
#include <string>

#include "warpledger/gpu/launch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto gpu = warpledger::parse_gpu("fuzz.toml", text);
  if (!gpu) {
    (void)warpledger::to_text(gpu.error());
    return 0;
  }
  (void)warpledger::facts_of(*gpu);
  const warpledger::Launch launch{.block = {256, 1, 1}, .registers_per_thread = 40};
  (void)warpledger::launch_section(*gpu, launch);
  return 0;
}
