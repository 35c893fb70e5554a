// tex, tld4, txq, suq.
#include <fmt/core.h>

#include <bit>

#include "warpledger/exec/decode/texel_layout.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/sample.h"
#include "warpledger/exec/interpreter/texture.h"
#include "warpledger/exec/numeric/number.h"
#include "warpledger/ptx/names.h"

namespace warpledger::exec::reference {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Space;

namespace {

const Value& handle_in(const Context& context, const Value& operand) {
  return operand.kind == Value::Kind::kList ? context.children(operand)[0] : operand;
}

uint64_t handle_of(const Context& context, const Value& operand, int lane) {
  return context.address(handle_in(context, operand), Space::kGlobal, lane).offset;
}

}  // namespace

std::optional<Texture> read_texture(const Context& context, const Step& step, const Value& operand,
                                    int lane) {
  const Value& at = handle_in(context, operand);
  if (at.space == Space::kTexture) {
    context.fault(step, lane, "texture references (.texref) are not supported", "bad-texture",
                  "use a texture object");
    return {};
  }
  const uint64_t handle = handle_of(context, operand, lane);
  const std::byte* bytes = context.engine.image().memory().find(handle, kTextureBytes);
  auto found = bytes == nullptr
                   ? Result<Texture>(Diagnostic{.message = "the handle is not a texture object"})
                   : decode_texture({bytes, kTextureBytes});
  if (found) return *found;
  context.fault(step, lane, fmt::format("{:#x}: {}", handle, found.error().message), "bad-texture");
  return {};
}

std::optional<Geometry> read_geometry(const Context& context, const Step& step,
                                      const Texture& texture, int lane) {
  Geometry asked;
  switch (const Modifier geometry = step.variant->get(Slot::kGeometry)) {
    case Modifier::k1d:
    case Modifier::kA1d:
      asked = {1, geometry == Modifier::kA1d};
      break;
    case Modifier::k2d:
    case Modifier::kA2d:
      asked = {2, geometry == Modifier::kA2d};
      break;
    case Modifier::k3d:
      asked = {3, false};
      break;
    default:
      context.fault(step, lane,
                    fmt::format("'.{}' textures are not supported", ptx::to_text(geometry)),
                    "unsupported-opcode", "see docs/limits.md");
      return {};
  }
  if (asked.dimensions == texture.dimensions && asked.is_layered == texture.is_layered)
    return asked;
  context.fault(
      step, lane,
      fmt::format("'.{}' on a texture of {} dimension{}{}",
                  ptx::to_text(step.variant->get(Slot::kGeometry)), texture.dimensions,
                  texture.dimensions == 1 ? "" : "s", texture.is_layered ? " and layers" : ""),
      "bad-texture");
  return {};
}

std::span<const Value> coordinates_of(const Context& context, const Value& operand) {
  const auto parts = context.children(operand);
  return parts.size() > 1 ? context.elements(parts[1]) : std::span<const Value>();
}

namespace {

float number(const Context& context, const Value& value, int lane) {
  return std::bit_cast<float>(static_cast<uint32_t>(context.read(value, lane)));
}

std::array<float, 3> numbers(const Context& context, const Value& list, int lane) {
  std::array<float, 3> made = {};
  const auto values = context.elements(list);
  for (size_t i = 0; i < 3 && i < values.size(); ++i) made[i] = number(context, values[i], lane);
  return made;
}

Coordinates read_coordinates(const Context& context, const Value& operand, const Geometry& geometry,
                             int lane) {
  const auto values = coordinates_of(context, operand);
  Coordinates made;
  size_t next = 0;
  if (geometry.is_layered) made.layer = static_cast<uint32_t>(context.read(values[next++], lane));
  for (size_t i = 0; i < geometry.dimensions && next < values.size(); ++i)
    made.at[i] = number(context, values[next++], lane);
  return made;
}

std::array<int32_t, 3> read_integers(const Context& context, const Value& operand,
                                     const Geometry& geometry, int lane) {
  const auto values = coordinates_of(context, operand);
  std::array<int32_t, 3> made = {};
  const size_t first = geometry.is_layered ? 1 : 0;
  for (size_t i = 0; i < geometry.dimensions && first + i < values.size(); ++i)
    made[i] = static_cast<int32_t>(context.read(values[first + i], lane));
  return made;
}

float read_level(const Context& context, const Step& step, const Texture& texture, int lane) {
  if (step.variant->has(Modifier::kLevel)) return number(context, step.operands[2], lane);
  if (!step.variant->has(Modifier::kGrad)) return 0;
  return level_of_steps(texture, numbers(context, step.operands[2], lane),
                        numbers(context, step.operands[3], lane));
}

/// {a, b, c, d}, or {a, b, c, d}|p: whether the texels are there, which they always are.
void write_sample(const Context& context, const Step& step, int lane, const Sample& sample) {
  auto to = context.elements(step.operands[0]);
  if (!to.empty() && to[0].kind == Value::Kind::kList) {
    if (to.size() > 1) context.write(to[1], lane, 1);
    to = context.elements(to[0]);
  }
  const bool packs = step.variant->type[0].count == 2;
  const bool halves = step.variant->type[0].element_bits == 16;
  const auto half = [&](size_t i) {
    return numeric::pack(numeric::kF16, numeric::unpack(numeric::kF32, sample.bits[i]));
  };
  for (size_t i = 0; i < to.size(); ++i) {
    if (packs) {
      context.write(to[i], lane, half(2 * i) | half(2 * i + 1) << 16);
    } else {
      context.write(to[i], lane, halves ? half(i) : sample.bits[i]);
    }
  }
}

bool has_texels(const Context& context, const Step& step, int lane, const Sample& sample) {
  if (sample.bad_address == 0) return true;
  const DeviceMemory& memory = context.engine.image().memory();
  context.fault(step, lane,
                fmt::format("out-of-bounds texture read at {:#x}: {}", sample.bad_address,
                            memory.explain(sample.bad_address, 1)),
                "out-of-bounds");
  return false;
}

Sample sample_of(const Context& context, const Step& step, const Texture& texture,
                 const Geometry& geometry, int lane) {
  const DeviceMemory& memory = context.engine.image().memory();
  const Value& operand = step.operands[1];
  const bool is_integer = !step.variant->type[1].is_float;
  if (step.spelling().op() == Op::kTex && is_integer) {
    const Coordinates layer = read_coordinates(context, operand, geometry, lane);
    return fetch(texture, memory, read_integers(context, operand, geometry, lane), layer.layer);
  }
  const Coordinates where = read_coordinates(context, operand, geometry, lane);
  if (step.spelling().op() == Op::kTex)
    return sample(texture, memory, where, read_level(context, step, texture, lane));
  constexpr Modifier kChannels[] = {Modifier::kR, Modifier::kG, Modifier::kB, Modifier::kA};
  uint32_t channel = 0;
  while (channel < 3 && step.variant->get(Slot::kComponent) != kChannels[channel]) ++channel;
  return gather(texture, memory, where, channel);
}

/// What the lanes of one execution touch.
struct Fetches {
  struct Lane {
    uint64_t handle = 0;
    uint8_t width = 0;
    bool is_block_linear = false;
    Touched touched = {};
  };
  Lanes lanes = 0;
  PerLane<Lane> of = {};

  void add(int lane, uint64_t handle, const Texture& texture, const Touched& touched) {
    lanes |= 1u << lane;
    of[static_cast<size_t>(lane)] = {handle, static_cast<uint8_t>(texture.format.bytes()),
                                     is_block_linear(texture), touched};
  }
};

/// One record for each handle.
void record_fetches(const Context& context, const Step& step, const Fetches& fetches) {
  if (fetches.lanes == 0) return write_record(context, step.site, {});
  for (Lanes rest = fetches.lanes; rest != 0;) {
    const Fetches::Lane& first = fetches.of[static_cast<size_t>(__builtin_ctz(rest))];
    trace::TexelCount count{.width = first.width, .is_continued = rest != fetches.lanes};
    std::vector<uint64_t> addresses;
    for_each_lane(rest, [&](int lane) {
      const Fetches::Lane& one = fetches.of[static_cast<size_t>(lane)];
      if (one.handle != first.handle) return;
      count.mask |= 1u << lane;
      addresses.insert(addresses.end(), one.touched.address.begin(),
                       one.touched.address.begin() + one.touched.count);
    });
    count.texels = static_cast<uint16_t>(addresses.size());
    const uint32_t site = step.site + (first.is_block_linear ? 1 : 0);
    context.engine.buffer(context.cta, context.warp).push_texels(count, site, addresses);
    rest &= ~count.mask;
  }
}

Outcome run_sample(Context& context, const Step& step) {
  const size_t plain = step.variant->has(Modifier::kGrad)    ? 4
                       : step.variant->has(Modifier::kLevel) ? 3
                                                             : 2;
  if (step.operands.size() > plain) {
    context.fault(step, 0, "texture offsets and depth comparisons are not supported",
                  "unsupported-opcode");
    return Outcome::kNext;
  }
  Fetches fetches;
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed()) return;
    const auto texture = read_texture(context, step, step.operands[1], lane);
    if (!texture) return;
    const auto geometry = read_geometry(context, step, *texture, lane);
    if (!geometry) return;
    const Sample found = sample_of(context, step, *texture, *geometry, lane);
    if (!has_texels(context, step, lane, found)) return;
    fetches.add(lane, handle_of(context, step.operands[1], lane), *texture, found.touched);
    write_sample(context, step, lane, found);
  });
  if (!context.failed()) record_fetches(context, step, fetches);
  return Outcome::kNext;
}

std::optional<uint32_t> property(const Texture& texture, Modifier asked) {
  switch (asked) {
    case Modifier::kWidth:
      return texture.base.width;
    case Modifier::kHeight:
      return texture.dimensions < 2 ? 0 : texture.base.height;
    case Modifier::kDepth:
      return texture.dimensions < 3 ? 0 : texture.base.depth;
    case Modifier::kArraySize:
      return texture.is_layered ? texture.base.depth : 0;
    case Modifier::kNumMipmapLevels:
      return texture.levels;
    case Modifier::kNormalizedCoords:
      return texture.is_normalized ? 1 : 0;
    default:
      return {};
  }
}

Outcome run_query(Context& context, const Step& step) {
  const Modifier asked = step.variant->get(Slot::kQuery);
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed()) return;
    const auto texture = read_texture(context, step, step.operands[1], lane);
    if (!texture) return;
    const auto value = property(*texture, asked);
    if (value && step.operands.size() == 2) return context.write(step.operands[0], lane, *value);
    context.fault(step, lane, fmt::format("'.{}' is not supported", ptx::to_text(asked)),
                  "unsupported-opcode");
  });
  return Outcome::kNext;
}

}  // namespace

Execute find_texture(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {{Op::kTex, run_sample},
                                         {Op::kTld4, run_sample},
                                         {Op::kTxq, run_query},
                                         {Op::kSuq, run_query}};
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
