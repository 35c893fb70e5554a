// A GPU file for a GPU of one's own: what a device query or a report says of it, and for the rest
// the numbers of a built-in sibling, each marked as assumed.
#pragma once

#include "warpledger/gpu/gpu.h"

namespace warpledger {

/// What somebody says of one GPU; absent means that nobody says it.
struct DeviceDescription {
  std::string name = {};
  std::string source = {};  // who says so: "deviceQuery (my.txt)"
  int major = 0, minor = 0;
  std::optional<int64_t> sms = {}, boost_mhz = {}, ncu_sm_mhz = {};
  std::optional<int64_t> dram_mhz = {}, ncu_dram_mhz = {}, bus_bits = {};
  std::optional<int64_t> l2_bytes = {}, l2_slices = {};
};

struct OwnGpu {
  Gpu gpu;
  Gpu sibling;
};

/// The first device in the text that CUDA's sample deviceQuery prints. Fails with
/// "bad-device-query" when there is none.
[[nodiscard]] Result<DeviceDescription> parse_device_query(const Source& source);

/// The described GPU; what is not described is `like`'s (a name; "": the nearest built-in GPU of
/// the same architecture) and Fidelity::kAssumed. Fails with "gpu-fact-missing" when the number of
/// SMs is not described, with "no-sibling" when no built-in GPU has the architecture.
[[nodiscard]] Result<OwnGpu> own_gpu(const DeviceDescription& description, const std::string& like);

/// Post: parse_gpu(id + ".toml", toml_of(gpu)) has each fact of the GPU itself.
[[nodiscard]] std::string toml_of(const Gpu& gpu);

}  // namespace warpledger
