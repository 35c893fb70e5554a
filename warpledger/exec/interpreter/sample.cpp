#include "warpledger/exec/interpreter/sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "warpledger/exec/decode/texel_layout.h"
#include "warpledger/exec/numeric/number.h"

namespace warpledger::exec {
namespace {

using Texel = std::array<int64_t, 3>;

std::array<uint32_t, 3> size_of(const TexelBox& box) { return {box.width, box.height, box.depth}; }

/// How many axes are filtered and folded; a layer is not one.
size_t axes_of(const Texture& texture) { return texture.dimensions; }

/// The texel that an index outside means; none: the border.
std::optional<int64_t> fold(int64_t index, int64_t size, AddressMode mode, bool is_normalized) {
  if (index >= 0 && index < size) return index;
  if (mode == AddressMode::kBorder) return {};
  // Without normalized coordinates wrap and mirror are clamp, as CUDA has it.
  if (mode == AddressMode::kClamp || !is_normalized) return std::clamp<int64_t>(index, 0, size - 1);
  const int64_t period = mode == AddressMode::kMirror ? 2 * size : size;
  const int64_t inside = (index % period + period) % period;
  return inside < size ? inside : period - 1 - inside;
}

bool is_float(const Texture& texture) {
  return texture.format.kind == TexelKind::kFloat || texture.reads_as_float;
}

uint32_t one_of(const Texture& texture) {
  return is_float(texture) ? std::bit_cast<uint32_t>(1.0f) : 1u;
}

uint32_t channel_bits(const Texture& texture, uint32_t raw) {
  const TexelFormat& format = texture.format;
  if (format.kind == TexelKind::kFloat)
    return format.bits == 32 ? raw
                             : static_cast<uint32_t>(numeric::pack(
                                   numeric::kF32, numeric::unpack(numeric::kF16, raw)));
  const uint32_t unused = 32u - format.bits;
  const auto integer = static_cast<int32_t>(raw << unused) >> unused;
  const bool is_signed = format.kind == TexelKind::kSigned;
  if (!texture.reads_as_float) return is_signed ? static_cast<uint32_t>(integer) : raw;
  const float most = static_cast<float>((1u << (format.bits - (is_signed ? 1u : 0u))) - 1u);
  const float value = is_signed ? std::max(static_cast<float>(integer) / most, -1.0f)
                                : static_cast<float>(raw) / most;
  return std::bit_cast<uint32_t>(value);
}

Sample border_of(const Texture& texture) {
  Sample sample;
  for (size_t i = 0; i < 4; ++i)
    sample.bits[i] = is_float(texture) ? std::bit_cast<uint32_t>(texture.border[i])
                                       : static_cast<uint32_t>(texture.border[i]);
  return sample;
}

Sample texel_at(const Texture& texture, const DeviceMemory& memory, const TexelBox& box,
                const Texel& at) {
  const TexelFormat& format = texture.format;
  const uint64_t address = box.address + static_cast<uint64_t>(at[2]) * box.slice +
                           static_cast<uint64_t>(at[1]) * box.pitch +
                           static_cast<uint64_t>(at[0]) * format.bytes();
  Sample sample;
  const std::byte* bytes = memory.find(address, format.bytes());
  if (bytes == nullptr) return sample.bad_address = address, sample;
  sample.touched.add(texel_place(texture, box, static_cast<uint64_t>(at[0]) * format.bytes(),
                                 static_cast<uint64_t>(at[1]), static_cast<uint64_t>(at[2])));
  for (size_t i = 0; i < 4; ++i) {
    uint32_t raw = 0;
    if (i >= format.channels) {
      sample.bits[i] = i == 3 ? one_of(texture) : 0;
      continue;
    }
    std::memcpy(&raw, bytes + i * format.bits / 8, format.bits / 8);
    sample.bits[i] = channel_bits(texture, raw);
  }
  return sample;
}

/// A texel by indices that may lie outside.
Sample folded(const Texture& texture, const DeviceMemory& memory, const TexelBox& box, Texel at,
              uint32_t layer) {
  const auto size = size_of(box);
  for (size_t i = 0; i < axes_of(texture); ++i) {
    const auto inside = fold(at[i], size[i], texture.mode[i], texture.is_normalized);
    if (!inside) return border_of(texture);
    at[i] = *inside;
  }
  if (texture.is_layered) at[2] = std::min(layer, box.depth - 1);
  return texel_at(texture, memory, box, at);
}

/// The coordinate in texels. Coordinates that are not numbers are 0.
float in_texels(const Texture& texture, float at, uint32_t size) {
  const float scaled = texture.is_normalized ? at * static_cast<float>(size) : at;
  constexpr float kFar = 1e9f;
  return std::isnan(scaled) ? 0.0f : std::clamp(scaled, -kFar, kFar);
}

struct Footprint {
  Texel first = {};
  std::array<float, 3> weight = {};  // of the next texel
};

Footprint footprint_of(const Texture& texture, const TexelBox& box, const Coordinates& where) {
  Footprint made;
  const auto size = size_of(box);
  for (size_t i = 0; i < axes_of(texture); ++i) {
    const float at = in_texels(texture, where.at[i], size[i]) - 0.5f;
    const float floor = std::floor(at);
    made.first[i] = static_cast<int64_t>(floor);
    made.weight[i] = std::floor((at - floor) * 256.0f + 0.5f) / 256.0f;
  }
  return made;
}

Sample sample_level(const Texture& texture, const DeviceMemory& memory, const Coordinates& where,
                    uint32_t level) {
  const TexelBox box = texture.level(level);
  const auto size = size_of(box);
  if (texture.filter == TextureFilter::kPoint) {
    Texel at = {};
    for (size_t i = 0; i < axes_of(texture); ++i)
      at[i] = static_cast<int64_t>(std::floor(in_texels(texture, where.at[i], size[i])));
    return folded(texture, memory, box, at, where.layer);
  }
  const Footprint footprint = footprint_of(texture, box, where);
  std::array<float, 4> sum = {};
  Sample made;
  for (uint32_t corner = 0; corner < 1u << axes_of(texture); ++corner) {
    Texel at = footprint.first;
    float weight = 1;
    for (size_t i = 0; i < axes_of(texture); ++i) {
      const bool next = (corner >> i & 1) != 0;
      at[i] += next ? 1 : 0;
      weight *= next ? footprint.weight[i] : 1 - footprint.weight[i];
    }
    if (weight == 0) continue;  // such a texel may be infinite
    const Sample texel = folded(texture, memory, box, at, where.layer);
    if (texel.bad_address != 0) return texel;
    made.touched.add(texel.touched);
    for (size_t i = 0; i < 4; ++i) sum[i] += weight * std::bit_cast<float>(texel.bits[i]);
  }
  for (size_t i = 0; i < 4; ++i) made.bits[i] = std::bit_cast<uint32_t>(sum[i]);
  return made;
}

}  // namespace

Sample sample(const Texture& texture, const DeviceMemory& memory, const Coordinates& where,
              float level) {
  if (texture.levels <= 1) return sample_level(texture, memory, where, 0);
  const auto last = static_cast<float>(texture.levels - 1);
  float chosen = std::clamp(std::isnan(level) ? 0 : level + texture.level_bias, texture.least_level,
                            std::max(texture.least_level, texture.greatest_level));
  chosen = std::clamp(chosen, 0.0f, last);
  if (texture.level_filter == TextureFilter::kPoint)
    return sample_level(texture, memory, where, static_cast<uint32_t>(std::floor(chosen + 0.5f)));
  const auto lower = static_cast<uint32_t>(chosen);
  const float weight = std::floor((chosen - static_cast<float>(lower)) * 256.0f + 0.5f) / 256.0f;
  Sample low = sample_level(texture, memory, where, lower);
  if (weight == 0 || low.bad_address != 0 || !is_float(texture)) return low;
  const Sample high = sample_level(texture, memory, where, lower + 1);
  if (high.bad_address != 0) return high;
  low.touched.add(high.touched);
  for (size_t i = 0; i < 4; ++i) {
    low.bits[i] = std::bit_cast<uint32_t>((1 - weight) * std::bit_cast<float>(low.bits[i]) +
                                          weight * std::bit_cast<float>(high.bits[i]));
  }
  return low;
}

Sample fetch(const Texture& texture, const DeviceMemory& memory, const std::array<int32_t, 3>& at,
             uint32_t layer) {
  const auto size = size_of(texture.base);
  for (size_t i = 0; i < axes_of(texture); ++i) {
    if (at[i] < 0 || static_cast<uint32_t>(at[i]) >= size[i]) return {};
  }
  Texel texel = {at[0], at[1], at[2]};
  if (texture.is_layered) texel[2] = std::min(layer, texture.base.depth - 1);
  return texel_at(texture, memory, texture.base, texel);
}

Sample gather(const Texture& texture, const DeviceMemory& memory, const Coordinates& where,
              uint32_t channel) {
  constexpr int64_t kOrder[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  const Footprint footprint = footprint_of(texture, texture.base, where);
  Sample made;
  for (size_t i = 0; i < 4; ++i) {
    Texel at = footprint.first;
    at[0] += kOrder[i][0];
    at[1] += kOrder[i][1];
    const Sample texel = folded(texture, memory, texture.base, at, where.layer);
    if (texel.bad_address != 0) return texel;
    made.touched.add(texel.touched);
    made.bits[i] = texel.bits[channel];
  }
  return made;
}

float level_of_steps(const Texture& texture, const std::array<float, 3>& dx,
                     const std::array<float, 3>& dy) {
  const auto size = size_of(texture.base);
  float x = 0, y = 0;
  for (size_t i = 0; i < axes_of(texture); ++i) {
    const float scale = texture.is_normalized ? static_cast<float>(size[i]) : 1.0f;
    x += dx[i] * scale * dx[i] * scale;
    y += dy[i] * scale * dy[i] * scale;
  }
  const float longest = std::sqrt(std::max(x, y));
  return longest > 0 ? std::log2(longest) : 0.0f;
}

}  // namespace warpledger::exec
