// A program's work on the streams' clock in the trace format of Chrome, which Perfetto opens: a
// process a device, a row a stream, kernels, copies and what stands for kernels of NVIDIA's
// libraries.
#pragma once

#include <string>
#include <vector>

#include "interpose/timeline.h"

namespace warpledger::cuda {

/// JSON: complete events in microseconds. Every time is modeled, and the file says so.
[[nodiscard]] std::string chrome_trace(const std::vector<Span>& spans, const std::string& gpu);

}  // namespace warpledger::cuda
