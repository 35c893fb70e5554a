// Instructions that change a tensor map: tensormap.replace, and the copy that publishes it.
#include <algorithm>
#include <cstring>
#include <optional>

#include "warpledger/exec/decode/tensor_map.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Space;

/// The element that tensormap.replace's .elemtype names: other numbers than the driver's from 8 on.
std::optional<TensorElement> element_named(uint64_t code) {
  using enum TensorElement;
  constexpr TensorElement kNamed[] = {kU8,      kU16,  kU32,        kS32,       kU64,  kS64,
                                      kF16,     kF32,  kF32Ftz,     kF64,       kBf16, kTf32,
                                      kTf32Ftz, k4Bit, k4BitPadded, k6BitPadded};
  if (code >= std::size(kNamed)) return {};
  return kNamed[code];
}

/// The swizzle that tensormap.replace's .swizzle_mode names.
std::optional<SharedMode> swizzle_named(uint64_t code) {
  if (code > 3) return {};
  return static_cast<SharedMode>(code);
}

// The fields as PTX numbers them (9.7.9.28); ordinals count from the innermost dimension.
std::string replace_field(TensorMap& map, Modifier field, uint64_t ordinal, uint64_t value) {
  if (ordinal >= kMostDimensions) return "there is no such dimension";
  switch (field) {
    case Modifier::kGlobalAddress:
      map.address = value;
      return {};
    case Modifier::kRank:
      map.rank = static_cast<uint32_t>(value) + 1;
      return {};
    case Modifier::kBoxDim:
      map.box[ordinal] = static_cast<uint32_t>(value);
      return {};
    case Modifier::kGlobalDim:
      map.size[ordinal] = value;
      return {};
    case Modifier::kGlobalStride:
      if (ordinal + 1 >= kMostDimensions) return "there is no such dimension";
      map.stride[ordinal] = value;
      return {};
    case Modifier::kElementStride:
      map.element_stride[ordinal] = static_cast<uint32_t>(value);
      return {};
    case Modifier::kFillMode:
      map.fills_nan = value == 1;
      return {};
    case Modifier::kSwizzleMode:
      if (const auto mode = swizzle_named(value)) {
        map.swizzle = *mode;
        return {};
      }
      return "that swizzle is not executed yet";
    case Modifier::kElemtype:
      if (const auto element = element_named(value)) {
        map.element = *element;
        return {};
      }
      return "there is no such element type";
    case Modifier::kInterleaveLayout:
      return value == 0 ? "" : "interleaved layouts are not supported yet";
    default:
      return "that field is not executed yet";
  }
}

/// All zeros is what a kernel that makes a map by itself begins with, as Triton's do.
Result<TensorMap> decode_unfinished(std::span<const std::byte> bytes) {
  const auto is_zero = [](std::byte one) { return one == std::byte{0}; };
  if (std::all_of(bytes.begin(), bytes.end(), is_zero)) return TensorMap{};
  return decode_tensor_map(bytes);
}

Outcome run_replace(Context& context, const Step& step) {
  const Modifier field = step.variant->get(Slot::kField);
  const bool global_address = step.variant->has(Modifier::kGlobalAddress);
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed()) return;
    const SpaceAddress at = context.address(step.operands[0], step.spelling().space(), lane);
    std::byte* bytes = context.bytes(at, kTensorMapBytes, lane, Access::kWrite);
    if (bytes == nullptr) return;
    auto map = decode_unfinished({bytes, kTensorMapBytes});
    if (!map) return context.fault(step, lane, map.error().message, map.error().code);
    const bool counted = step.operands.size() > 2;
    const std::string why = replace_field(*map, global_address ? Modifier::kGlobalAddress : field,
                                          counted ? context.read(step.operands[1], lane) : 0,
                                          context.read(step.operands.back(), lane));
    if (!why.empty())
      return context.fault(step, lane, "tensormap.replace: " + why, "unsupported-opcode");
    const TensorMapBytes encoded = encode_unchecked(*map);
    std::memcpy(bytes, encoded.data(), encoded.size());
  });
  return context.failed() ? Outcome::kStay : Outcome::kNext;
}

// Shared to global memory, 128 bytes.
Outcome run_copy_map(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed() || lane != __builtin_ctz(context.lanes)) return;
    const SpaceAddress to = context.address(step.operands[0], Space::kGlobal, lane),
                       from = context.address(step.operands[1], Space::kShared, lane);
    const std::byte* source = context.bytes(from, kTensorMapBytes, lane, Access::kRead);
    std::byte* target =
        source == nullptr ? nullptr : context.bytes(to, kTensorMapBytes, lane, Access::kWrite);
    if (target != nullptr) std::memcpy(target, source, kTensorMapBytes);
  });
  return context.failed() ? Outcome::kStay : Outcome::kNext;
}

}  // namespace

Execute find_tensor_map(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kTensormapReplace, run_replace},
      {Op::kTensormapCpFenceproxy, run_copy_map},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
