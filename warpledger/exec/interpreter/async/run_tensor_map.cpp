// Instructions that change a tensor map: tensormap.replace, and the copy that publishes it.
#include <cstring>

#include "warpledger/exec/decode/tensor_map.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Space;

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
    default:
      return "that field is not executed yet";
  }
}

Outcome run_replace(Context& context, const Step& step) {
  const Modifier field = step.variant->get(Slot::kField);
  const bool global_address = step.variant->has(Modifier::kGlobalAddress);
  for_each_lane(context.lanes, [&](int lane) {
    if (context.failed()) return;
    const SpaceAddress at = context.address(step.operands[0], step.spelling().space(), lane);
    std::byte* bytes = context.bytes(at, kTensorMapBytes, lane, Access::kWrite);
    if (bytes == nullptr) return;
    auto map = decode_tensor_map({bytes, kTensorMapBytes});
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
