// CUDA arrays, mipmapped arrays, texture and surface objects of both doors. An array is packed
// texels in device memory; an object is a record there, which kernels are given the address of
// (warpledger/exec/decode/texture.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "interpose/memory.h"
#include "warpledger/exec/decode/texture.h"

namespace warpledger::cuda {

/// The bits that cudaArray* flags and CUDA_ARRAY3D_* share.
enum ArrayFlag : unsigned { kLayered = 1, kSurface = 2, kCubemap = 4, kGather = 8 };

/// As the program asks: 0 where a dimension is not used; depth counts layers, too.
struct ArrayShape {
  exec::TexelFormat format = {};
  uint64_t width = 0, height = 0, depth = 0;
  unsigned flags = 0;
  uint32_t levels = 1;
};

/// An array, a mipmapped array, or one level of that.
struct Array {
  ArrayShape shape = {};
  exec::Texture texels = {};  // without a way to read it
  Array* owner = nullptr;     // of a level
  std::vector<std::unique_ptr<Array>> levels = {};
};

/// A box of an array for copies, in bytes.
struct ArrayBox {
  uint64_t start = 0, pitch = 0, slice = 0;
};

[[nodiscard]] bool is_supported(const exec::TexelFormat& format);
/// Linear memory (height 0) or rows of it, `pitch` bytes apart (0: packed), as a texture.
[[nodiscard]] exec::Texture texture_of_memory(uint64_t address, const exec::TexelFormat& format,
                                              uint64_t width, uint64_t height, uint64_t pitch);

class Arrays {
 public:
  explicit Arrays(Memory& memory) : memory_(memory) {}
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  /// Fails, naming it, on a shape that is not supported, and where the GPU has no more memory.
  [[nodiscard]] Result<Array*> create(const ArrayShape& shape);
  [[nodiscard]] bool destroy(Array* array);
  /// The array that a handle means, a level's too; null when it is none.
  [[nodiscard]] Array* find(const void* handle) const;
  /// Null where there is no such level.
  [[nodiscard]] Array* level(Array& array, uint32_t level);
  /// Where the texel (x, y, z) lies, x in bytes. Nothing where the box reaches outside.
  [[nodiscard]] static std::optional<ArrayBox> box_of(const Array& array, uint64_t x_bytes,
                                                      uint64_t y, uint64_t z, uint64_t width_bytes,
                                                      uint64_t height, uint64_t depth);

  /// A handle for kernels.
  [[nodiscard]] Result<uint64_t> create_object(const exec::Texture& texture);
  [[nodiscard]] bool destroy_object(uint64_t handle);

 private:
  Memory& memory_;
  std::map<const void*, std::unique_ptr<Array>> arrays_;
  std::set<uint64_t> objects_;
};

}  // namespace warpledger::cuda
