// A program's work on the streams' clock in the trace format of Chrome, which Perfetto opens: a
// process a device, a row a stream, kernels, copies, launches of graphs and what stands for kernels
// of NVIDIA's libraries. Nodes of graphs have rows of their own, one an engine. A second process a
// device has the thread blocks of profiled kernels, as an SM of the model held them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "interpose/timeline.h"
#include "warpledger/profile/value/machine_code.h"

namespace warpledger::cuda {

/// A kernel's thread blocks on the simulated SM.
struct KernelBlocks {
  std::vector<sm::BlockSpan> spans;
  double sm_hertz = 0;
};
using BlocksByProfile = std::map<std::string, KernelBlocks>;  // by Span::profile

/// JSON: complete events in microseconds. Every time is modeled, and the file says so. A simulation
/// that is longer than its kernel's time is shrunk to it: the two come from different models.
/// Post: slices of a row follow each other.
[[nodiscard]] std::string chrome_trace(const std::vector<Span>& spans, const std::string& gpu,
                                       const BlocksByProfile& blocks = {});

}  // namespace warpledger::cuda
