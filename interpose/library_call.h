// A call of one of NVIDIA's math libraries, as our drop-in ones (blas/, random/, fft/) make it: the
// CPU computes it with right values on the same memory, at once or when its graph is launched. It
// takes its estimated time on the stream's clock and is counted in the report; it is never
// profiled. This file knows the device; it must not know what is computed.
#pragma once

#include <functional>
#include <string>

#include "interpose/estimate.h"

namespace warpledger::cuda {

/// Memory that a call reads or writes, all of it: [data, data + bytes).
struct Operand {
  const char* name = "";
  const void* data = nullptr;
  uint64_t bytes = 0;
};

struct LibraryCall {
  const char* library = "";  // one word: cuBLAS
  const char* name = "";     // cublasSgemm_v2
  std::vector<Operand> operands = {};
  double flops = 0;
  MathPipe pipe = MathPipe::kFp32;
  std::function<void()> compute = {};
  bool waits = false;  // the result goes to the host, which waits for it
};

/// Computes the call, or makes it a node where the stream is captured. An operand that is not the
/// device's is reported by name: kIllegalAddress. Takes the core's lock.
[[nodiscard]] Error run_library_call(const void* stream, LibraryCall call);

/// Says in one line that this name is not implemented.
void refuse_library_call(const char* name);

}  // namespace warpledger::cuda
