// Attributes of a device, by the numbers that cudaDeviceAttr and CUdevice_attribute share.
#pragma once

#include "interpose/core.h"

namespace warpledger::cuda {

/// 0 for what this device has not, or nobody here knows.
[[nodiscard]] int attribute_of(Core& core, int attribute, int device = 0);

/// "NVIDIA GeForce RTX 3090 (warpledger)".
[[nodiscard]] std::string device_name(const Gpu& gpu);

}  // namespace warpledger::cuda
