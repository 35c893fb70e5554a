// Texture and surface objects.
#include <cstring>

#include "interpose/runtime/array.h"

namespace warpledger::cuda::runtime {
namespace {

/// What a program may ask back of an object.
struct Made {
  cudaResourceDesc resource = {};
  cudaTextureDesc texture = {};
};
std::map<uint64_t, Made>& made_objects() {
  static std::map<uint64_t, Made> made;
  return made;
}

exec::AddressMode mode_of(cudaTextureAddressMode mode) {
  return static_cast<exec::AddressMode>(mode);
}
exec::TextureFilter filter_of(cudaTextureFilterMode mode) {
  return mode == cudaFilterModeLinear ? exec::TextureFilter::kLinear : exec::TextureFilter::kPoint;
}

cudaError_t describe_array(Core& core, const void* handle, exec::Texture* texture) {
  const Array* array = array_of(core, handle);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  *texture = array->texels;
  return cudaSuccess;
}

// Linear memory and rows with a pitch are textures of the device's own memory.
cudaError_t describe_memory(const cudaChannelFormatDesc& channels, const void* memory, size_t width,
                            size_t height, size_t pitch, exec::Texture* texture) {
  const auto format = format_of(channels);
  if (!format || memory == nullptr || width == 0) return cudaErrorInvalidValue;
  *texture = texture_of_memory(reinterpret_cast<uint64_t>(memory), *format, width, height, pitch);
  return cudaSuccess;
}

cudaError_t describe(Core& core, const cudaResourceDesc& resource, exec::Texture* texture) {
  switch (resource.resType) {
    case cudaResourceTypeArray:
      return describe_array(core, resource.res.array.array, texture);
    case cudaResourceTypeMipmappedArray:
      return describe_array(core, resource.res.mipmap.mipmap, texture);
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      const auto format = format_of(linear.desc);
      if (!format) return cudaErrorInvalidChannelDescriptor;
      return describe_memory(linear.desc, linear.devPtr, linear.sizeInBytes / format->bytes(), 0, 0,
                             texture);
    }
    case cudaResourceTypePitch2D: {
      const auto& rows = resource.res.pitch2D;
      return describe_memory(rows.desc, rows.devPtr, rows.width, rows.height, rows.pitchInBytes,
                             texture);
    }
    default:
      return cudaErrorInvalidValue;
  }
}

void describe(const cudaTextureDesc& asked, exec::Texture* texture) {
  for (size_t i = 0; i < 3; ++i) texture->mode[i] = mode_of(asked.addressMode[i]);
  for (size_t i = 0; i < 4; ++i) texture->border[i] = asked.borderColor[i];
  texture->filter = filter_of(asked.filterMode);
  texture->level_filter = filter_of(asked.mipmapFilterMode);
  texture->is_normalized = asked.normalizedCoords != 0;
  texture->reads_as_float = asked.readMode == cudaReadModeNormalizedFloat &&
                            texture->format.kind != exec::TexelKind::kFloat;
  texture->level_bias = asked.mipmapLevelBias;
  texture->least_level = asked.minMipmapLevelClamp;
  texture->greatest_level = asked.maxMipmapLevelClamp;
}

const char* refusal(const cudaTextureDesc& asked, const cudaResourceViewDesc* view) {
  if (view != nullptr && view->format != cudaResViewFormatNone)
    return "resource views of textures are not supported";
  if (asked.sRGB != 0) return "sRGB textures are not supported";
  if (asked.maxAnisotropy > 1) return "anisotropic textures are not supported";
  return nullptr;
}

cudaError_t keep(Core& core, const exec::Texture& texture, const Made& made, uint64_t* handle) {
  const auto object = core.arrays().create_object(texture);
  if (!object) {
    Core::say(object.error());
    return as_cuda(refusal_error(object.error(), Error::kInvalidValue));
  }
  made_objects()[*object] = made;
  return *handle = *object, cudaSuccess;
}

cudaError_t destroy(uint64_t object) {
  return call([&](Core& core) {
    if (object == 0) return cudaSuccess;
    made_objects().erase(object);
    return core.arrays().destroy_object(object) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

template <class T>
cudaError_t ask(uint64_t object, T* room, T Made::*field) {
  return call([&](Core&) {
    const auto found = made_objects().find(object);
    if (found == made_objects().end() || room == nullptr) return cudaErrorInvalidValue;
    return *room = found->second.*field, cudaSuccess;
  });
}

}  // namespace
}  // namespace warpledger::cuda::runtime

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;
namespace exec = warpledger::exec;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* asked,
                                    const cudaResourceViewDesc* view) {
  return call([&](Core& core) {
    if (object == nullptr || resource == nullptr || asked == nullptr) return cudaErrorInvalidValue;
    if (const char* why = refusal(*asked, view)) return Core::say(why), cudaErrorNotSupported;
    exec::Texture texture;
    if (const cudaError_t error = describe(core, *resource, &texture)) return error;
    describe(*asked, &texture);
    uint64_t handle = 0;
    const cudaError_t error = keep(core, texture, {*resource, *asked}, &handle);
    return *object = handle, error;
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return destroy(object); }
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t object) {
  return ask(object, resource, &Made::resource);
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  return ask(object, texture, &Made::texture);
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return call([&](Core& core) {
    if (object == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
      return cudaErrorInvalidValue;
    exec::Texture texture;
    if (const cudaError_t error = describe(core, *resource, &texture)) return error;
    texture.is_surface = true;
    uint64_t handle = 0;
    const cudaError_t error = keep(core, texture, {*resource, {}}, &handle);
    return *object = handle, error;
  });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return destroy(object); }
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t object) {
  return ask(object, resource, &Made::resource);
}
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* width,
                                                 const cudaChannelFormatDesc* channels, int) {
  if (channels == nullptr || !format_of(*channels)) return note(cudaErrorInvalidValue);
  return note(answer(width, size_t{1} << 28));  // texels (CUDA programming guide, sm_80 and later)
}
}
