// Arrays in terms of the runtime's structures.
#pragma once

#include "interpose/runtime/state.h"

namespace warpledger::cuda::runtime {

/// Nothing on a format that textures cannot have.
std::optional<exec::TexelFormat> format_of(const cudaChannelFormatDesc& channels);
cudaChannelFormatDesc channels_of(const exec::TexelFormat& format);

/// A copy with an array at one end or both.
cudaError_t make_array_copy(Core& core, const cudaMemcpy3DParms& box, Work* work);

inline Array* array_of(Core& core, const void* handle) { return core.arrays().find(handle); }

}  // namespace warpledger::cuda::runtime
