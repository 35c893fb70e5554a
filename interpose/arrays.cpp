#include "interpose/arrays.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpledger::cuda {
namespace {

Diagnostic refused(const char* message) { return {.message = message, .code = "bad-array"}; }

Status check(const ArrayShape& shape) {
  constexpr uint64_t kMost = uint64_t{1} << 17;
  const bool is_layered = (shape.flags & kLayered) != 0;
  if ((shape.flags & kCubemap) != 0) return refused("cubemap arrays are not supported");
  if (shape.width == 0 || shape.width > kMost || shape.height > kMost || shape.depth > kMost)
    return refused("an array of this size is not supported");
  if (shape.height == 0 && shape.depth != 0 && !is_layered)
    return refused("an array with a depth needs a height");
  if (is_layered && shape.depth == 0) return refused("a layered array needs layers");
  return {};
}

exec::Texture texels_of(const ArrayShape& shape) {
  exec::Texture made{.format = shape.format, .levels = shape.levels};
  made.is_array = true;
  made.is_layered = (shape.flags & kLayered) != 0;
  made.dimensions = shape.height == 0 ? 1 : shape.depth == 0 || made.is_layered ? 2 : 3;
  const auto size = [](uint64_t n) { return static_cast<uint32_t>(std::max<uint64_t>(n, 1)); };
  made.base =
      exec::packed_box(0, size(shape.width), size(shape.height), size(shape.depth), shape.format);
  return made;
}

uint32_t most_levels(const ArrayShape& shape) {
  const bool is_layered = (shape.flags & kLayered) != 0;
  const uint64_t longest = std::max({shape.width, shape.height, is_layered ? 0 : shape.depth});
  return static_cast<uint32_t>(std::bit_width(longest));
}

}  // namespace

bool is_supported(const exec::TexelFormat& format) {
  return exec::check(exec::Texture{.format = format}).ok();
}

exec::Texture texture_of_memory(uint64_t address, const exec::TexelFormat& format, uint64_t width,
                                uint64_t height, uint64_t pitch) {
  exec::Texture made{.format = format};
  made.dimensions = height == 0 ? 1 : 2;
  made.base = exec::packed_box(address, static_cast<uint32_t>(width),
                               static_cast<uint32_t>(std::max<uint64_t>(height, 1)), 1, format);
  if (pitch != 0) made.base.pitch = pitch;
  return made;
}

Result<Array*> Arrays::create(const ArrayShape& asked) {
  ArrayShape shape = asked;
  WL_TRY_STATUS(check(shape));
  shape.levels = std::clamp(shape.levels, 1u, most_levels(shape));
  auto made = std::make_unique<Array>();
  made->shape = shape;
  made->texels = texels_of(shape);
  made->texels.is_normalized = shape.levels > 1;  // what check() asks of levels
  WL_TRY_STATUS(exec::check(made->texels));
  WL_TRY(made->texels.base.address,
         memory_.allocate(exec::bytes_of(made->texels), MemoryKind::kDevice));
  Array* array = made.get();
  arrays_[array] = std::move(made);
  return array;
}

bool Arrays::destroy(Array* array) {
  const auto found = arrays_.find(array);
  if (found == arrays_.end()) return false;
  const bool freed = memory_.release(array->texels.base.address, false).ok();
  arrays_.erase(found);
  return freed;
}

Array* Arrays::find(const void* handle) const {
  if (const auto found = arrays_.find(handle); found != arrays_.end()) return found->second.get();
  for (const auto& [at, array] : arrays_) {
    for (const auto& level : array->levels) {
      if (level.get() == handle) return level.get();
    }
  }
  return nullptr;
}

Array* Arrays::level(Array& array, uint32_t level) {
  if (level >= array.shape.levels || array.owner != nullptr) return nullptr;
  while (array.levels.size() <= level) {
    auto made = std::make_unique<Array>();
    const auto number = static_cast<uint32_t>(array.levels.size());
    made->owner = &array;
    made->shape = array.shape;
    made->shape.levels = 1;
    const auto halved = [&](uint64_t n) { return n == 0 ? 0 : std::max<uint64_t>(1, n >> number); };
    made->shape.width = halved(array.shape.width);
    made->shape.height = halved(array.shape.height);
    if (!array.texels.is_layered) made->shape.depth = halved(array.shape.depth);
    made->texels = array.texels;
    made->texels.levels = 1;
    made->texels.base = array.texels.level(number);
    array.levels.push_back(std::move(made));
  }
  return array.levels[level].get();
}

std::optional<ArrayBox> Arrays::box_of(const Array& array, uint64_t x_bytes, uint64_t y, uint64_t z,
                                       uint64_t width_bytes, uint64_t height, uint64_t depth) {
  const exec::TexelBox& box = array.texels.base;
  const auto fits = [](uint64_t at, uint64_t count, uint64_t size) {
    return at <= size && count <= size - at;
  };
  const uint64_t row = uint64_t{box.width} * array.texels.format.bytes();
  if (!fits(x_bytes, width_bytes, row) || !fits(y, height, box.height) ||
      !fits(z, depth, box.depth))
    return {};
  return ArrayBox{box.address + z * box.slice + y * box.pitch + x_bytes, box.pitch, box.slice};
}

Result<uint64_t> Arrays::create_object(const exec::Texture& texture) {
  WL_TRY_STATUS(exec::check(texture));
  WL_TRY(const uint64_t handle,
         memory_.device().allocate(exec::kTextureBytes,
                                   texture.is_surface ? "surface object" : "texture object"));
  const exec::TextureBytes bytes = exec::encode(texture);
  std::memcpy(memory_.device().find(handle, bytes.size()), bytes.data(), bytes.size());
  objects_.insert(handle);
  return handle;
}

bool Arrays::destroy_object(uint64_t handle) {
  return objects_.erase(handle) != 0 && memory_.device().free(handle).ok();
}

}  // namespace warpledger::cuda
