// libcupti.so.13: what torch.profiler (kineto) and Triton's Proton trace kernels with. Launches
// here are profiled by warpledger itself, so that a tracer is accepted, told so in one line, and
// given no records. NVIDIA's own library asks a driver that is not there and crashes.
//
// What only starts and stops a trace succeeds; what would have to answer with measurements is not
// supported. The signatures are CUPTI's, with its handles and enumerations as plain words.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "interpose/core.h"

namespace {

// CUptiResult.
constexpr int kSuccess = 0, kInvalidParameter = 1, kMaxLimitReached = 12, kNotSupported = 27;
constexpr uint32_t kVersion = 130000;  // CUPTI_API_VERSION of CUDA 13.0

/// The one line, however many tracers ask.
int accept() {
  static std::atomic<bool> said = false;
  if (!said.exchange(true)) {
    warpledger::cuda::Core::say(
        "torch.profiler and Proton see no GPU activity here, because kernels do not run on a GPU; "
        "`warpledger profile` prints their profiles when the program exits");
  }
  return kSuccess;
}

template <class T>
int answer(T* to, T value) {
  if (to == nullptr) return kInvalidParameter;
  *to = value;
  return kSuccess;
}

const char* words_of(int result) {
  if (result == kSuccess) return "CUPTI_SUCCESS";
  if (result == kMaxLimitReached) return "CUPTI_ERROR_MAX_LIMIT_REACHED";
  return result == kNotSupported ? "CUPTI_ERROR_NOT_SUPPORTED" : "CUPTI_ERROR";
}

}  // namespace

extern "C" {

int wl_cupti_not_here(const char*) { return kNotSupported; }

int cuptiSubscribe(void** subscriber, void* callback, void*) {
  accept();
  return answer(subscriber, callback);
}
int cuptiUnsubscribe(void*) { return kSuccess; }
int cuptiEnableCallback(uint32_t, void*, int, uint32_t) { return kSuccess; }
int cuptiEnableDomain(uint32_t, void*, int) { return kSuccess; }
int cuptiEnableAllDomains(uint32_t, void*) { return kSuccess; }
int cuptiFinalize() { return kSuccess; }

int cuptiActivityRegisterCallbacks(void*, void*) { return kSuccess; }
int cuptiActivityRegisterTimestampCallback(void*) { return kSuccess; }
int cuptiActivityEnable(int) { return accept(); }
int cuptiActivityDisable(int) { return kSuccess; }
int cuptiActivityEnableContext(void*, int) { return accept(); }
int cuptiActivityDisableContext(void*, int) { return kSuccess; }
int cuptiActivityEnableDriverApi(uint32_t, uint8_t) { return kSuccess; }
int cuptiActivityEnableRuntimeApi(uint32_t, uint8_t) { return kSuccess; }
int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t) { return kSuccess; }
int cuptiActivitySetAttribute(int, size_t*, void*) { return kSuccess; }
int cuptiActivityFlushAll(uint32_t) { return kSuccess; }
int cuptiActivityGetNextRecord(uint8_t*, size_t, void**) { return kMaxLimitReached; }
int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  return answer<size_t>(dropped, 0);
}
int cuptiActivityPushExternalCorrelationId(int, uint64_t) { return kSuccess; }
int cuptiActivityPopExternalCorrelationId(int, uint64_t* last) {
  return last == nullptr ? kSuccess : answer<uint64_t>(last, 0);
}

int cuptiGetVersion(uint32_t* version) { return answer(version, kVersion); }
int cuptiGetTimestamp(uint64_t* now) {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return answer<uint64_t>(
      now,
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()));
}
int cuptiGetResultString(int result, const char** text) { return answer(text, words_of(result)); }
int cuptiGetErrorMessage(int result, const char** text) { return answer(text, words_of(result)); }
int cuptiGetCallbackName(int, uint32_t, const char** name) { return answer(name, "unknown"); }
}
