// Arrays and mipmapped arrays. A cudaArray_t and a cudaMipmappedArray_t are the core's Array.
#include "interpose/runtime/array.h"

namespace warpledger::cuda::runtime {

std::optional<exec::TexelFormat> format_of(const cudaChannelFormatDesc& channels) {
  const int bits[] = {channels.x, channels.y, channels.z, channels.w};
  exec::TexelFormat format{.channels = 0, .bits = static_cast<uint8_t>(channels.x)};
  for (const int one : bits) {
    if (one == 0) break;
    if (one != channels.x) return {};
    ++format.channels;
  }
  switch (channels.f) {
    case cudaChannelFormatKindSigned:
      format.kind = exec::TexelKind::kSigned;
      break;
    case cudaChannelFormatKindUnsigned:
      format.kind = exec::TexelKind::kUnsigned;
      break;
    case cudaChannelFormatKindFloat:
      break;
    default:
      return {};
  }
  return is_supported(format) ? std::optional(format) : std::nullopt;
}

cudaChannelFormatDesc channels_of(const exec::TexelFormat& format) {
  const auto bits = [&](int channel) { return channel < format.channels ? int{format.bits} : 0; };
  const auto kind = format.kind == exec::TexelKind::kFloat    ? cudaChannelFormatKindFloat
                    : format.kind == exec::TexelKind::kSigned ? cudaChannelFormatKindSigned
                                                              : cudaChannelFormatKindUnsigned;
  return {bits(0), bits(1), bits(2), bits(3), kind};
}

namespace {

cudaError_t create(const void** handle, const cudaChannelFormatDesc* channels, ArrayShape shape) {
  return call([&](Core& core) {
    if (handle == nullptr || channels == nullptr) return cudaErrorInvalidValue;
    *handle = nullptr;
    if (const Error error = core.captures().check_unsafe(); error != Error::kNone)
      return as_cuda(error);
    const auto format = format_of(*channels);
    if (!format) {
      Core::say("this channel format is not supported: 1, 2 or 4 channels of 8, 16 or 32 bits are");
      return cudaErrorInvalidChannelDescriptor;
    }
    shape.format = *format;
    const auto made = core.arrays().create(shape);
    if (made) return *handle = *made, cudaSuccess;
    Core::say(made.error());
    return as_cuda(refusal_error(made.error(), Error::kInvalidValue));
  });
}

cudaError_t destroy(const void* handle) {
  return call([&](Core& core) {
    if (handle == nullptr) return cudaSuccess;
    Array* array = array_of(core, handle);
    const bool done = array != nullptr && core.arrays().destroy(array);
    return done ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaExtent extent_of(const ArrayShape& shape) { return {shape.width, shape.height, shape.depth}; }

}  // namespace
}  // namespace warpledger::cuda::runtime

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, size_t width,
                            size_t height, unsigned flags) {
  return create(const_cast<const void**>(reinterpret_cast<void**>(array)), channels,
                {.width = width, .height = height, .flags = flags});
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels,
                              cudaExtent extent, unsigned flags) {
  return create(
      const_cast<const void**>(reinterpret_cast<void**>(array)), channels,
      {.width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags});
}
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                     const cudaChannelFormatDesc* channels, cudaExtent extent,
                                     unsigned levels, unsigned flags) {
  return create(const_cast<const void**>(reinterpret_cast<void**>(array)), channels,
                {.width = extent.width,
                 .height = extent.height,
                 .depth = extent.depth,
                 .flags = flags,
                 .levels = levels});
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t handle,
                                       unsigned number) {
  return call([&](Core& core) {
    Array* array = array_of(core, handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    Array* found = core.arrays().level(*array, number);
    if (found == nullptr) return cudaErrorInvalidValue;
    return answer(level, reinterpret_cast<cudaArray_t>(found));
  });
}
cudaError_t cudaFreeArray(cudaArray_t array) { return destroy(array); }
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) { return destroy(array); }
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags,
                             cudaArray_t handle) {
  return call([&](Core& core) {
    const Array* array = array_of(core, handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if (channels != nullptr) *channels = channels_of(array->shape.format);
    if (extent != nullptr) *extent = extent_of(array->shape);
    if (flags != nullptr) *flags = array->shape.flags;
    return cudaSuccess;
  });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t handle) {
  return channels == nullptr
             ? note(cudaErrorInvalidValue)
             : cudaArrayGetInfo(channels, nullptr, nullptr, const_cast<cudaArray_t>(handle));
}
}
