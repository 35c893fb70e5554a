// Textures and surfaces in the interpreter: the object that a handle names, and its coordinates.
// What a fetch touches is recorded as one request for each handle that the lanes name: hardware
// takes lanes with other handles apart (assumed).
#pragma once

#include <optional>

#include "warpledger/exec/decode/texture.h"
#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/interpreter/groups.h"

namespace warpledger::exec::reference {

[[nodiscard]] Execute find_texture(const ptx::Spelling& spelling);  // tex, tld4, txq, suq
[[nodiscard]] Execute find_surface(const ptx::Spelling& spelling);  // suld, sust, sured

/// What [handle, ...] or [handle] names in that lane; nothing after a fault.
[[nodiscard]] std::optional<Texture> read_texture(const Context& context, const Step& step,
                                                  const Value& operand, int lane);

/// What the spelling says of the coordinates.
struct Geometry {
  uint8_t dimensions = 1;
  bool is_layered = false;
};
/// Fails with a fault on cubemaps and multisampled textures, and on an object of another geometry.
[[nodiscard]] std::optional<Geometry> read_geometry(const Context& context, const Step& step,
                                                    const Texture& texture, int lane);

/// The coordinates in [handle, {..}], the layer first where there is one.
[[nodiscard]] std::span<const Value> coordinates_of(const Context& context, const Value& operand);

}  // namespace warpledger::exec::reference
