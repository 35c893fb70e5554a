// What calls answer with.
#pragma once

#include <optional>

#include "warpledger/base/diagnostic.h"

namespace warpledger::cuda {

/// The numbers are those that cudaError_t and CUresult share, where they do.
enum class Error : int {
  kNone = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidConfiguration = 9,    // runtime only
  kInvalidSymbol = 13,          // runtime only
  kInvalidDeviceFunction = 98,  // runtime only
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kNoBinary = 209,
  kInvalidPtx = 218,
  kFileNotFound = 301,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kNotFound = 500,
  kIllegalAddress = 700,
  kTimeout = 702,
  kPeerAlreadyEnabled = 704,
  kPeerNotEnabled = 705,
  kAssert = 710,
  kMisaligned = 716,
  kLaunchFailure = 719,
  kCooperativeTooLarge = 720,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureMerge = 902,
  kCaptureUnmatched = 903,
  kCaptureUnjoined = 904,
  kCaptureIsolation = 905,
  kCaptureImplicit = 906,
  kCapturedEvent = 907,
  kCaptureWrongThread = 908,
  kUnknown = 999,
};

// CUDA's words for ours.
/// What a kernel's fault is to the program; nothing for what is not a kernel's fault.
[[nodiscard]] std::optional<Error> error_of(const Diagnostic& fault);
/// Why something did not begin: a launch, an allocation, a module. `otherwise`: CUDA has no word of
/// its own.
[[nodiscard]] Error refusal_error(const Diagnostic& refusal, Error otherwise);

}  // namespace warpledger::cuda
