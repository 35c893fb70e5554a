// Which bytes of device memory lack values while a benchmark runs (benchmark.h), for who computes
// with them on the host.
#pragma once

#include "interpose/core.h"

namespace warpledger::cuda {

[[nodiscard]] bool lacks_values(Core& core, uint64_t address, uint64_t bytes);
/// The host wrote these bytes. `has_values`: from others that have some. Nothing outside of
/// benchmarks.
void note_values(Core& core, uint64_t address, uint64_t bytes, bool has_values);

}  // namespace warpledger::cuda
