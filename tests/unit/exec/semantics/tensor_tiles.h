// Operands of wgmma and tcgen05 for tests: small integers that every type holds exactly, and where
// a descriptor expects them in shared memory, written down as plain loops.
#pragma once

#include <random>

#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/exec/numeric/convert.h"
#include "warpledger/layout/catalog/shared_tile.h"

namespace warpledger::exec {

/// rows x k small integers.
struct SmallMatrix {
  uint32_t rows = 0, k = 0;
  std::vector<int> values;
  SmallMatrix(uint32_t r, uint32_t depth, uint64_t seed, int most) : rows(r), k(depth) {
    std::mt19937_64 random(seed);
    const auto width = static_cast<uint64_t>(2 * most + 1);
    for (uint32_t i = 0; i < rows * k; ++i)
      values.push_back(static_cast<int>(random() % width) - most);
  }
  [[nodiscard]] int at(uint32_t row, uint32_t i) const { return values[row * k + i]; }
};

inline uint32_t encoded(ptx::Type type, int value) {
  const TypeInfo info = type_info(type);
  if (!info.is_float) return static_cast<uint32_t>(value) & ((1u << info.bits) - 1);
  const auto f32 = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type == ptx::Type::kTf32) return f32;
  return static_cast<uint32_t>(numeric::convert(info.format, numeric::kF32, f32));
}

/// How a matrix lies in shared memory. K-major rows are the swizzle's width apart, 8 of them an
/// atom; without a swizzle, 16 bytes apart, the second 16 bytes of k 128 bytes on. Of MN-major ones
/// the same with rows and k exchanged, as far as one atom is wide.
struct TileLayout {
  ptx::Type type = ptx::Type::kF16;
  SharedMode mode = SharedMode::k128;
  bool mn_major = false;
  uint32_t per_chunk = 8;  // elements of 16 bytes
};

inline std::vector<std::byte> image_of(const SmallMatrix& matrix, const TileLayout& layout,
                                       size_t bytes) {
  std::vector<std::byte> image(bytes);
  const auto width = static_cast<uint32_t>(facts_of(layout.mode).row_bytes);
  const int bits = layout.type == ptx::Type::kTf32 ? 32 : type_info(layout.type).bits;
  for (uint32_t row = 0; row < matrix.rows; ++row) {
    for (uint32_t i = 0; i < matrix.k; ++i) {
      const uint32_t line = layout.mn_major ? i : row, along = layout.mn_major ? row : i;
      const uint32_t chunk = along / layout.per_chunk;
      const uint32_t bit = along % layout.per_chunk * static_cast<uint32_t>(bits);
      uint64_t at = line / 8 * 8 * width + line % 8 * width + chunk * 16;
      if (layout.mode == SharedMode::kNone) at = line / 8 * 256 + line % 8 * 16 + chunk * 128;
      at = facts_of(layout.mode).swizzle(at) + bit / 8;
      uint32_t word = 0;
      std::memcpy(&word, image.data() + at, bits < 8 ? 1 : static_cast<size_t>(bits) / 8);
      word |= encoded(layout.type, matrix.at(row, i)) << bit % 8;
      if (bits == 6) {  // may cross a byte
        uint16_t pair = 0;
        std::memcpy(&pair, image.data() + at, 2);
        pair = static_cast<uint16_t>(pair | encoded(layout.type, matrix.at(row, i)) << bit % 8);
        std::memcpy(image.data() + at, &pair, 2);
        continue;
      }
      std::memcpy(image.data() + at, &word, bits < 8 ? 1 : static_cast<size_t>(bits) / 8);
    }
  }
  return image;
}

inline SharedDescriptor descriptor_of(const TileLayout& layout, uint32_t start) {
  const auto width = static_cast<uint32_t>(facts_of(layout.mode).row_bytes);
  const bool none = layout.mode == SharedMode::kNone;
  SharedDescriptor d{.start = start, .mode = layout.mode};
  d.leading_offset = none ? 128 : 16;
  d.stride_offset = none ? 256 : 8 * width;
  return d;
}

/// sum over i of a(row, i) * b(column, i).
inline int product_at(const SmallMatrix& a, const SmallMatrix& b, uint32_t row, uint32_t column) {
  int sum = 0;
  for (uint32_t i = 0; i < a.k; ++i) sum += a.at(row, i) * b.at(column, i);
  return sum;
}

/// PTX that copies `bytes` bytes from p0 and p1 to shared 0 and 16384 and waits for them.
inline std::string copy_in(uint32_t bytes) {
  return R"(
  .shared .align 1024 .b8 tile[32768];
  .shared .align 8 .b64 bar[2];
  .reg .pred first, q; .reg .b32 t, a, b; .reg .b64 from, out;
  mov.u32 t, %tid.x;
  mov.u32 a, tile;
  mov.u32 b, bar;
  setp.eq.u32 first, t, 0;
  @first mbarrier.init.shared::cta.b64 [b], 1;
  @first mbarrier.init.shared::cta.b64 [b+8], 1;
  bar.sync 0;
  @first mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], )" +
         std::to_string(2 * bytes) + R"(;
  ld.param.u64 from, [p0];
  @first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [from], )" +
         std::to_string(bytes) + R"(, [b];
  ld.param.u64 from, [p1];
  add.u32 a, a, 16384;
  @first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [from], )" +
         std::to_string(bytes) + R"(, [b];
W0: mbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;
  @!q bra W0;
)";
}

inline std::string register_list(const std::string& name, uint32_t count) {
  std::string list = "{";
  for (uint32_t i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + name + std::to_string(i);
  return list + "}";
}

/// PTX that writes registers name0 .. of every thread to p2, a row of `count` words each.
inline std::string copy_out(const std::string& name, uint32_t count) {
  std::string text = "ld.param.u64 out, [p2];\n.reg .b64 at;\nmul.wide.u32 at, t, " +
                     std::to_string(4 * count) + ";\nadd.u64 out, out, at;\n";
  for (uint32_t i = 0; i < count; ++i)
    text +=
        "st.global.b32 [out+" + std::to_string(4 * i) + "], " + name + std::to_string(i) + ";\n";
  return text;
}

}  // namespace warpledger::exec
