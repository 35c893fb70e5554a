// suld, sust, sured: the bytes of a surface as they are. x counts bytes, y and z texels.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "warpledger/exec/decode/texel_layout.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/texture.h"
#include "warpledger/exec/semantics/atomic.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;

/// What .clamp, .zero and .trap make of coordinates outside.
enum class Place { kInside, kNowhere, kFault };

struct Found {
  Place place = Place::kFault;
  std::byte* bytes = nullptr;
  uint64_t seen_at = 0;  // by caches
  bool is_block_linear = false;
};

/// What the lanes of one execution touch: memory whose layout is known, and arrays.
class Touches {
 public:
  void add(int lane, const Found& found) {
    if (found.bytes == nullptr) return;
    Accessed& to = of_[found.is_block_linear ? 1 : 0];
    to.lanes |= 1u << lane;
    to.address[static_cast<size_t>(lane)] = found.seen_at;
  }
  void record(const Context& context, const Step& step) const {
    if (context.failed()) return;
    if (of_[0].lanes == 0 && of_[1].lanes == 0) return write_record(context, step.site, {});
    for (uint32_t i = 0; i < 2; ++i) {
      if (of_[i].lanes != 0) write_record(context, step.site + i, of_[i]);
    }
  }

 private:
  std::array<Accessed, 2> of_ = {};
};

Place put_inside(const Step& step, int64_t& at, int64_t most) {
  if (at >= 0 && at <= most) return Place::kInside;
  if (step.variant->has(Modifier::kZero)) return Place::kNowhere;
  if (!step.variant->has(Modifier::kClamp)) return Place::kFault;
  at = std::clamp<int64_t>(at, 0, most);
  return Place::kInside;
}

Found find_bytes(const Context& context, const Step& step, const Value& operand, uint64_t bytes,
                 int lane) {
  const auto texture = read_texture(context, step, operand, lane);
  if (!texture) return {};
  const auto geometry = read_geometry(context, step, *texture, lane);
  if (!geometry) return {};
  const TexelBox& box = texture->base;
  const auto values = coordinates_of(context, operand);
  const size_t first = geometry->is_layered ? 1 : 0;
  const int64_t most[3] = {
      static_cast<int64_t>(uint64_t{box.width} * texture->format.bytes() - bytes),
      int64_t{box.height} - 1, int64_t{box.depth} - 1};
  int64_t at[3] = {};
  if (geometry->is_layered) at[2] = static_cast<int32_t>(context.read(values[0], lane));
  for (size_t i = 0; i < geometry->dimensions; ++i)
    at[i] = static_cast<int32_t>(context.read(values[first + i], lane));
  for (size_t i = 0; i < 3; ++i) {
    const Place place = put_inside(step, at[i], most[i]);
    if (place == Place::kFault) {
      context.fault(
          step, lane,
          fmt::format("surface access outside: {} {} of at most {}", "xyz"[i], at[i], most[i]),
          "out-of-bounds", ".trap (cudaBoundaryModeTrap) ends the kernel");
    }
    if (place != Place::kInside) return {.place = place};
  }
  if (at[0] % static_cast<int64_t>(bytes) != 0) {
    context.fault(step, lane, fmt::format("misaligned surface access: x is {} bytes", at[0]),
                  "misaligned-access", "x counts bytes");
    return {};
  }
  const uint64_t address = box.address + static_cast<uint64_t>(at[2]) * box.slice +
                           static_cast<uint64_t>(at[1]) * box.pitch + static_cast<uint64_t>(at[0]);
  // Checked and watched as other memory.
  std::byte* there =
      context.bytes({ptx::Space::kGlobal, address}, bytes, lane,
                    step.spelling().op() == Op::kSuld ? Access::kRead : Access::kWrite);
  return {there == nullptr ? Place::kFault : Place::kInside, there,
          texel_place(*texture, box, static_cast<uint64_t>(at[0]), static_cast<uint64_t>(at[1]),
                      static_cast<uint64_t>(at[2])),
          is_block_linear(*texture)};
}

uint64_t element_bytes(const Step& step) {
  return static_cast<uint64_t>(step.variant->type[0].bits) / 8;
}

Outcome run_load(Context& context, const Step& step) {
  const uint64_t size = element_bytes(step);
  const auto to = context.elements(step.operands[0]);
  Touches touches;
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed()) return;
    const Found found = find_bytes(context, step, step.operands[1], size * to.size(), lane);
    if (found.place == Place::kFault) return;
    touches.add(lane, found);
    for (size_t i = 0; i < to.size(); ++i) {
      uint64_t bits = 0;
      if (found.bytes != nullptr) std::memcpy(&bits, found.bytes + i * size, size);
      context.write(to[i], lane, bits);
    }
  });
  touches.record(context, step);
  return Outcome::kNext;
}

Outcome run_store(Context& context, const Step& step) {
  if (step.variant->has(Modifier::kP)) {
    context.fault(step, 0, "formatted surface stores (sust.p) are not supported",
                  "unsupported-opcode");
    return Outcome::kNext;
  }
  const uint64_t size = element_bytes(step);
  const auto from = context.elements(step.operands[1]);
  Touches touches;
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed()) return;
    const Found found = find_bytes(context, step, step.operands[0], size * from.size(), lane);
    touches.add(lane, found);
    for (size_t i = 0; found.bytes != nullptr && i < from.size(); ++i) {
      const uint64_t bits = context.read(from[i], lane);
      std::memcpy(found.bytes + i * size, &bits, size);
    }
  });
  touches.record(context, step);
  return Outcome::kNext;
}

// Other threads may run other blocks at the same time.
template <class T>
void update(const Variant& variant, std::byte* at, uint64_t operand) {
  const std::atomic_ref<T> texel(*reinterpret_cast<T*>(at));
  T old = texel.load();
  while (!texel.compare_exchange_weak(
      old, static_cast<T>(atomic_update(variant, old, operand, 0, false)))) {
  }
}

Outcome run_reduction(Context& context, const Step& step) {
  if (step.variant->has(Modifier::kP)) {
    context.fault(step, 0, "sured.p is not supported", "unsupported-opcode");
    return Outcome::kNext;
  }
  const uint64_t size = element_bytes(step);
  Touches touches;
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed()) return;
    const Found found = find_bytes(context, step, step.operands[0], size, lane);
    if (found.bytes == nullptr) return;
    touches.add(lane, found);
    const uint64_t operand = context.read(step.operands[1], lane);
    if (size == 4)
      update<uint32_t>(*step.variant, found.bytes, operand);
    else
      update<uint64_t>(*step.variant, found.bytes, operand);
  });
  touches.record(context, step);
  return Outcome::kNext;
}

}  // namespace

Execute find_surface(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kSuld, run_load}, {Op::kSust, run_store}, {Op::kSured, run_reduction}};
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
