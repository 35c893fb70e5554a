// Arrays, mipmapped arrays, texture and surface objects.
#include <algorithm>
#include <cstring>

#include "interpose/driver/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;
namespace exec = warpledger::exec;

namespace {

Array* array_of(Core& core, const void* handle) { return core.arrays().find(handle); }

std::optional<exec::TexelFormat> format_of(CUarray_format format, unsigned channels) {
  using exec::TexelKind;
  exec::TexelFormat made{.channels = static_cast<uint8_t>(channels)};
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
      made.kind = TexelKind::kUnsigned;
      made.bits = static_cast<uint8_t>(8 << (format - CU_AD_FORMAT_UNSIGNED_INT8));
      break;
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
      made.kind = TexelKind::kSigned;
      made.bits = static_cast<uint8_t>(8 << (format - CU_AD_FORMAT_SIGNED_INT8));
      break;
    case CU_AD_FORMAT_HALF:
      made.bits = 16;
      break;
    case CU_AD_FORMAT_FLOAT:
      break;
    default:
      return {};
  }
  return is_supported(made) ? std::optional(made) : std::nullopt;
}

CUarray_format format_of(const exec::TexelFormat& format) {
  if (format.kind == exec::TexelKind::kFloat)
    return format.bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  const int first = format.kind == exec::TexelKind::kSigned ? CU_AD_FORMAT_SIGNED_INT8
                                                            : CU_AD_FORMAT_UNSIGNED_INT8;
  return static_cast<CUarray_format>(first + (format.bits == 8 ? 0 : format.bits == 16 ? 1 : 2));
}

CUresult refuse(const warpledger::Diagnostic& why) {
  Core::say(why);
  return as_result(refusal_error(why, Error::kInvalidValue));
}

CUresult create(void** handle, const CUDA_ARRAY3D_DESCRIPTOR* asked, unsigned levels) {
  return call([&](Core& core) {
    if (handle == nullptr || asked == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto format = format_of(asked->Format, asked->NumChannels);
    if (!format) return Core::say("this array format is not supported"), CUDA_ERROR_NOT_SUPPORTED;
    const auto made = core.arrays().create({.format = *format,
                                            .width = asked->Width,
                                            .height = asked->Height,
                                            .depth = asked->Depth,
                                            .flags = asked->Flags,
                                            .levels = levels});
    if (!made) return refuse(made.error());
    return *handle = *made, CUDA_SUCCESS;
  });
}

CUresult destroy(const void* handle) {
  return call([&](Core& core) {
    Array* array = array_of(core, handle);
    const bool done = array != nullptr && core.arrays().destroy(array);
    return done ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult describe_memory(CUarray_format format, unsigned channels, CUdeviceptr memory,
                         std::pair<size_t, size_t> size, size_t pitch, exec::Texture* texture) {
  const auto made = format_of(format, channels);
  if (!made || memory == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto [width, height] = size;
  *texture = texture_of_memory(memory, *made, width, height, pitch);
  return CUDA_SUCCESS;
}

CUresult describe(Core& core, const CUDA_RESOURCE_DESC& resource, exec::Texture* texture) {
  const auto& linear = resource.res.linear;
  const auto& rows = resource.res.pitch2D;
  const void* handle = resource.resType == CU_RESOURCE_TYPE_ARRAY
                           ? static_cast<const void*>(resource.res.array.hArray)
                           : resource.res.mipmap.hMipmappedArray;
  switch (resource.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: {
      const Array* array = array_of(core, handle);
      if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
      return *texture = array->texels, CUDA_SUCCESS;
    }
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto format = format_of(linear.format, linear.numChannels);
      if (!format) return CUDA_ERROR_INVALID_VALUE;
      return describe_memory(linear.format, linear.numChannels, linear.devPtr,
                             {linear.sizeInBytes / format->bytes(), 0}, 0, texture);
    }
    case CU_RESOURCE_TYPE_PITCH2D:
      return describe_memory(rows.format, rows.numChannels, rows.devPtr, {rows.width, rows.height},
                             rows.pitchInBytes, texture);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

void describe(const CUDA_TEXTURE_DESC& asked, exec::Texture* texture) {
  const auto filter = [](CUfilter_mode mode) {
    return mode == CU_TR_FILTER_MODE_LINEAR ? exec::TextureFilter::kLinear
                                            : exec::TextureFilter::kPoint;
  };
  for (size_t i = 0; i < 3; ++i)
    texture->mode[i] = static_cast<exec::AddressMode>(asked.addressMode[i]);
  std::copy_n(asked.borderColor, 4, texture->border.begin());
  texture->filter = filter(asked.filterMode);
  texture->level_filter = filter(asked.mipmapFilterMode);
  texture->is_normalized = (asked.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  texture->reads_as_float = (asked.flags & CU_TRSF_READ_AS_INTEGER) == 0 &&
                            texture->format.kind != exec::TexelKind::kFloat &&
                            texture->format.bits < 32;
  texture->level_bias = asked.mipmapLevelBias;
  texture->least_level = asked.minMipmapLevelClamp;
  texture->greatest_level = asked.maxMipmapLevelClamp;
}

CUresult keep(Core& core, const exec::Texture& texture, unsigned long long* object) {
  const auto made = core.arrays().create_object(texture);
  return made ? answer(object, *made) : refuse(made.error());
}

CUresult destroy_object(uint64_t object) {
  return call([&](Core& core) {
    return core.arrays().destroy_object(object) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

}  // namespace

extern "C" {

CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* asked) {
  return create(reinterpret_cast<void**>(array), asked, 1);
}
CUresult cuArrayCreate_v2(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* asked) {
  if (asked == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR whole{asked->Width,  asked->Height,      0,
                                      asked->Format, asked->NumChannels, 0};
  return cuArray3DCreate_v2(array, &whole);
}
CUresult cuArrayDestroy(CUarray array) { return destroy(array); }
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* room, CUarray handle) {
  return call([&](Core& core) {
    const Array* array = array_of(core, handle);
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const ArrayShape& shape = array->shape;
    return answer(
        room, CUDA_ARRAY3D_DESCRIPTOR{shape.width, shape.height, shape.depth,
                                      format_of(shape.format), shape.format.channels, shape.flags});
  });
}
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* room, CUarray handle) {
  CUDA_ARRAY3D_DESCRIPTOR whole;
  const CUresult done = cuArray3DGetDescriptor_v2(&whole, handle);
  if (done != CUDA_SUCCESS) return done;
  return answer(room,
                CUDA_ARRAY_DESCRIPTOR{whole.Width, whole.Height, whole.Format, whole.NumChannels});
}
CUresult cuMipmappedArrayCreate(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* asked,
                                unsigned levels) {
  return create(reinterpret_cast<void**>(array), asked, levels);
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) { return destroy(array); }
CUresult cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray handle, unsigned number) {
  return call([&](Core& core) {
    Array* array = array_of(core, handle);
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    Array* found = core.arrays().level(*array, number);
    if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return answer(level, reinterpret_cast<CUarray>(found));
  });
}
CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* asked, const CUDA_RESOURCE_VIEW_DESC* view) {
  return call([&](Core& core) {
    if (object == nullptr || resource == nullptr || asked == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    const bool has_view = view != nullptr && view->format != CU_RES_VIEW_FORMAT_NONE;
    if (has_view || (asked->flags & CU_TRSF_SRGB) != 0 || asked->maxAnisotropy > 1) {
      Core::say("resource views, sRGB and anisotropy of textures are not supported");
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    exec::Texture texture;
    if (const CUresult error = describe(core, *resource, &texture)) return error;
    describe(*asked, &texture);
    return keep(core, texture, object);
  });
}
CUresult cuTexObjectDestroy(CUtexObject object) { return destroy_object(object); }
CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
  return call([&](Core& core) {
    if (resource == nullptr || resource->resType != CU_RESOURCE_TYPE_ARRAY)
      return CUDA_ERROR_INVALID_VALUE;
    exec::Texture texture;
    if (const CUresult error = describe(core, *resource, &texture)) return error;
    texture.is_surface = true;
    return keep(core, texture, object);
  });
}
CUresult cuSurfObjectDestroy(CUsurfObject object) { return destroy_object(object); }
}
